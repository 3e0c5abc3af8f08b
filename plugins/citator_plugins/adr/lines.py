"""Markdown, reStructuredText and AsciiDoc -> lines of one plain form of Markdown, each on the number it had."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from citator.api import is_status


@dataclass(slots=True)
class Page:
    """The lines of a document in one form: `#` headings, `>` notes, `- label: value`, `|` tables; code and comments are blank.

    `targets` are the addresses of reference-style links, `labels` what other documents may call this one.
    """

    lines: list[str]
    targets: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    links: Callable[["Page", str], str] = lambda _, text: text

    def inline(self, text: str) -> str:
        """The text with its links in Markdown's inline form."""
        return self.links(self, text)


_REFERENCE = re.compile(r"(?<!!)\[([^\[\]]+)\](?:\[([^\[\]]*)\])?(?![\[(:])")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]^]+)\]:\s*<?(\S+?)>?(?:\s+[\"'(].*)?\s*$")
_SECTION = re.compile(
    r"(?:context|decision|consequences|considered|summary|abstract|introduction|overview|problem|background|motivation|kontext|"
    r"contexte|contexto)\b",
    re.I,
)
_FENCE = re.compile(r"^\s*(?:>\s*)*(`{3,}|~{3,})")
_SETEXT = re.compile(r"^ {0,3}(=+|-{2,})\s*$")
_LONG, _LONGEST = 1_000, 50_000
"""Characters from which a line is squeezed, and at which it is cut."""

_SPECIAL = frozenset("=- \t[<`~>*")
_SHORT = 12
_BOLD_NAME = re.compile(r"\*\*([^*:]{2,60}):?\*\*:?\s*$")
_OPEN_RULE = re.compile(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+$")
_CELL = re.compile(r"<t[dh][^<>]*>(.*?)</t[dh]>", re.I)
_HTML_HEADING = re.compile(r"^\s*<h([1-6])[^>]*>(.*?)</h\1>\s*$", re.I)


def is_section(title: str) -> bool:
    """Whether a heading is that of a usual section rather than a title."""
    return is_status(title.lower()) or bool(_SECTION.match(title))


def markdown(lines: list[str], start: int = 0) -> Page:
    """A page of Markdown; the first `start` lines are front matter and left alone."""
    page = Page(lines, links=_markdown_links)
    fence = ""
    comment = False
    for n in range(start, len(lines)):
        line = lines[n]
        if not comment and not fence and line[:1] not in _SPECIAL and len(line) > _SHORT and "<!--" not in line:
            continue  # plain text, as most lines are
        if comment or "<!--" in line:
            comment = _hide_comments(lines, n, comment)
            line = lines[n]
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            lines[n] = ""
        elif match := _FENCE.match(line):
            fence, lines[n] = match[1], ""
        elif line.startswith("    ") and (n == start or not lines[n - 1].strip()) and not _in_list(lines, n):
            lines[n] = ""
        elif match := _SETEXT.match(line):
            above = lines[n - 1] if n > start else ""
            if above.strip() and not re.match(r"\s*(?:[-*+>|#]|\d+[.)])\s*", above):
                lines[n - 1], lines[n] = f"{'#' if match[1][0] == '=' else '##'} {above.strip()}", ""
        elif match := _HTML_HEADING.match(line):
            lines[n] = f"{'#' * int(match[1])} {match[2]}"
        elif cells := _CELL.findall(line):
            lines[n] = f"| {' | '.join(cells)} |"
        elif _OPEN_RULE.match(line):
            _close_table(lines, n, start)
        elif line.lstrip().startswith("[") and (match := _DEFINITION.match(line)):
            page.targets[match[1].casefold()], lines[n] = match[2], ""
        elif (n == start or not lines[n - 1].strip()) and (name := _named_section(line)):
            lines[n] = f"###### {name}"
    return page


def _named_section(line: str) -> str:
    """The name of a section that stands alone in a line, plain or bold, in place of a heading."""
    name = _BOLD_NAME.sub(r"\1", line).strip(" :")
    return name if is_status(name.lower()) or _SECTION.fullmatch(name) else ""


def _close_table(lines: list[str], n: int, start: int) -> None:
    """Gives the rows of a table their leading `|`, around its ruled line."""
    first = n - 1 if n > start and "|" in lines[n - 1] else n
    while first < len(lines) and "|" in lines[first]:
        lines[first] = f"|{lines[first]}"
        first += 1


def _markdown_links(page: Page, text: str) -> str:
    return _REFERENCE.sub(lambda match: _linked(page, match), text) if page.targets and "[" in text else text


def _linked(page: Page, match: re.Match[str]) -> str:
    target = page.targets.get((match[2] or match[1]).casefold())
    return f"[{match[1]}]({target})" if target else match[0]


def _in_list(lines: list[str], n: int) -> bool:
    above = next((line for line in reversed(lines[max(0, n - 12) : n]) if line.strip()), "")
    return bool(re.match(r"\s*(?:[-*+]|\d+[.)])\s", above)) or above.startswith("  ")


def _hide_comments(lines: list[str], n: int, inside: bool) -> bool:
    """Takes the comments out of a line; True where one goes on. One within text must end in its paragraph, else it is text."""
    line, kept = lines[n], ""
    while line:
        if inside:
            _, closed, line = line.partition("-->")
            inside = not closed
        else:
            before, opened, line = line.partition("<!--")
            kept += before
            if opened and (kept + line).strip() != line.strip() and "-->" not in line and not _closed_below(lines, n):
                kept += opened
            else:
                inside = bool(opened)
    lines[n] = kept
    return inside


def _closed_below(lines: list[str], n: int) -> bool:
    for line in lines[n + 1 :]:
        if "-->" in line or not line.strip():
            return "-->" in line
    return False


_RST_LINE = re.compile(r"^([=\-`:.'\"~^_*+#<>])\1*\s*$")
_RST_LABEL = re.compile(r"^\.\.\s+_`?([^:`]+)`?:\s*(\S.*)?$")
_RST_DIRECTIVE = re.compile(r"^(\s*)\.\.\s+([\w-]+)::\s*(.*)$")
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
_RST_FIELD = re.compile(r"^:([A-Za-z][\w -]{0,38}):\s+(.*)$")
_RST_ROLE = re.compile(r":(?:ref|doc|pep|rfc|numref|any|std:ref|std:doc):`([^`<]+?)(?:\s*<([^`>]+)>)?`")
_RST_LINK = re.compile(r"`([^`<]+?)\s*<([^`>]+)>`__?")
_RST_NAMED = re.compile(r"`([^`]+)`_(?!\w)|(?<![\w`])([A-Za-z0-9][\w.-]*)_(?![\w`])")


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
            lines[n] = ""
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


_ADOC_BLOCK = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})(?:(?<=`)\s*\w+)?\s*$")
_ADOC_BOX = re.compile(r"^(?:NOTE|WARNING|IMPORTANT|CAUTION|TIP):\s+(.*)$")
_ADOC_LINK = re.compile(
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
    mark = lines[first].strip()
    if mark not in ("---", "+++"):
        return 0
    return next((n + 1 for n in range(first + 1, min(len(lines), 400)) if lines[n].strip() in (mark, "...")), 0)
