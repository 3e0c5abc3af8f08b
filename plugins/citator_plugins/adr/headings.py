"""Headings: the sections of a record, and the records of a file that holds several."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from citator.api import is_status
from citator.expressions import expression
from citator_plugins.adr.labels import ROW, USUAL, labelled, meaning, name_of_label
from citator_plugins.adr.page import HEADING, Page, is_title

_ENTRY = expression(r"\[?(?:[A-Z]{2,8}[-\s]?)?#?\d{1,6}\b")
_STATUS_TITLE = expression(
    r"(?P<name>[^\W\d_][\w ]*?)\s*(?:\s[—–-]\s*(?P<value>.*)|\((?P<aside>.*)\)|"
    r"(?:/|,|&|\b(?:and|und|et|y|e)\b)\s*(?:date|history|changes|log|deciders|owners?|datum|fecha|data)|"
    r"of (?:this|the) (?:adr|record|decision|document))",
    re.I,
)
"""`Status - accepted`, `Status (accepted)`, `Status and date`."""


def headings(page: Page, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """(number of the line from 0, level, text) of each heading."""
    for heading in islice(page.headings, bisect_left(page.headings, (start,)), None):
        if heading[0] >= end:
            return
        yield heading


def entries(page: Page, start: int) -> Iterator[tuple[str, int, int]]:
    """(anchor, first line, line behind the last) of each record in a file that holds several, one under each numbered heading."""
    heads = list(headings(page, start, len(page.lines)))
    numbered = [head for head in heads if _ENTRY.match(head[2])]
    anchors: Counter[str] = Counter()
    for at, level, title in numbered:
        if level == numbered[0][1]:
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            anchors[anchor] += 1
            end = next((below for below, other, _ in heads if below > at and other <= level), len(page.lines))
            yield (f"{anchor}-{anchors[anchor] - 1}" if anchors[anchor] > 1 else anchor), at, end


def without_fields(lines: list[str]) -> Iterator[str]:
    """The lines of a record without its title and without the labels and tables of its header."""
    header, titled, in_field = True, False, False
    for line in lines:
        if header and (heading := HEADING.match(line)):
            if not titled and is_title(len(heading[1]), heading[2]):
                titled = True
                continue
            header = False
        in_field = header and bool(_is_field(line) or ROW.match(line) or (in_field and line.startswith("  ")))
        if not in_field:
            yield line


def _is_field(line: str) -> bool:
    match = labelled(line)
    return match is not None and (line.lstrip()[:1] in "-*+_" or meaning(name := name_of_label(match["label"])) or name in USUAL)


@lru_cache(maxsize=1024)
def section_name(title: str) -> tuple[str, str]:
    """The name of a section in lower case, and what its heading says behind a colon."""
    title = re.sub(r"^[\W_]+(?=\w)|(?<=[^\W_])(?:_|[^\w()[\]:：.!?。\"'”’])+$", "", re.sub(r"^\d+[.)]?\s+", "", title))
    name, _, value = (title + " ").replace("：", ": ").partition(": ")
    if not value and (parted := _STATUS_TITLE.fullmatch(title)) and is_status(parted["name"].lower()):
        name, value = parted["name"], parted["value"] or parted["aside"] or ""
    return name.strip(" :").lower(), value
