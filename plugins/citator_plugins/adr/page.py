"""The one form into which Markdown, reStructuredText and AsciiDoc are brought, every line on the number it had."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from citator.api import is_status
from citator.expressions import expression

HEADING = expression(r" {0,3}(#{1,6})\s+(\S.*)$")
_TITLE_MARKUP = expression(r"[*`]|\[([^\]]*)\]\([^)]*\)|\s+#+\s*$|\s*\{#[\w-]+\}\s*$")
_HASHES = ("#", " #", "  #", "   #")


@dataclass
class Page:
    """The lines of a document in one form: `#` headings, `>` notes, `- label: value`, `|` tables; code and comments are blank.

    `targets` are the addresses of reference-style links, `labels` what other documents may call this one.
    """

    lines: list[str]
    targets: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    links: Callable[["Page", str], str] = lambda _, text: text

    @cached_property
    def headings(self) -> list[tuple[int, int, str]]:
        """(number of the line from 0, level, text) of each heading; only to be asked for when all lines are in their form."""
        return [
            (n, len(match[1]), _TITLE_MARKUP.sub(r"\1", match[2][:500]).strip())
            for n, line in enumerate(self.lines)
            if line.startswith(_HASHES) and (match := HEADING.match(line))
        ]

    def inline(self, text: str) -> str:
        """The text with its links in Markdown's inline form."""
        return self.links(self, text)


_SECTION = expression(
    r"(?:context|decision|consequences|considered|summary|abstract|introduction|overview|problem|background|motivation|kontext|"
    r"contexte|contexto)\b",
    re.I,
)

_WHOLE_SECTION = expression(
    rf"{_SECTION.pattern}(?:[\s,&/:—–-]+(?:and|und|et|y|e|of|or|the|this|for|problem(?:stellung|e|a)?|statement|drivers?|outcomes?|"
    r"options?|records?|rationale|reasons?|makers?|log|date|details|descriptions?|positive|negative|implications|alternatives|"
    r"goals?|scope|motivation|background|context|decisions?|consequences|summary|introduction|overview|assumptions|risks|"
    r"constraints|requirements|hintergrund|problématique|planteamiento|del|do)\b)*[\s:.?]*",
    re.I,
)
"""A section's heading with nothing in it that names a matter: "Context and Problem Statement"."""


def is_section(title: str) -> bool:
    """Whether a heading is that of a usual section rather than a title."""
    return is_status(title.lower()) or bool(_SECTION.match(title))


def is_title(level: int, text: str) -> bool:
    """Whether a heading may be a record's title: at the top, one that goes on behind the name of a section is none of it."""
    return not is_section(text) or (level == 1 and not is_status(text.lower()) and not _WHOLE_SECTION.fullmatch(text))


def is_section_name(text: str) -> bool:
    """Whether a text is nothing but the name of a usual section."""
    return is_status(text.lower()) or bool(_SECTION.fullmatch(text))
