"""A record's file -> the text that is embedded, and its gist in one sentence."""

import re
from itertools import takewhile

from citator.api import clean, cut
from citator.expressions import expression
from citator_plugins.adr.headings import entries, without_fields
from citator_plugins.adr.lines import page_of
from citator_plugins.adr.page import is_title

_GIST_BYTES = 200
_LINK = expression(r"!?\[([^\[\]]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_MARKUP = expression(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|`+|<[^<>\n]{1,200}>")
_LINE_MARK = expression(r"^\s*(?:>\s*)*(?:#{1,6}\s+)?")
_RULE = expression(r"^[\s|:+=~^*_-]*$")
_HEADING = expression(r"^ {0,3}(#{1,6})\s+(.*)$")
_TELLING = (
    expression(
        r"(?:\d+[.)]?\s*)?(?:the\s+)?(?:decision|outcome|entscheidung|décision|decisión|decisão|決定|决策|决定|resolution)", re.I
    ),
    expression(
        r"(?:\d+[.)]?\s*)?(?:abstract|summary|what|tl;dr|context|introduction|problem|kontext|contexte|contexto|背景|概要)", re.I
    ),
)
_ITEM = expression(r"(\s*(?:[-*+•]|\d{1,3}[.)]))\s+")
_BULLETS = ("-", "*", "+", "•")
_MOST_ITEMS = 3
_EMPTY = expression(r"\W*(?:tb[dca]|n/?a|todo|none|to be (?:defined|determined|decided|done)|\d{1,3}|[a-z])?\W*", re.I)
"""What stands where a sentence should: a number, a placeholder, nothing."""
_WORD = expression(r"[\w/-]+(?: [\w/-]+)?", re.ASCII)
"""A word or two without an end: a label rather than a sentence."""
_SENTENCE = expression(r".+?(?:[.!?](?=\s|$)|[。！？])")
_FRONT_GIST = expression(r"^(?:description|summary|abstract):[ \t]*(?![>|][+-]?[ \t]*$)(\S.*)$", re.I | re.M)


def readable(path: str, text: str, anchor: str = "") -> tuple[str, str]:
    """(text without front matter, title, fields, code and markup; the first sentence of the decision or of its context).

    `path` tells the markup, `anchor` one record of several in the file.
    """
    page, start = page_of(path, text)
    end = len(page.lines)
    front = _FRONT_GIST.search("\n".join(page.lines[:start]))
    if anchor:
        start, end = next(((at, to) for name, at, to in entries(page, start) if name == anchor), (start, end))
    lines = page.lines[start:end]
    gist = front[1].strip("\"' ") if front else _gist(lines)
    body = "\n".join(_plain(line) for line in without_fields(lines))
    return re.sub(r"\n{3,}", "\n\n", body).strip(), cut(clean(gist), _GIST_BYTES)


def _plain(line: str) -> str:
    if _RULE.match(line):
        return ""
    line = _MARKUP.sub("", _LINK.sub(r"\1", _LINE_MARK.sub("", line)))
    return (
        " · ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
        if line.lstrip().startswith("|")
        else line.rstrip()
    )


def _gist(lines: list[str]) -> str:
    """The first sentence below the first heading that tells the decision, or else what it is about."""
    found = [(n, len(match[1]), match[2]) for n, line in enumerate(lines) if (match := _HEADING.match(line))]
    headings = [(n, text) for n, level, text in found[bool(found) and found[0][1] == 1 and is_title(*found[0][1:]) :]]
    for telling in _TELLING:
        for n, heading in headings:
            if telling.match(_plain(heading)):
                if sentence := _first_sentence(lines[n + 1 :]):
                    return sentence
                break
    return ""


def _first_sentence(lines: list[str]) -> str:
    """The first sentence that says something, and the first items of the list that it leads to."""
    blocks = _blocks(lines)
    word = ""
    for n, (mark, text) in enumerate(blocks):
        sentence = "" if mark.strip()[:1] in _BULLETS else _telling_sentence(text)
        if sentence.endswith((":", "：")):
            return f"{sentence} {'; '.join(_items(blocks[n + 1 :]))}".strip()
        if _WORD.fullmatch(sentence):
            word = word or sentence
        elif sentence:
            return sentence
    return word


def _blocks(lines: list[str]) -> list[tuple[str, str]]:
    """The paragraphs and list items up to the next heading, each with its mark, which for a paragraph is empty."""
    found: list[tuple[str, str]] = []
    goes_on = False
    for line in lines:
        if _HEADING.match(line):
            break
        if not line.strip() or line.lstrip().startswith(("|", ">")):
            goes_on = False
        elif item := _ITEM.match(line):
            found.append((item[1], line[item.end() :].strip()))
            goes_on = True
        elif goes_on:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append(("", line.strip()))
            goes_on = True
    return found


def _items(blocks: list[tuple[str, str]]) -> list[str]:
    """The sentences of a list's first items, without those below an item."""
    items = list(takewhile(lambda block: block[0], blocks))
    depth = len(items[0][0]) - len(items[0][0].lstrip()) if items else 0
    told = (_telling_sentence(text) for mark, text in items if len(mark) - len(mark.lstrip()) <= depth)
    return [sentence.rstrip(".:;,") for sentence in told if sentence][:_MOST_ITEMS]


def _telling_sentence(text: str) -> str:
    """The first sentence of a block that is more than a number or a placeholder; nothing where there is none."""
    plain = _plain(text)
    rest = _SENTENCE.sub("", plain).strip()
    return next((said for said in (*_SENTENCE.findall(plain), rest) if not _EMPTY.fullmatch(said)), "").strip()
