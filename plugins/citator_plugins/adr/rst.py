"""reStructuredText -> a page."""

import re

from citator.expressions import expression
from citator_plugins.adr.labels import meaning, name_of_label
from citator_plugins.adr.page import Page

_RST_LINE = expression(r"^([=\-`:.'\"~^_*+#<>])\1*\s*$")
_RST_LABEL = expression(r"^\.\.\s+_`?([^:`]+)`?:\s*(\S.*)?$")
_RST_DIRECTIVE = expression(r"^(\s*)\.\.\s+([\w-]+)::\s*(.*)$")
_BOXES = {
    "note",
    "warning",
    "attention",
    "important",
    "caution",
    "danger",
    "tip",
    "hint",
    "admonition",
    "deprecated",
    "error",
    "seealso",
}
_RST_FIELD = expression(r"^:([A-Za-z][\w -]{0,38}):\s+(.*)$")
_OPTION = expression(r"^\s+:([A-Za-z][\w -]{0,38}):\s+(\S.*)$")
_RST_ROLE = expression(r":(?:ref|doc|pep|rfc|numref|any|std:ref|std:doc):`([^`<]+?)(?:\s*<([^`>]+)>)?`")
_RST_LINK = expression(r"`([^`<]+?)\s*<([^`>]+)>`__?")
_RST_NAMED = expression(r"`([^`]+)`_(?!\w)|(?<![\w`])([A-Za-z0-9][\w.-]*)_(?![\w`])")


def restructured(lines: list[str]) -> Page:
    """A page of reStructuredText."""
    page = Page(lines, links=_rst_links)
    levels: list[str] = []
    mode, indent = "", 0
    row: list[str] = []
    for n, line in enumerate(lines):
        if ":`" in line:
            line = lines[n] = _roles(line)
        depth = len(line) - len(line.lstrip())
        if mode and line.strip() and depth <= indent:
            mode = ""
        if mode == "skip":
            option = _OPTION.match(line)
            lines[n] = f"- {option[1]}: {option[2]}" if option and meaning(name_of_label(option[1])) else ""
        elif mode == "box":
            lines[n] = f"> {line.strip()}" if line.strip() else ""
        elif mode == "table":
            lines[n] = _list_table(line, row)
        elif match := _RST_LABEL.match(line):
            if match[2]:
                page.targets[match[1].casefold()] = match[2].strip()
            else:
                page.labels.append(match[1])
            lines[n] = ""
        elif match := _RST_DIRECTIVE.match(line):
            name, indent = match[2].lower(), len(match[1])
            mode = "box" if name in _BOXES else "table" if name == "list-table" else "skip"
            lines[n], row = (f"> {match[3]}" if mode == "box" and match[3] else ""), []
        elif line.startswith(".. "):
            mode, indent, lines[n] = "skip", 0, ""
        elif match := _RST_FIELD.match(line):
            lines[n] = f"- {match[1]}: {match[2]}"
        elif re.match(r"^\+[-=+]+\+\s*$", line):
            lines[n] = ""
        elif _RST_LINE.match(line):
            lines[n] = ""
            above, below = lines[n - 1].strip() if n else "", lines[n + 1].strip() if n + 1 < len(lines) else ""
            if len(line.strip()) > 2 and not above and below and n + 2 < len(lines) and lines[n + 2].rstrip() == line.rstrip():
                lines[n + 1], lines[n + 2] = f"{_level(levels, line[0] * 2)} {below}", ""
            elif (
                above
                and not above.startswith(("|", "- ", "* ", "#"))
                and len(line.strip()) + (3 if len(line.strip()) > 2 else 0) >= len(above)
            ):
                lines[n - 1] = f"{_level(levels, line[0])} {above}"
        elif line.rstrip().endswith("::"):
            mode, indent = "skip", depth
    return page


def _level(styles: list[str], style: str) -> str:
    if style not in styles:
        styles.append(style)
    return "#" * min(styles.index(style) + 1, 6)


def _list_table(line: str, row: list[str]) -> str:
    """One line of a list-table: its value stands behind the label that was in the cell before."""
    if match := re.match(r"^\s*\*\s+-\s*(.*)$", line):
        row[:] = [match[1].strip(" `*")]
        return ""
    if row and (match := re.match(r"^\s+-\s+(.*)$", line)):
        return f"- {row[0]}: {re.sub(r'^[*-] ', '', match[1])}"
    if row and (match := re.match(r"^\s+\*\s+(.*)$", line)):
        return f"- {row[0]}: {match[1]}"
    return "  " + line.strip() if row and line.strip() and not line.strip().startswith(":") else ""


def _roles(text: str) -> str:
    return _RST_ROLE.sub(lambda m: f"[{m[1].strip()}](<{(m[2] or m[1]).strip()}>)", text)


def _rst_links(page: Page, text: str) -> str:
    text = _RST_LINK.sub(r"[\1](\2)", _roles(text))
    return _RST_NAMED.sub(lambda m: _named(page, m), text)


def _named(page: Page, match: re.Match[str]) -> str:
    label = match[1] or match[2]
    target = page.targets.get(label.casefold())
    return f"[{label}]({target})" if target else match[0]
