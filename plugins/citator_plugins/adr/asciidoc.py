"""AsciiDoc -> a page."""

import re

from citator.expressions import expression
from citator_plugins.adr.page import Page

_ADOC_BLOCK = expression(r"^(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})(?:(?<=`)\s*\w+)?\s*$")
_ADOC_BOX = expression(r"^(?:NOTE|WARNING|IMPORTANT|CAUTION|TIP):\s+(.*)$")
_ADOC_LINK = expression(
    r"(?:link|xref):([^\s\[\]]+)\[([^\]]*)\]|(https?://[^\s\[\]]+)\[([^\]]*)\]|<<([^,>]+?)(?:#?,\s*([^>]+))?>>"
)


def asciidoc(lines: list[str]) -> Page:
    """A page of AsciiDoc."""
    page = Page(lines, links=_adoc_links)
    block, box, table, pending = "", False, False, ""
    head = True
    for n, line in enumerate(lines):
        if block:
            lines[n] = ""
            if line.strip() == block:
                block = ""
        elif match := _ADOC_BLOCK.match(line):
            block, lines[n] = match[1], ""
        elif line.startswith("//"):
            lines[n] = ""
        elif match := re.match(r"^(=+)\s+(.*)$", line):
            head = head and len(match[1]) == 1
            lines[n] = f"{'#' * len(match[1])} {match[2]}"
        elif line.strip() == "|===":
            table, pending, lines[n] = not table, "", ""
        elif table and line.strip():
            lines[n], pending = _adoc_row(line, pending)
        elif line.strip() == "====":
            box, lines[n] = not box, ""
        elif box:
            lines[n] = f"> {line}" if line.strip() else ""
        elif match := re.match(r"^:([\w-]+):\s*(.*)$", line):
            lines[n] = f"- {match[1]}: {match[2]}" if head else ""
        elif match := _ADOC_BOX.match(line):
            lines[n] = f"> {match[1]}"
        elif match := re.match(r"^\[\[([^\],]+).*\]\]$|^\[#([\w-]+)\]$", line):
            page.labels.append(match[1] or match[2])
            lines[n] = ""
        elif re.match(r"^\[[^\]]*\]$", line):
            lines[n] = ""
        elif match := re.match(r"^([A-Za-z][\w ]{0,38})::\s+(\S.*)$", line):
            lines[n] = f"- {match[1]}: {match[2]}"
    return page


def _adoc_row(line: str, pending: str) -> tuple[str, str]:
    cells = [cell.strip() for cell in re.split(r"(?:^|\s)[\w.+*^<>]*\|", line.strip()) if cell.strip()]
    if len(cells) > 1:
        return f"| {' | '.join(cells)} |", ""
    if pending:
        return f"| {pending} | {cells[0] if cells else ''} |", ""
    return "", cells[0] if cells else ""


def _adoc_links(_: Page, text: str) -> str:
    return _ADOC_LINK.sub(lambda m: f"[{m[2] or m[4] or m[6] or m[1] or m[3] or m[5]}]({m[1] or m[3] or m[5]})", text)
