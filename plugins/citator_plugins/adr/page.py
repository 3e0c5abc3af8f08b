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


def is_section(title: str) -> bool:
    """Whether a heading is that of a usual section rather than a title."""
    return is_status(title.lower()) or bool(_SECTION.match(title))


def is_section_name(text: str) -> bool:
    """Whether a text is nothing but the name of a usual section."""
    return is_status(text.lower()) or bool(_SECTION.fullmatch(text))
