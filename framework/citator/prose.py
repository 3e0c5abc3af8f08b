"""Raw text -> plain text without markup, its clauses, and the references in it. Part of the status rule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from citator.expressions import expression

_DATE = expression(
    r"\b\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?![-\w])|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?![-\w])|\d{4}年\d{1,2}月(?:\d{1,2}日)?|"
    r"(?:\b\d{1,2}(?:st|nd|rd|th)? )?\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? "
    r"(?:\d{1,2}(?:st|nd|rd|th)?,? )?\d{4}\b",
    re.I,
)
_COMMENT = expression(r"<!--.*?(?:-->|\Z)", re.S)
_STRUCK = expression(r"~~.+?~~|<(del|s|strike)>.*?</\1>", re.S | re.I)
_IMAGE = expression(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = expression(
    r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>\n]*)>|([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
_WIKI = expression(r"\[\[([^\[\]|]+)(?:\|([^\[\]]+))?\]\]")
_URL = expression(r"<?(https?://[^\s<>()\"'|]+(?:\([^\s<>()]*\)[^\s<>()\"'|]*)*)>?")
_PLACEHOLDER = expression(r"<[A-Za-z][^<>\n]{0,60}>")
_TAG = expression(r"</?(?:a|abbr|b|big|br|code|div|em|font|i|kbd|li|mark|p|small|span|strong|sub|sup|u|ul)\b[^<>]*>", re.I)
_EMPHASIS = expression(r"\*+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|`+")
_EMOJI = expression(r"[\u2190-\u2191\u2193-\u2bff\u3030\u303d\U0001f000-\U0001faff\ufe0e\ufe0f\u200b-\u200f\u2060\ufeff]")
_ASIDE = expression(r"[(（]([^()（）]*)[)）]")


@dataclass(frozen=True, slots=True)
class Reference:
    """Another record as a text names it: by a link's label and target, or in words; `sure` unless it may be mere words."""

    text: str
    target: str = ""
    sure: bool = True


@dataclass(slots=True)
class Marked:
    r"""What was taken out of a plain text: `\x01n\x01` stands for a link, `\x02n\x02` for a bracketed aside.

    `\x03` stands for a placeholder (`<name>`), `\x04` for a date.
    """

    links: list[Reference] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a plain text up to the next stop; `start` is its offset, `aside` whether it stood in brackets."""

    text: str
    start: int
    aside: bool
    sentence: str


def plain(text: str) -> tuple[str, Marked]:
    """The text without comments, struck words, emphasis and emoji; line ends stay where they are."""
    marked = Marked()

    def link(label: str, target: str, whole: str) -> str:
        marked.links.append(Reference(" ".join(_EMPHASIS.sub("", label).split()), target))
        return f"\x01{len(marked.links) - 1}\x01" + "\n" * whole.count("\n")

    def aside(match: re.Match[str]) -> str:
        marked.asides.append(match[1])
        return f" \x02{len(marked.asides) - 1}\x02 " + "\n" * match[0].count("\n")

    text = re.sub(r"[^\S\n]+", " ", re.sub("[\x00-\x04]", "", text))
    if "<" in text or "~~" in text:
        text = _COMMENT.sub(_lines, text)
        text = _STRUCK.sub(_lines, text)
    if "[" in text:
        text = _IMAGE.sub(_lines, text)
        text = _LINK.sub(lambda m: link(m[1], m[2] or m[3] or "", m[0]), text)
        text = _WIKI.sub(lambda m: link(m[2] or m[1], m[1], m[0]), text)
    if "://" in text:
        text = _URL.sub(lambda m: link(m[1], m[1].rstrip(".,;:"), m[0]), text)
    if "<" in text:
        text = _PLACEHOLDER.sub("\x03", _TAG.sub(" ", text))
    text = re.sub(r"\s*(?:→|⇒|➜|➡|=>)\s*", " -> ", text)
    text = _EMOJI.sub("", _EMPHASIS.sub("", text)).replace("\\", "")
    text = _DATE.sub("\x04", text)
    for _ in range(4):
        text, count = _ASIDE.subn(aside, text)
        if not count:
            break
    return text, marked


def _lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


_SENTENCE_END = expression(r"(?<=[.!?])(?<![Nn][or]\.)\s+(?=\S)|(?<=[。！？])|\n[^\S\n]*\n")
_CLAUSE_END = expression(r"\s*[;；]\s*|\s+[—–]\s*|\s*—\s+|\s+-{1,2}\s+(?!\s*>)")


def clauses(text: str, marked: Marked) -> Iterator[Clause]:
    """The clauses of a plain text in its order, each followed by those of its asides."""
    for start, sentence in _pieces(text, _SENTENCE_END, 0):
        for begin, clause in _pieces(sentence, _CLAUSE_END, start):
            if clause.strip():
                yield Clause(clause, begin, False, sentence)
                if "\x02" in clause:
                    yield from _asides(clause, begin, marked, sentence)


def _asides(clause: str, start: int, marked: Marked, sentence: str) -> Iterator[Clause]:
    for match in re.finditer(r"\x02(\d+)\x02", clause):
        for _, inner in _pieces(marked.asides[int(match[1])], _CLAUSE_END, 0):
            yield Clause(inner, start + match.start(), True, sentence)
            yield from _asides(inner, start + match.start(), marked, sentence)


def _pieces(text: str, end: re.Pattern[str], offset: int) -> Iterator[tuple[int, str]]:
    at = 0
    for match in end.finditer(text):
        yield offset + at, text[at : match.start()]
        at = match.end()
    yield offset + at, text[at:]


_ARTICLES = expression(
    r"(?:[\s:>*\"'“„«]|\b(?:the|our|its|their|previous|former|old|older|earlier|new|newer|following|both|either|each|la|le|les|el|los|las|il|lo|o|a|"
    r"die|der|das|de|het)\b|\bl['’])*+",
    re.I,
)
_KIND = expression(
    r"(?:(?:adrs?|madrs?|decisions?|records?|documents?|no|nr|number|entscheidung|décision|decisión|решени\w+)\b\.?[\s:#]+)+",
    re.I,
)
_WITHIN = expression(r"\b(?:M?ADR[-\s#]*\d{1,6}|[A-Z]{2,8}-\d{1,6})(?![\w%])")
"""What is a record's name wherever it stands."""
_LINKED = expression(r"\x01(\d+)\x01")
_FILE = expression(r"\w[\w.-]*\.(?:md|mdx|markdown|adoc|asciidoc|rst)\b")
_ID = expression(
    r"(?:(?:[A-Z][\w.]*\s){0,2}[A-Z][A-Za-z]*\s?)?#?(?:[A-Za-z][A-Za-z0-9]*[-_]){0,6}\d+[A-Za-z]?(?![\w%])(?:[-_.][A-Za-z0-9]+)*"
)
_AND = expression(
    r"(?:\s*\x02\d+\x02)*\s*(?:,\s*(?:(?:and|und|et|y)\b|&)?|\b(?:and|und|et|y|e|as\s+well\s+as|plus)\b|[&+/、，和及と])\s*", re.I
)
_OF_A_PART = expression(
    r"\s*['’](?:s\b|\s)|(?:(?! - )[^\x01,;.—–]){0,40}?"
    r"(?:§|\b(?:sections?|rules?|clauses?|rows?|parts?|paragraphs?|only|partially|partly|in\s+part)\b)"
    r"|\s*(?:(?:decisions?|points?|items?|D)[\s#]*\d|中(?=[的「])|の(?:一部|うち))",
    re.I,
)
_ONLY = expression(r"\bonly\b|\bin\s+part\b|\bpart(?:ly|ial|ially)\b|^\s*(?:§|sections?\b)", re.I)
_ASIDE_MARK = expression(r"\s*\x02(\d+)\x02")
_ITEM_END = expression(r"[,;、；\n]|\s+(?:and|und|et|y|&)\s+(?=\x01|#?\w*[-\s#]?\d|ADR)")


