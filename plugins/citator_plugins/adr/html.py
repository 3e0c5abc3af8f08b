"""HTML within Markdown -> the plain form: tables whose cells stand on lines of their own, definition lists, badges."""

import re

from citator.expressions import expression

_OPENS = expression(r"<(?:table|td|th|dl|dt)\b", re.I)
_TAG = expression(r"<(/?)(table|thead|tbody|tr|td|th|dl|dt|dd)\b[^<>]*>", re.I)
_HEADING = expression(r"^\s*<h([1-6])[^>]*>(.*?)</h\1>\s*$", re.I)
_BADGE = expression(r"/badge/(?:adr[-_])?(?:status|state)-((?:[^-/()\s]|--)+)-[^/\s]", re.I)
_PICTURE = expression(r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?|<[^<>]*>")
_EMPTY = "||"
"""Holds a table together."""


def heading(line: str) -> str:
    """An HTML heading that fills its line, in Markdown; other lines as they are."""
    match = _HEADING.match(line)
    return f"{'#' * int(match[1])} {match[2]}" if match else line


def badge(line: str) -> str:
    """The status that a line of pictures shows, as a field; empty where there is none."""
    match = None if re.search(r"\w", _PICTURE.sub("", line)) else _BADGE.search(line)
    return f"- Status: {re.sub(r'%20|_', ' ', match[1])}" if match else ""


class Tables:
    """Brings the rows of tables and the pairs of definition lists, line by line, into the plain form.

    A row stands on the line where its last cell ends.
    """

    def __init__(self) -> None:
        self.inside = False
        self._row: list[str] = []
        self._ends = 0
        self._cell: list[str] | None = None

    def opens(self, line: str) -> bool:
        """Whether a line begins a table."""
        return bool(_OPENS.search(line))

    def close(self) -> None:
        """Ends a table that nothing closes."""
        self.inside, self._row, self._cell = False, [], None

    def feed(self, lines: list[str], n: int) -> None:
        """Reads one line within a table."""
        line, at, lines[n] = lines[n], 0, _EMPTY
        self.inside = True
        for tag in _TAG.finditer(line):
            self._text(line[at : tag.start()])
            self._end_cell(n)
            at, closes, name = tag.end(), bool(tag[1]), tag[2].lower()
            if name in ("tr", "table", "dl") or (name == "dt" and not closes) or (name == "dd" and closes):
                self._end_row(lines)
            if name in ("td", "th", "dt", "dd") and not closes:
                self._cell = []
            self.inside = not (closes and name in ("table", "dl"))
        self._text(line[at:])

    def _text(self, text: str) -> None:
        if self._cell is not None:
            self._cell.append(text)

    def _end_cell(self, n: int) -> None:
        if self._cell is not None:
            self._row.append(" ".join(" ".join(self._cell).split()))
            self._ends, self._cell = n, None

    def _end_row(self, lines: list[str]) -> None:
        if any(self._row):
            lines[self._ends] = f"| {' | '.join(self._row)} |"
        self._row = []
