"""A file's text -> its page, by the markup that its name tells."""

import re

from citator.expressions import expression
from citator_plugins.adr.asciidoc import asciidoc
from citator_plugins.adr.markdown import markdown
from citator_plugins.adr.page import Page
from citator_plugins.adr.rst import restructured

_FRONT = expression(r"(---|\+\+\+)\s*(?:ya?ml|json|toml)?", re.I)
_LONG, _LONGEST = 1_000, 50_000
"""Characters from which a line is squeezed, and at which it is cut."""


def page_of(path: str, text: str) -> tuple[Page, int]:
    """The page of a file and the number of its lines of front matter; `path` tells the markup."""
    lines = [line if len(line) < _LONG else _squeezed(line) for line in text.split("\n")]
    name = path.lower()
    if name.endswith(".rst"):
        return restructured(lines), 0
    if name.endswith((".adoc", ".asciidoc")):
        return asciidoc(lines), 0
    start = front_matter_length(lines)
    return markdown(lines, start), start


def _squeezed(line: str) -> str:
    """A very long line without runs of blanks, in which patterns would lose their way, and with an end."""
    indent = len(line) - len(line.lstrip())
    return line[: min(indent, 8)] + " ".join(line[:_LONGEST].split())


def front_matter_length(lines: list[str]) -> int:
    """How many lines at the top are front matter with its marks."""
    first = next((n for n, line in enumerate(lines[:3]) if line.strip()), 0)
    mark = _FRONT.fullmatch(lines[first].strip())
    if not mark:
        return 0
    return next((n + 1 for n in range(first + 1, min(len(lines), 400)) if lines[n].strip() in (mark[1], "...")), 0)