def listed(text: str, marked: Marked, whole_value: bool = False) -> tuple[tuple[Reference, ...], bool]:
    """The references that a text begins with, joined by commas and "and", and whether only a part of one is meant.

    `whole_value` takes any words for the name of a record where nothing better is there.
    """
    found: list[Reference] = []
    part, at = False, 0
    while named := _named(text, at, marked):
        reference, end = named
        found.append(reference)
        aside = _ASIDE_MARK.match(text, end)
        part = part or bool(_OF_A_PART.match(text, end)) or bool(aside and _ONLY.search(marked.asides[int(aside[1])]))
        joined = _AND.match(text, end)
        if not joined:
            break
        at = joined.end()
    if not found and whole_value:
        beside = "".join(marked.asides[int(match[1])] for match in _ASIDE_MARK.finditer(text))
        if match := _LINKED.search(text) or _LINKED.search(beside):
            found.append(marked.links[int(match[1])])
        elif match := _WITHIN.search(text) or _WITHIN.search(beside):
            found.append(Reference(match[0]))
        elif words := re.sub(r"\x02\d+\x02|\x04", "", text).strip(" \t\n.,:;\"'"):
            found.append(Reference(" ".join(words.split()), sure=False))
    return tuple(found), part


def is_id(text: str) -> bool:
    """Whether a text is a record's name wherever it stands, as ADR-4 is."""
    return _WITHIN.fullmatch(text) is not None


def _named(text: str, at: int, marked: Marked) -> tuple[Reference, int] | None:
    articles = _ARTICLES.match(text, at)
    start = begin = articles.end() if articles else at
    if kind := _KIND.match(text, begin):
        begin = kind.end()
    if match := _LINKED.match(text, begin):
        return marked.links[int(match[1])], match.end()
    match = _FILE.match(text, begin) or _ID.match(text, begin)
    if match:
        return Reference(text[start : match.end()], sure=not text[start : match.end()].startswith("#")), match.end()
    return None


def values(text: str) -> Iterator[tuple[int, str]]:
    """The items of a field's plain text with their offsets: split at commas, semicolons and line ends, lists of YAML too."""
    inner = re.fullmatch(r"\s*\[(.*)\]\s*", text, re.S)
    for at, item in _pieces(inner[1] if inner else text, _ITEM_END, inner.start(1) if inner else 0):
        stripped = item.strip().strip("\"'").strip()
        if stripped:
            yield at + item.index(stripped[0]), stripped
