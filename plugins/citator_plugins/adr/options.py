"""The lines of one record -> the approaches that it weighed, and which of them it took."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from citator.api import clean, cut, telling
from citator.expressions import expression
from citator_plugins.adr.headings import headings, section_name
from citator_plugins.adr.page import Page

_NAME_BYTES, _REASON_BYTES = 120, 240
_NAME_WORDS = 16

_WEIGHED = expression(
    r"(?:the )?(?:considered|possible|available|potential|candidate) (?:options|alternatives|solutions|approaches)|"
    r"(?:the )?(?:options|solutions|approaches)(?: (?:considered|considerations|evaluated|weighed|explored))?|"
    r"(?:betrachtete|mögliche) (?:optionen|alternativen|varianten)|options (?:envisagées|considérées)|opciones consideradas|"
    r"検討した選択肢|选项|考虑的选项|方案",
    re.I,
)
"""Sections that list what was taken beside what was not."""

_TURNED_DOWN = expression(
    r"(?:(?:other |the )?alternatives?(?: (?:solutions?|approaches|options|considered))?"
    r"(?:[ ,/&+]+(?:and )?(?:not chosen|not taken|rejected|considered|weighed|discarded|evaluated|dismissed))*|"
    r"(?:rejected|discarded|considered and rejected|other|dismissed) "
    r"(?:alternatives?|options|approaches|solutions|shapes|designs)(?: considered)?|"
    r"considered(?:, | and | but )?(?:rejected|discarded|not chosen)|what was considered \+ rejected|"
    r"why (?:not )?(?:the )?alternatives(?: were rejected)?|verworfene (?:alternativen|optionen)|alternativen|"
    r"alternatives (?:rejetées|envisagées)|alternativas(?: consideradas)?|却下した案|代替案|备选方案)",
    re.I,
)
"""Sections that list what was not taken."""

_PROS = expression(
    r"(?:pros and cons|pros & cons|advantages and disadvantages|evaluation|comparison)(?: of (?:the )?(?:options|alternatives))?",
    re.I,
)
_OUTCOME = expression(
    r"(?:the )?(?:decision(?: outcome)?|outcome|chosen (?:option|solution|alternative)|resolution|conclusion|"
    r"entscheidung(?:sergebnis)?|décision|decisión|決定|决策|决定)",
    re.I,
)
_CHOSEN = expression(
    r"\b(?:chosen|selected|preferred)\s+(?:options?|alternatives?|solutions?|approach(?:es)?|variants?)\b[*_\s]*(?:is|are|was)?"
    r"[*_\s]*[:：]?\s*(.+?)"
    r"(?:,?\s+(?:because|since|as it|as they|as this|due to|for the|comes out|in order)\b|,\s|\.\s|[。\n]\s*\n|$)|"
    r"\bwe\s+(?:have\s+)?(?:chose|choose|decided?|will|opt(?:ed)?|go|went|selected|settled|adopt(?:ed)?|picked?)\b"
    r"\s*(?:to|for|on|with|use)?\s*(.+?)(?:[.。;\n]|,?\s+because\b|$)",
    re.I | re.S,
)
_QUOTED = expression(r"[\"“„«](.+)[\"”“»]", re.S)
_OPTION = r"(?:options?|alternatives?|approach|variant|solution|idea)\s*(?:#|no\.?\s*)?(\d+[a-z]?|[a-z]|[ivx]+)\b"
_NUMBERED = expression(rf"^\W*(?:{_OPTION}\W*|(\d{{1,2}}[a-z]?|[A-Za-z])[.)]\s+)", re.I)
_NUMBER_ALONE = expression(rf"\b{_OPTION}", re.I)
_TAKEN_WORDS = r"\b(?:chosen|selected|accepted|recommended|adopted|preferred|taken)(?: (?:option|here|solution|approach))?\b"
_MARKED = expression(rf"\s*[(\[*_—–-]+\s*{_TAKEN_WORDS}\s*[)\]*_]*\s*$|\s*(?:✅|✔️?)\s*$|^\s*(?:✅|✔️?|chosen:)\s*", re.I)
_TURNED = expression(
    r"\s*[(\[*_—–-]+\s*\b(?:rejected|discarded|not chosen|dismissed|declined)\b\s*[)\]*_]*\s*$|\s*(?:❌|✗)\s*$|"
    r"^\s*(?:❌|✗|\(?rejected(?: alternative)?\)?\s*[:—–-])\s*",
    re.I,
)
_BULLET = expression(r"^(\s*)(?:[-*+•]|\d+[.)]|[a-zA-Z][.)])\s+(?:\[[ xX]\]\s*)?(\S.*)$")
_LEAD = expression(r"^(?:\*\*|__)(.+?)(?:\*\*|__)(.*)$", re.S)
_NAME_ENDS = expression(r"\s+[—–]\s+|:\s+|\s+-\s+|(?<=[^\W\d_]{2})\.(?:\s+|$)|。|;\s+")
_PLACEHOLDER = expression(r"\W*(?:[{<\[].*[}>\]]|…|\.\.\.|none\.?|n/?a|tbd|\[?option \d\]?)\W*", re.I)
_MARKUP = expression(r"!?\[([^\[\]]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])|[*`]+|(?<!\w)_+|_+(?!\w)|<[^<>\n]{1,200}>|~~")
_REASON_LEAD = expression(
    r"^\W*(?:bad|con|cons|negative|rejected|not chosen|discarded|dismissed)\b\W*(?:(?:because|since|as|for)\b)?\W*", re.I
)
_BAD = expression(r"^\W*(?:(?:very )?bad|con|negative|❌|-{1,2}|👎)\b|^\W*\[?-\]?\s|^\W*bad\b", re.I)
_SENTENCE = expression(r".+?(?:[.!?](?=\s|$)|[。！？])", re.S)


@dataclass(frozen=True, slots=True)
class Weighed:
    """An approach that a record weighed; `line` counts from 1, `chosen` is None where its own words do not tell."""

    name: str
    line: int
    reason: str = ""
    chosen: bool | None = None


def read_options(page: Page, start: int, end: int) -> list[Weighed]:
    """All approaches that the record weighed; none where it cannot be told which one it took."""
    sections = list(_sections(page, start, end))
    listed = [option for at, to, name in sections if _WEIGHED.fullmatch(name) for option in _items(page, at, to)]
    pros = [option for at, to, name in sections if _PROS.fullmatch(name) for option in _headed(page, at, to)]
    refused = [
        replace(option, chosen=bool(option.chosen))
        for at, to, name in sections
        if _TURNED_DOWN.fullmatch(name)
        for option in _items(page, at, to, named=True)
    ]
    outcome = "\n\n".join("\n".join(page.lines[at:to]) for at, to, name in sections if _OUTCOME.fullmatch(name))
    listed = _decided(listed or pros, outcome)
    explained = [_with_reason(option, pros) for option in listed]
    if refused and (listed or pros):
        refused = [option for option in refused if not any(_same(option, other) for other in listed)]
    found: dict[str, Weighed] = {}
    for option in (*explained, *refused):
        if option.name and not _PLACEHOLDER.fullmatch(option.name):
            found.setdefault(option.name.casefold(), option)
    return [replace(option, name=_unnumbered(option.name)) for option in found.values()]


def _unnumbered(name: str) -> str:
    """A name without the "Option 2:" in front of it, unless that is all there is."""
    rest = _NUMBERED.sub("", name)
    return rest if len(rest) > 2 else name


def _sections(page: Page, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """(first line, line behind the last, name) of each section with all that is below it."""
    heads = list(headings(page, start, end))
    for n, (at, level, title) in enumerate(heads):
        to = next((below for below, other, _ in heads[n + 1 :] if other <= level), end)
        name, _ = section_name(re.sub(r"\s*[(\[<].*$", "", title))
        yield at + 1, to, re.sub(r"^[\W\d]+", "", name).strip()


def _items(page: Page, start: int, end: int, named: bool = False) -> list[Weighed]:
    """The options of a section: its subsections, else its list, else its paragraphs that begin in bold.

    `named` wants each item of the list to begin with a name: under "Alternatives", a list may be one of arguments.
    """
    return _headed(page, start, end) or _bullets(page, start, end, named) or _bold(page, start, end)


def _headed(page: Page, start: int, end: int) -> list[Weighed]:
    heads = list(headings(page, start, end))
    top = min((level for _, level, _ in heads), default=0)
    first = [(at, title) for at, level, title in heads if level == top]
    ends = [*(at for at, _ in first[1:]), end]
    return [
        made
        for (at, title), to in zip(first, ends, strict=False)
        if not _PROS.fullmatch(title) and (made := _option(title, at + 1, "\n".join(page.lines[at + 1 : to]), whole=True))
    ]


def _bullets(page: Page, start: int, end: int, named: bool) -> list[Weighed]:
    before = [line for line in takewhile(lambda line: not _BULLET.match(line), page.lines[start:end]) if line.strip()]
    if named and before and not (len(before) == 1 and before[0].rstrip().endswith(":")):
        return []
    found: list[tuple[int, str]] = []
    depth = None
    for n in range(start, end):
        line = page.lines[n]
        bullet = _BULLET.match(line)
        if bullet and (depth is None or len(bullet[1]) <= depth):
            depth = len(bullet[1])
            found.append((n + 1, bullet[2]))
        elif found and line.strip() and (bullet or line.startswith("  ") or page.lines[n - 1].strip()):
            at, text = found[-1]
            found[-1] = (at, f"{text}\n{line.strip()}")
    made = [option for at, text in found if (option := _option(text, at, ""))]
    made = [option for option in made if not page.lines[option.line - 1].rstrip().endswith(":")]
    return [] if named and any(len(option.name.split()) > _NAME_WORDS for option in made) else made


def _bold(page: Page, start: int, end: int) -> list[Weighed]:
    found: list[Weighed] = []
    for n in range(start, end):
        line = page.lines[n]
        if (n == start or not page.lines[n - 1].strip()) and _LEAD.match(line):
            to = next((below for below in range(n + 1, end) if not page.lines[below].strip()), end)
            if made := _option("\n".join(page.lines[n:to]), n + 1, ""):
                found.append(made)
    return found


def _option(text: str, line: int, below: str, whole: bool = False) -> Weighed | None:
    """An option from its heading or item, and what is written below it."""
    lead = None if whole else _LEAD.match(text)
    if lead:
        name, rest = lead[1], lead[2]
    elif whole:
        name, rest = text, ""
    else:
        plain = _plain(text.partition("\n")[0] if "\n- " in text else text)
        parts = _NAME_ENDS.split(_NUMBERED.sub("", plain) or plain, maxsplit=1)
        numbered = _NUMBERED.match(plain)
        name = (numbered[0] if numbered else "") + parts[0]
        rest = parts[1] if len(parts) > 1 else ""
    struck = name.strip().startswith("~~")
    name = _plain(name).strip(" .:;,")
    chosen: bool | None = None
    if _TURNED.search(name) or struck:
        name, chosen = _TURNED.sub("", name), False
    elif _MARKED.search(name):
        name, chosen = _MARKED.sub("", name), True
    elif re.match(r"\W*(?:✅|\(?(?:chosen|selected|recommended|adopted)\b)", _plain(rest), re.I):
        chosen = True
    name = name.strip(" .:;,")
    wrapped = re.fullmatch(r"[\"“„']([^\"“”„]+)[\"”“']", name)
    name = cut(clean(wrapped[1] if wrapped else name), _NAME_BYTES)
    return Weighed(name, line, _reason(rest, below), chosen) if re.search(r"\w", name) else None


def _reason(rest: str, below: str) -> str:
    bad = next((_plain(item[2]) for item in map(_BULLET.match, below.split("\n")) if item and _BAD.match(_plain(item[2]))), "")
    first = re.split(r"\n\s*\n", below.strip(), maxsplit=1)[0]
    paragraph = "" if bad or rest.strip() or _BULLET.match(first) else first
    text = clean(_plain(bad or rest or paragraph)).lstrip(" .:;,—–-")
    sentence = _SENTENCE.match(_REASON_LEAD.sub("", text))
    said = sentence[0] if sentence else _REASON_LEAD.sub("", text)
    return "" if said.rstrip().endswith(":") else cut(said.strip(), _REASON_BYTES)


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda match: match[1] or "", text).strip()


def _words(text: str) -> frozenset[str]:
    return telling(_NUMBERED.sub("", text))


def _number(name: str) -> str:
    match = _NUMBERED.match(name)
    return (match[1] or match[2] or "").casefold() if match else ""


def _same(one: Weighed, other: Weighed) -> bool:
    return bool(_words(one.name)) and _words(one.name) == _words(other.name)


def _decided(options: Sequence[Weighed], outcome: str) -> list[Weighed]:
    """The options with `chosen` filled in, by marks of their own, else by the outcome; none where that names none of them."""
    if any(option.chosen for option in options):
        return [replace(option, chosen=bool(option.chosen)) for option in options]
    told = _named(options, outcome)
    return [replace(option, chosen=at in told) for at, option in enumerate(options)] if told else []


def _named(options: Sequence[Weighed], outcome: str) -> set[int]:
    """The places of the options that an outcome says were taken."""
    for match in _CHOSEN.finditer(outcome):
        phrase = _plain(match[1] or match[2])
        quoted = _QUOTED.search(phrase)
        for said in dict.fromkeys(filter(None, (quoted[1] if quoted else "", phrase))):
            if found := _meant(options, said):
                return found if match[1] or len(found) == 1 else set()
    first = next((part for part in re.split(r"\n\s*\n", outcome.strip()) if part.strip()), "")
    held = _held(options, _words(_plain(first)))
    return held if len(held) == 1 else set()


def _meant(options: Sequence[Weighed], said: str) -> set[int]:
    words = _words(said)
    numbers = {match[1].casefold() for match in _NUMBER_ALONE.finditer(said)}
    by_number = {at for at, option in enumerate(options) if _number(option.name) in numbers - {""}}
    if by_number:
        return by_number
    if held := _held(options, words):
        return held if len(held) < len(options) else set()
    near = [
        (len(mine & words) / min(len(mine), len(words)), at)
        for at, option in enumerate(options)
        if (mine := _words(option.name)) and words
    ]
    best = max(near, default=(0.0, -1))
    others = [score for score, at in near if at != best[1]]
    return {best[1]} if best[0] >= 0.5 and best[0] > max(others, default=0.0) else set()


def _held(options: Sequence[Weighed], words: frozenset[str]) -> set[int]:
    """The options whose names are within these words; "Redis" is not meant where "Redis Streams" is."""
    held = {at for at, option in enumerate(options) if (mine := _words(option.name)) and mine <= words}
    return held - {at for at in held for other in held if _words(options[at].name) < _words(options[other].name)}


def _with_reason(option: Weighed, pros: Sequence[Weighed]) -> Weighed:
    if option.reason and not option.chosen:
        return option
    fits = [
        other for other in pros if _same(option, other) or (_number(option.name) and _number(option.name) == _number(other.name))
    ]
    return replace(option, reason=fits[0].reason) if fits else option
