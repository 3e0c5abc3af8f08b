"""One approach that a record weighed, from its name and from what is said of it: what it is called, why it was turned down."""

import re
from dataclasses import dataclass, field

from citator.api import clean, cut, telling
from citator.expressions import expression
from citator_plugins.adr.weighing import (
    AGAINST,
    ARGUMENTS,
    FOR,
    NAMED_NOT_TAKEN,
    NAMED_TAKEN,
    NOT_TAKEN,
    OPTION,
    SAYS_NOT_TAKEN,
    SAYS_TAKEN,
    TAKEN,
)

_NAME_BYTES, _REASON_BYTES = 120, 240

BULLET = expression(r"^(\s*)(?:[-*+•]|(\d+|[a-zA-Z])[.)])\s+(?:\[[ xX]\]\s*)?(\S.*)$")
BOLD = expression(r"^\W*(?:[\w]{1,2}[.)]\s+)?(?:\*\*|__)[^*]+(?:\*\*|__)(?:\s*[(（].*[)）])?\W*$")
SENTENCE = expression(r".+?(?:[.!?](?=\s|$)|[。！？])", re.S)
NUMBERED = expression(
    rf"^\W*(?:{OPTION}(\d+[a-z]?|[a-z]|[ivx]+)\b\W*|(\d{{1,2}}[a-z]?|[A-Za-z])[.)]\s+|([A-Z])\s*(?:[—–]|:)\s+)", re.I
)
_MARKUP = expression(
    r"<(https?://[^<>\s]+)>|!?\[([^\[\]]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|[*`]+|(?<!\w)_+|_+(?!\w)|<[^<>\n]{1,200}>|~~"
)
_REASON_LEAD = expression(
    rf"^\W*(?:(?:was |is )?{NOT_TAKEN}|bad|cons?|contras?|negative|nachteile?|inconvénients?)\b\W*"
    r"(?:(?:because|since|as|for|weil|car|parce que|porque)\b)?\W*",
    re.I,
)
_TAKEN_ALONE = expression(TAKEN, re.I)


@dataclass(frozen=True, slots=True)
class Weighed:
    """An approach that a record weighed; `line` counts from 1, `chosen` is None where its own words do not tell.

    `number` is what the record counts it by, as text; `bold` tells that the name stands out from the others.
    """

    name: str
    line: int
    reason: str = ""
    chosen: bool | None = None
    number: str = ""
    bold: bool = field(default=False, compare=False)


def same(one: Weighed, other: Weighed) -> bool:
    """Whether two options have the same telling words."""
    words = telling(one.name)
    return bool(words) and words == telling(other.name)


def weighed(name: str, said: str, line: int, below: str = "", number: str = "", verdict: str = "") -> Weighed | None:
    """An option from its name and from what is said of it, beside it and `below`; `verdict` is what a table decides of it."""
    struck, bold = name.strip().startswith("~~"), BOLD.match(name) is not None
    name, rest = plain(name).strip(" .:;,"), plain(verdict or said)
    chosen: bool | None = None
    if NAMED_NOT_TAKEN.search(name) or struck:
        name, chosen = NAMED_NOT_TAKEN.sub("", name), False
    elif NAMED_TAKEN.search(name):
        name, chosen = NAMED_TAKEN.sub("", name), True
    elif SAYS_TAKEN.match(rest) or _TAKEN_ALONE.fullmatch(name):
        chosen = True
    elif SAYS_NOT_TAKEN.search(rest):
        chosen = False
    counted = NUMBERED.match(name)
    if counted and len(name) - counted.end() > 2:
        name = name[counted.end() :]
    if counted:
        number = counted[1] or counted[2] or counted[3]
    name = name.strip(" .:;,")
    wrapped = re.fullmatch(r"[\"“„']([^\"“”„]+)[\"”“']", name)
    name = cut(clean(wrapped[1] if wrapped else name), _NAME_BYTES)
    if not re.search(r"\w", name) or ARGUMENTS.fullmatch(name):
        return None
    return Weighed(name, line, _reason(said, below), chosen, number.casefold(), bold)


def _reason(said: str, below: str) -> str:
    against = _against(below)
    first = re.split(r"\n\s*\n", below.strip(), maxsplit=1)[0]
    paragraph = "" if against or said.strip() or BULLET.match(first) else first
    if against and not said.strip():
        said = against
    text = clean(plain(said or paragraph)).lstrip(" .:;,—–→->")
    text = _REASON_LEAD.sub("", text)
    sentence = SENTENCE.match(text)
    reason = sentence[0] if sentence else text
    return "" if reason.rstrip().endswith(":") or FOR.match(reason) else cut(reason.strip(), _REASON_BYTES)


def _against(below: str) -> str:
    """The first argument against, as an item of its own or below the one that begins those."""
    items = [(len(match[1]), match[3]) for match in map(BULLET.match, below.split("\n")) if match]
    for (depth, text), (deeper, next_text) in zip(items, [*items[1:], (0, "")], strict=False):
        if AGAINST.match(plain(text)) or AGAINST.match(text):
            return next_text if deeper > depth else plain(text)
    inline = re.search(r"\*\*(?:Contra|Cons?|Contras|Nachteile?|Inconvénients?)\s*:?\*\*\s*:?\s*(\S.*)", below)
    return inline[1] if inline else ""


def plain(text: str) -> str:
    """A text without markup."""
    return _MARKUP.sub(lambda match: match[1] or match[2] or "", text).strip()
