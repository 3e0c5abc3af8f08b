"""What running text links to."""

from collections.abc import Iterator

from citator.expressions import expression
from citator_plugins.adr.page import Page

_LINK = expression(r"(?<!!)\[[^\[\]]+\]\(<?((?![a-z][a-z+.-]*:|//|#)[^()<>\s]{1,200})>?(?:\s+\"[^\"]*\")?\)")
_MOST = 50
"""Links of one record that are kept."""


def mentions(page: Page, start: int, end: int) -> Iterator[tuple[str, int]]:
    """(link, line from 1) of each file that a stretch of a page links to, once, where it does so first."""
    found: set[str] = set()
    for n in range(start, end):
        if "](" in page.lines[n]:
            for link in _LINK.finditer(page.lines[n]):
                if link[1] not in found and len(found) < _MOST:
                    found.add(link[1])
                    yield link[0], n + 1
