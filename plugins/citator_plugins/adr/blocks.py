"""The blocks of a record's lines: where one begins and goes on, and what a section makes of those in it."""

import re
from functools import lru_cache

from citator.api import Place, Relation, field_meaning, replacing_stems
from citator.expressions import expression
from citator_plugins.adr.labels import ROW, relation_of

BULLET = expression(r"^(\s*)(?:[-*+•]|\d+[.)])\s+")
_OPEN = expression(r"(?:[,;:(\[&/]|\b(?:and|or|by|with|to|of|the|und|durch|et|par|y|por))\s*$")
_GOES_ON = expression(r"\s*(?:[a-zà-ÿ(,;.]|\[)")
_LINKS = expression(
    r"link|relat|reference|see also|more information|supersed|history|lien|verweis|siehe|enlace|関連|相关|参考", re.I
)
_META = expression(
    r"meta ?data|meta|header|info(?:rmation)?|document info(?:rmation)?|adr info(?:rmation)?|details|overview", re.I
)


def begins(line: str) -> bool:
    """Whether a line begins a block of its own without a blank line above."""
    return bool(BULLET.match(line) or ROW.match(line) or relation_of(line))


@lru_cache(maxsize=1024)
def kind(section: str) -> Place:
    """What the items of a section are: values of the relation it is named by, a second header, links, or mere sentences."""
    if field_meaning(section)[0] in (Relation.ENDS, Relation.ENDED_BY, Relation.CHANGED_BY):
        return Place.SECTION
    if _META.fullmatch(section):
        return Place.HEADER
    return Place.LINK if _LINKS.search(section) else Place.SENTENCE


def hits(lines: list[str], start: int, end: int) -> list[int]:
    """The numbers of the lines that hold a word of replacing, in order: found in the text as a whole, which is much faster."""
    text = "\n".join(lines[start:end]).lower()
    found: set[int] = set()
    for stem in replacing_stems(text):
        line, counted, at = start, 0, text.find(stem)
        while at >= 0:
            line += text.count("\n", counted, at)
            found.add(line)
            counted, at = at, text.find(stem, at + 1)
    return sorted(found)


def goes_on(text: str, line: str) -> bool:
    """Whether a line is the rest of a value that was wrapped."""
    if not text.strip():
        return False
    if _OPEN.search(text[-40:]) or text.count("[") > text.count("]") or text.count("(") > text.count(")"):
        return True
    return bool(_GOES_ON.match(line)) and text.rstrip()[-1] not in ".!?"
