"""Markdown -> a page."""

import re

from citator.expressions import expression
from citator_plugins.adr.html import Tables, badge, heading
from citator_plugins.adr.page import Page, is_section_name

_REFERENCE = expression(r"(?<!!)\[([^\[\]]+)\](?:\[([^\[\]]*)\])?(?![\[(:])")
_DEFINITION = expression(r"^ {0,3}\[([^\[\]^]+)\]:\s*<?(\S+?)>?(?:\s+[\"'(].*)?\s*$")
_FENCE = expression(r"^\s*(?:>\s*)*(`{3,}|~{3,})")
_SETEXT = expression(r"^ {0,3}(=+|-{2,})\s*$")
_SPECIAL = frozenset("=- \t[<`~>*:!")
_STARTS = ("=", "-", ":", "<", "[", "*", "!")
_SHORT = 12
_BOLD_NAME = expression(r"\*\*([^*:]{2,60}):?\*\*:?\s*$")
_OPEN_RULE = expression(r"\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+$")
_TERM = expression(r"[^\W\d_][\w ]{1,30}$")


def markdown(lines: list[str], start: int = 0) -> Page:
    """A page of Markdown; the first `start` lines are front matter and left alone."""
    page = Page(lines, links=_markdown_links)
    fence = ""
    comment = False
    tables = Tables()
    for n in range(start, len(lines)):
        line = lines[n]
        if (
            not (comment or fence or tables.inside)
            and "<!--" not in line
            and (not line or (line[0] not in _SPECIAL and len(line) > _SHORT))
        ):
            continue  # plain text, as most lines are
        if comment or "<!--" in line:
            comment = _hide_comments(lines, n, comment)
            line = lines[n]
        stripped = line.strip()
        if fence:
            if stripped.startswith(fence) and not stripped.strip(fence[0]):
                fence = ""
            lines[n] = ""
        elif stripped.startswith(("`", "~", ">")) and (match := _FENCE.match(line)):
            fence, lines[n] = match[1], ""
        elif tables.inside and (stripped.startswith("#") or (not stripped and not _html_goes_on(lines, n))):
            tables.close()
        elif tables.inside or (stripped.startswith("<") and tables.opens(line)):
            tables.feed(lines, n)
        elif line.startswith("    ") and (n == start or not lines[n - 1].strip()) and not _in_list(lines, n):
            lines[n] = ""
        elif stripped[:1] in _STARTS:
            _normalize(page, n, start, stripped)
        elif len(stripped) <= _SHORT and (n == start or not lines[n - 1].strip()) and is_section_name(stripped.strip(" :")):
            lines[n] = f"###### {stripped.strip(' :')}"
    return page


def _html_goes_on(lines: list[str], n: int) -> bool:
    """Whether HTML stands below a blank line, which would end it otherwise."""
    below = next((line for line in lines[n + 1 : n + 4] if line.strip()), "")
    return below.lstrip().startswith("<")


def _close_table(lines: list[str], n: int, start: int) -> None:
    """Gives the rows of a table their leading `|`, around its ruled line."""
    first = n - 1 if n > start and "|" in lines[n - 1] else n
    while first < len(lines) and "|" in lines[first]:
        lines[first] = f"|{lines[first]}"
        first += 1


def _normalize(page: Page, n: int, start: int, stripped: str) -> None:
    """Brings one line to the plain form, by what it begins with."""
    lines, line = page.lines, page.lines[n]
    if stripped[0] in "=-:":
        if match := _SETEXT.match(line):
            above = lines[n - 1] if n > start else ""
            if above.strip() and not re.match(r"\s*(?:[-*+>|#]|\d+[.)])\s*", above):
                lines[n - 1], lines[n] = f"{'#' if match[1][0] == '=' else '##'} {above.strip()}", ""
        elif _OPEN_RULE.match(line):
            _close_table(lines, n, start)
        elif stripped.startswith(": ") and n > start and _TERM.match(lines[n - 1].strip("#* ")):
            lines[n - 1], lines[n] = "", f"- {lines[n - 1].strip('#* ')}: {stripped[2:]}"
    elif shown := "/badge/" in stripped and badge(stripped):
        lines[n] = shown
    elif stripped[0] == "<":
        lines[n] = heading(line)
    elif stripped[0] == "[":
        if match := _DEFINITION.match(line):
            page.targets[match[1].casefold()], lines[n] = match[2], ""
    elif (
        (match := _BOLD_NAME.match(stripped))
        and (n == start or not lines[n - 1].strip())
        and is_section_name(match[1].strip(" :"))
    ):
        lines[n] = f"###### {match[1].strip(' :')}"


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
