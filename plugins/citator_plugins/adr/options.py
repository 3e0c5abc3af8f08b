"""The lines of one record -> the approaches that it weighed, and which of them it took."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from citator.api import telling
from citator.expressions import expression
from citator_plugins.adr.alternatives import alternatives, headed
from citator_plugins.adr.choosing import decided, said_in
from citator_plugins.adr.headings import headings, section_name
from citator_plugins.adr.page import Page
from citator_plugins.adr.weighed import Weighed, plain, same
from citator_plugins.adr.weighing import CONSIDERED, OPTION, OUTCOME, PROS, TURNED_DOWN

_PLACEHOLDER = expression(r"\W*(?:[{<\[].*[}>\]]|…|\.\.\.|none\.?|n/?a|tbd|\[?option \d\]?|alternative \d)\W*", re.I)
_COUNTED = expression(rf"\s*(?:[-*+]\s+)?(?:(?:\d+|[A-Z])[.)]\s|\*\*{OPTION}\d+\W*\*\*)", re.I)
_BOLD_LINE = expression(r"^\s*(?:\*\*|__)([^*]{2,80})(?:\*\*|__)\s*:?\s*$")


@dataclass(frozen=True, slots=True)
class _Section:
    """A stretch of lines, from 0 and behind the last, with its name and what its heading says behind a colon."""

    start: int
    end: int
    name: str
    value: str = ""

    def text(self, page: Page) -> str:
        return "\n".join([self.value, *page.lines[self.start : self.end]]).strip()


def read_options(page: Page, start: int, end: int) -> list[Weighed]:
    """All approaches that the record weighed; none where it cannot be told which one it took."""
    sections = list(_sections(page, start, end))
    if not any(_lists(section.name) for section in sections):
        return []
    outcomes = [section for section in sections if OUTCOME.fullmatch(section.name)]
    outcome = "\n\n".join(section.text(page) for section in outcomes)
    pros = [option for section in sections if PROS.fullmatch(section.name) for option in headed(page, section.start, section.end)]
    listed = [
        option
        for section in sections
        if CONSIDERED.fullmatch(section.name)
        for option in _considered(page, section, outcomes, outcome, pros)
    ]
    listed = listed or decided(pros, outcome)
    refused = [
        option
        for section in sections
        if TURNED_DOWN.fullmatch(section.name)
        for option in _turned_down(page, section, outcome)
        if not any(same(option, other) for other in listed)
    ]
    found: dict[str, Weighed] = {}
    for option in (*(_with_reason(option, pros) for option in listed), *refused):
        if option.name and not _PLACEHOLDER.fullmatch(option.name):
            found.setdefault(option.name.casefold(), option)
    return list(found.values())


def _sections(page: Page, start: int, end: int) -> Iterator[_Section]:
    """Each section with all that is below it."""
    heads = list(headings(page, start, end))
    for n, (at, level, title) in enumerate(heads):
        to = next((below for below, other, _ in heads[n + 1 :] if other <= level), end)
        yield _Section(at + 1, to, *_called(title))


@lru_cache(maxsize=4096)
def _called(title: str) -> tuple[str, str]:
    name, value = section_name(re.sub(r"\s*(?:[(\[<]|\s[—–]\s).*$", "", title))
    return re.sub(r"^[\W\d]+", "", name).strip(), value


@lru_cache(maxsize=4096)
def _lists(name: str) -> bool:
    return any(section.fullmatch(name) for section in (CONSIDERED, TURNED_DOWN, PROS))


def _considered(
    page: Page, section: _Section, outcomes: Sequence[_Section], outcome: str, pros: Sequence[Weighed]
) -> list[Weighed]:
    """The options of a section; where it asks several questions, those of each, as the outcome answers that one."""
    questions = _parts(page, section)
    answers = {telling(part.name): part for whole in outcomes for part in _parts(page, whole)}
    answered = [part for part in questions if telling(part.name) in answers]
    if answered:
        return [
            option
            for part in answered
            for option in decided(alternatives(page, part.start, part.end), answers[telling(part.name)].text(page))
        ]
    if any(_counts(page, part) for part in questions):
        return [option for part in questions for option in decided(alternatives(page, part.start, part.end), "")]
    return decided(alternatives(page, section.start, section.end), outcome, pros)


def _parts(page: Page, section: _Section) -> list[_Section]:
    """The subsections of a section, or what stands below its lines in bold."""
    heads = list(headings(page, section.start, section.end))
    top = min((level for _, level, _ in heads), default=0)
    marks = [(at, title) for at, level, title in heads if level == top]
    if not marks:
        lines = range(section.start, section.end)
        marks = [(n, match[1]) for n in lines if (match := _BOLD_LINE.match(page.lines[n]))]
    ends = [*(at for at, _ in marks[1:]), section.end]
    return [_Section(at + 1, to, plain(title)) for (at, title), to in zip(marks, ends, strict=False)]


def _counts(page: Page, part: _Section) -> bool:
    """Whether a part begins with a counted list: its heading asks, then, and is no option."""
    first = next((line for line in page.lines[part.start : part.end] if line.strip()), "")
    return _COUNTED.match(first) is not None


def _turned_down(page: Page, section: _Section, outcome: str) -> list[Weighed]:
    """The options of a section of alternatives: all were turned down but those that are said to have been taken."""
    parts = _parts(page, section)
    places = parts if any(_counts(page, part) for part in parts) else [section]
    options = [option for place in places for option in alternatives(page, place.start, place.end, named=True)]
    told = said_in(options, outcome) if len(options) > 1 else set()
    return [replace(option, chosen=bool(option.chosen) or at in told) for at, option in enumerate(options)]


def _with_reason(option: Weighed, pros: Sequence[Weighed]) -> Weighed:
    if option.reason and not option.chosen:
        return option
    fits = [other for other in pros if same(option, other) or (option.number and option.number == other.number)]
    return replace(option, reason=fits[0].reason) if fits else option
