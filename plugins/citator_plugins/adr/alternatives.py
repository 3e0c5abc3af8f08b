"""A section that lists approaches -> the approaches: its subsections, its list, its table, or its paragraphs."""

import re
from collections.abc import Iterator
from itertools import takewhile

from citator.api import clean
from citator.expressions import expression
from citator_plugins.adr.headings import headings
from citator_plugins.adr.labels import ROW
from citator_plugins.adr.page import Page
from citator_plugins.adr.weighed import BOLD, BULLET, NUMBERED, SENTENCE, Weighed, plain, same, weighed
from citator_plugins.adr.weighing import (
    AGAINST_COLUMN,
    NAME_COLUMN,
    NOT_TAKEN,
    TAKEN,
    VERDICT_COLUMN,
    is_known,
)

_NAME_WORDS = 16

_LEAD = expression(r"^(?:\*\*|__)(.+?)(?:\*\*|__)(.*)$", re.S)
_NAME_ENDS = expression(r"\s+[—–]\s+|[:：]\s+|\s+-\s+|(?<=[^\W\d_]{2})\.(?:\s+|$)|。|;\s+")
_VERDICT = expression(rf"\W*(?:{TAKEN}|{NOT_TAKEN})?\W*", re.I)
_SAID_IN_PROSE = expression(
    rf"(?:we (?:also )?(?:considered|looked at|thought (?:about|of)|discussed|tried)(?:,? (?:but|and) {NOT_TAKEN})?|"
    r"(?:an|another|one) (?:alternative|option|approach) (?:is|was|would be|would have been)(?: to)?)\s+"
    r"(?P<after>(?![^.,;:]* to be )[^.,;:—–]{4,120})|"
    rf"(?P<before>[^.;:—–]{{4,120}}?),? (?:was|were) (?:considered|tried|evaluated|discussed|{NOT_TAKEN})\b",
    re.I,
)


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
        if not is_known(title) and (made := weighed(title, "", at + 1, "\n".join(page.lines[at + 1 : to])))
    ]


def _bullets(page: Page, start: int, end: int, named: bool) -> list[Weighed]:
    before = [line for line in takewhile(lambda line: not BULLET.match(line), page.lines[start:end]) if line.strip()]
    if named and before and not (len(before) == 1 and before[0].rstrip().endswith(":")):
        return []
    found: list[tuple[int, str, str]] = []
    depth = None
    for n in range(start, end):
        line = page.lines[n]
        bullet = BULLET.match(line)
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
        first = SENTENCE.match(text)
        said = _SAID_IN_PROSE.match(first[0] if first else text)
        if said:
            reason = text[said.end() :] if said["after"] else text[first.end() if first else len(text) :]
            if made := weighed(said["after"] or said["before"], re.sub(r"^\W*(?:but|and|however)?\W*", "", reason), n + 1):
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
            if made := weighed(cells[at], reason, n + 1, "", number, verdict):
                found.append(made)
    return found


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().removesuffix("|"))]


def _item(text: str, line: int, number: str = "") -> Weighed | None:
    """An option from an item of a list, or from a paragraph: its name, and what is said of it."""
    lead = _LEAD.match(text)
    if lead and NUMBERED.sub("", lead[1]):
        return weighed(f"**{lead[1]}**", lead[2], line, "", number)
    first, _, nested = text.partition("\n")
    said = plain(first if nested.startswith(("- ", "* ", "+ ")) else text)
    counted = NUMBERED.match(said)
    parts = _NAME_ENDS.split(said[counted.end() if counted else 0 :] or said, maxsplit=1)
    name = (counted[0] if counted else "") + parts[0]
    bold = BOLD.match(first) is not None
    return weighed(f"**{name}**" if bold else name, parts[1] if len(parts) > 1 else "", line, nested, number)
