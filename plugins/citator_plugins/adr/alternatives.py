"""A section that lists approaches -> the approaches: its subsections, its list, its table, or its paragraphs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from citator.api import clean, cut, telling
from citator_plugins.adr.headings import headings
from citator_plugins.adr.labels import ROW
from citator_plugins.adr.page import Page
from citator_plugins.adr.weighing import (
    AGAINST,
    AGAINST_COLUMN,
    FOR,
    NAME_COLUMN,
    NAMED_NOT_TAKEN,
    NAMED_TAKEN,
    NOT_TAKEN,
    OPTION,
    SAYS_NOT_TAKEN,
    SAYS_TAKEN,
    TAKEN,
    VERDICT_COLUMN,
    is_known,
)

_NAME_BYTES, _REASON_BYTES = 120, 240
_NAME_WORDS = 16

_NUMBERED = re.compile(
    rf"^\W*(?:{OPTION}(\d+[a-z]?|[a-z]|[ivx]+)\b\W*|(\d{{1,2}}[a-z]?|[A-Za-z])[.)]\s+|([A-Z])\s*(?:[—–]|:)\s+)", re.I
)
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|(\d+|[a-zA-Z])[.)])\s+(?:\[[ xX]\]\s*)?(\S.*)$")
_LEAD = re.compile(r"^(?:\*\*|__)(.+?)(?:\*\*|__)(.*)$", re.S)
_BOLD = re.compile(r"^\W*(?:[\w]{1,2}[.)]\s+)?(?:\*\*|__)[^*]+(?:\*\*|__)(?:\s*[(（].*[)）])?\W*$")
_NAME_ENDS = re.compile(r"\s+[—–]\s+|[:：]\s+|\s+-\s+|(?<=[^\W\d_]{2})\.(?:\s+|$)|。|;\s+")
_MARKUP = re.compile(
    r"<(https?://[^<>\s]+)>|!?\[([^\[\]]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|[*`]+|(?<!\w)_+|_+(?!\w)|<[^<>\n]{1,200}>|~~"
)
_REASON_LEAD = re.compile(
    rf"^\W*(?:(?:was |is )?{NOT_TAKEN}|bad|cons?|contras?|negative|nachteile?|inconvénients?)\b\W*"
    r"(?:(?:because|since|as|for|weil|car|parce que|porque)\b)?\W*",
    re.I,
)
_VERDICT = re.compile(rf"\W*(?:{TAKEN}|{NOT_TAKEN})?\W*", re.I)
_TAKEN_ALONE = re.compile(TAKEN, re.I)
_ARGUMENTS = re.compile(rf"(?:{FOR.pattern}|{AGAINST.pattern})\W*", re.I)
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])", re.S)
_SAID_IN_PROSE = re.compile(
    rf"(?:we (?:also )?(?:considered|looked at|thought (?:about|of)|discussed|tried)(?:,? (?:but|and) {NOT_TAKEN})?|"
    r"(?:an|another|one) (?:alternative|option|approach) (?:is|was|would be|would have been)(?: to)?)\s+"
    r"(?P<after>(?![^.,;:]* to be )[^.,;:—–]{4,120})|"
    rf"(?P<before>[^.;:—–]{{4,120}}?),? (?:was|were) (?:considered|tried|evaluated|discussed|{NOT_TAKEN})\b",
    re.I,
)


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


def alternatives(page: Page, start: int, end: int, named: bool = False) -> list[Weighed]:
    """The approaches of a section.

    `named` wants each item of the list to begin with a name: under "Alternatives", a list may be one of arguments.
    """
    heads = list(headings(page, start, end))
    end = next((at for at, _, title in heads if is_known(title)), end)
    first = next((at for at, _, _ in heads), end)
    listed, under = _bullets(page, start, min(first, end), named), headed(page, start, end)
    if any(same(one, other) for one in listed for other in under):
        return listed
    return (
        _rows(page, start, min(first, end))
        or under
        or _bullets(page, start, end, named)
        or _bold(page, start, end)
        or (_prose(page, start, end) if named else [])
    )


def headed(page: Page, start: int, end: int) -> list[Weighed]:
    """One approach for each subsection."""
    heads = list(headings(page, start, end))
    top = min((level for _, level, _ in heads), default=0)
    first = [(at, title) for at, level, title in heads if level == top]
    ends = [*(at for at, _ in first[1:]), end]
    return [
        made
        for (at, title), to in zip(first, ends, strict=False)
        if not is_known(title) and (made := _weighed(title, "", at + 1, "\n".join(page.lines[at + 1 : to])))
    ]


def _bullets(page: Page, start: int, end: int, named: bool) -> list[Weighed]:
    before = [line for line in takewhile(lambda line: not _BULLET.match(line), page.lines[start:end]) if line.strip()]
    if named and before and not (len(before) == 1 and before[0].rstrip().endswith(":")):
        return []
    found: list[tuple[int, str, str]] = []
    depth = None
    for n in range(start, end):
        line = page.lines[n]
        bullet = _BULLET.match(line)
        if bullet and (depth is None or len(bullet[1]) <= depth):
            depth = len(bullet[1])
            found.append((n + 1, bullet[2] or "", bullet[3]))
        elif found and line.strip() and (bullet or line.startswith("  ") or page.lines[n - 1].strip()):
            at, number, text = found[-1]
            found[-1] = (at, number, f"{text}\n{line.strip()}")
    made = [option for at, number, text in found if (option := _item(text, at, number))]
    plainly = {at for at, _, text in found if not _LEAD.match(text)}
    made = [
        option for option in made if not (option.line in plainly and page.lines[option.line - 1].rstrip().endswith((":", "?")))
    ]
    wordy = (option for option in made if option.line in plainly and len(option.name.split()) > _NAME_WORDS)
    return [] if named and any(wordy) else made


def _bold(page: Page, start: int, end: int) -> list[Weighed]:
    found: list[Weighed] = []
    for n, paragraph in _paragraphs(page, start, end):
        if _LEAD.match(paragraph) and (made := _item(paragraph, n + 1)):
            found.append(made)
    return found


def _prose(page: Page, start: int, end: int) -> list[Weighed]:
    """Paragraphs that begin with what was considered: "We considered Redis, but …", "A cache was tried and reverted"."""
    found: list[Weighed] = []
    for n, paragraph in _paragraphs(page, start, end):
        text = clean(plain(paragraph))
        first = _SENTENCE.match(text)
        said = _SAID_IN_PROSE.match(first[0] if first else text)
        if said:
            reason = text[said.end() :] if said["after"] else text[first.end() if first else len(text) :]
            if made := _weighed(said["after"] or said["before"], re.sub(r"^\W*(?:but|and|however)?\W*", "", reason), n + 1):
                found.append(made)
    return found


def _paragraphs(page: Page, start: int, end: int) -> Iterator[tuple[int, str]]:
    """(number of the first line from 0, text)."""
    n = start
    while n < end:
        to = next((below for below in range(n, end) if not page.lines[below].strip()), end)
        if to > n:
            yield n, "\n".join(page.lines[n:to])
        n = to + 1


def _rows(page: Page, start: int, end: int) -> list[Weighed]:
    """The rows of the first table that has a column of options."""
    rows = [(n, _cells(match[1])) for n in range(start, end) if (match := ROW.match(page.lines[n]))]
    ruled = [n for n, cells in rows if all(re.fullmatch(r":?-+:?", cell) for cell in cells)]
    if not rows or not ruled or ruled[0] != rows[0][0] + 1:
        return []
    heads = [plain(cell) for cell in rows[0][1]]
    at = next((n for n, head in enumerate(heads) if NAME_COLUMN.fullmatch(head)), None)
    if at is None:
        return []
    said = [n for n, head in enumerate(heads) if VERDICT_COLUMN.fullmatch(head)] or [len(heads) - 1]
    against = next((n for n, head in enumerate(heads) if AGAINST_COLUMN.fullmatch(head)), said[0])
    found: list[Weighed] = []
    for n, cells in rows[2:]:
        if len(cells) > max(at, *said, against) and n == rows[2][0] + len(found):
            verdict = "; ".join(cells[column] for column in said if column != at)
            number = next((cell for cell in map(plain, cells[:at]) if re.fullmatch(r"\d{1,2}|[A-Za-z]", cell)), "")
            bare = len(said) == 1 and _VERDICT.fullmatch(plain(verdict))
            reason = cells[against] if bare else verdict
            if made := _weighed(cells[at], reason, n + 1, "", number, verdict):
                found.append(made)
    return found


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().removesuffix("|"))]


def _item(text: str, line: int, number: str = "") -> Weighed | None:
    """An option from an item of a list, or from a paragraph: its name, and what is said of it."""
    lead = _LEAD.match(text)
    if lead and _NUMBERED.sub("", lead[1]):
        return _weighed(f"**{lead[1]}**", lead[2], line, "", number)
    first, _, nested = text.partition("\n")
    said = plain(first if nested.startswith(("- ", "* ", "+ ")) else text)
    counted = _NUMBERED.match(said)
    parts = _NAME_ENDS.split(said[counted.end() if counted else 0 :] or said, maxsplit=1)
    name = (counted[0] if counted else "") + parts[0]
    bold = _BOLD.match(first) is not None
    return _weighed(f"**{name}**" if bold else name, parts[1] if len(parts) > 1 else "", line, nested, number)


def _weighed(name: str, said: str, line: int, below: str = "", number: str = "", verdict: str = "") -> Weighed | None:
    """An option from its name and from what is said of it, beside it and `below`; `verdict` is what a table decides of it."""
    struck, bold = name.strip().startswith("~~"), _BOLD.match(name) is not None
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
    counted = _NUMBERED.match(name)
    if counted and len(name) - counted.end() > 2:
        name = name[counted.end() :]
    if counted:
        number = counted[1] or counted[2] or counted[3]
    name = name.strip(" .:;,")
    wrapped = re.fullmatch(r"[\"“„']([^\"“”„]+)[\"”“']", name)
    name = cut(clean(wrapped[1] if wrapped else name), _NAME_BYTES)
    if not re.search(r"\w", name) or _ARGUMENTS.fullmatch(name):
        return None
    return Weighed(name, line, _reason(said, below), chosen, number.casefold(), bold)


def _reason(said: str, below: str) -> str:
    against = _against(below)
    first = re.split(r"\n\s*\n", below.strip(), maxsplit=1)[0]
    paragraph = "" if against or said.strip() or _BULLET.match(first) else first
    if against and not said.strip():
        said = against
    text = clean(plain(said or paragraph)).lstrip(" .:;,—–→->")
    text = _REASON_LEAD.sub("", text)
    sentence = _SENTENCE.match(text)
    reason = sentence[0] if sentence else text
    return "" if reason.rstrip().endswith(":") or FOR.match(reason) else cut(reason.strip(), _REASON_BYTES)


def _against(below: str) -> str:
    """The first argument against, as an item of its own or below the one that begins those."""
    items = [(len(match[1]), match[3]) for match in map(_BULLET.match, below.split("\n")) if match]
    for (depth, text), (deeper, next_text) in zip(items, [*items[1:], (0, "")], strict=False):
        if AGAINST.match(plain(text)) or AGAINST.match(text):
            return next_text if deeper > depth else plain(text)
    inline = re.search(r"\*\*(?:Contra|Cons?|Contras|Nachteile?|Inconvénients?)\s*:?\*\*\s*:?\s*(\S.*)", below)
    return inline[1] if inline else ""


def plain(text: str) -> str:
    """A text without markup."""
    return _MARKUP.sub(lambda match: match[1] or match[2] or "", text).strip()
