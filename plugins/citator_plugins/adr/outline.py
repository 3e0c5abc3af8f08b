"""The lines of one record -> its title, what it declares and where, in whichever of the usual forms it is written."""

import re
from bisect import bisect
from dataclasses import dataclass, field

from citator.api import Place, is_status, may_relate, may_replace
from citator.expressions import expression
from citator_plugins.adr.blocks import BULLET, begins, goes_on, hits, kind
from citator_plugins.adr.headings import headings, section_name
from citator_plugins.adr.labels import ROW, USUAL, is_note, labelled, meaning, name_of_label, relation_of
from citator_plugins.adr.mentions import mentions
from citator_plugins.adr.page import Page, is_section, is_title


@dataclass(frozen=True, slots=True)
class Said:
    """A declaration before it belongs to a path."""

    place: Place
    field: str
    text: str
    line: int


@dataclass(slots=True)
class Outline:
    """A record's title, the values of its labelled fields, and all that it declares."""

    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)

    @property
    def has_status(self) -> bool:
        """Whether it says anything of its own status."""
        return any(is_status(said.field) for said in self.said)


_NEXT_LABEL = expression(
    r"(?:\s*[|·•｜]\s*|\u3000+)(?=(?:\*\*|__)?[^\W\d_][\w ]{1,30}(?:\*\*|__)?\s*[:：])"
    r"|(?<![\s,;/])[\s,;/]++(?=\*\*[^\W\d_][\w ]{1,30}(?:\*\*\s*[:：]|[:：]\s*\*\*))"
    r"|(?:\s*[,;]\s*|\s{2,}|<br\s*/?>\s*)(?=(?:status|statut|estado|stato|статус|superseded by)\s*:)",
    re.I,
)
"""Where another field begins on the same line."""
_HEAD = 80
"""Characters at the beginning of an item in which its relation would stand."""

_QUOTE = expression(r"^\s*(?:>\s?)+")
_RULE = expression(r"(?=[^-]*-)[\s:|-]+$")
_BADGE = expression(r"\[?!\[([^\]]*)\]\([^)]*\)(?:\]\([^)]*\))?")
_SENTENCE_END = expression(r"(?<!\d)[.!?][\"'*_)\]]*\s+(?=[A-Z*_\[(`\"'>])|[。！？]")
_NAMES_FIRST = expression(r"[*_`\s]*(?:\[[^\]]*\]\((?!https?:)|[A-Z]{2,8}[-\s]?\d)")
"""How a list item begins that is about another record."""
_FAR = 40
"""Lines above an item in which the one that it lies below is looked for."""
_NO_TITLE = expression(r"(?:m?adrs?|(?:architectur(?:e|al) )?decision(?: record)?s?)", re.I)


def read_body(page: Page, start: int, end: int) -> Outline:
    """Reads a record from a stretch of a page: the header up to the first section, the status section, relations in the rest."""
    return _Body(page, start, end).found


class _Body:
    def __init__(self, page: Page, start: int, end: int) -> None:
        self.page, self.lines, self.found = page, page.lines, Outline()
        self.hits = hits(page.lines, start, end)
        heads = list(headings(page, start, end))
        first = next((n for n in range(start, end) if self.lines[n].strip()), end)
        if heads and is_title(heads[0][1], heads[0][2]) and (heads[0][1] == 1 or heads[0][0] == first):
            at, _, self.found.title = heads.pop(0)
            self._header(start, at)
            start = at + 1
        self._header(start, heads[0][0] if heads else end)
        if heads and self._second_header(heads):
            at, level, title = heads.pop(0)
            if level == 1 and _NO_TITLE.fullmatch(self.found.title):
                self.found.title = title
            self._header(at + 1, heads[0][0] if heads else end)
        self._sections(heads, [*(at for at, _, _ in heads[1:]), end])
        self.found.said += (Said(Place.LINK, "links", text, line) for text, line in mentions(page, start, end))

    def _second_header(self, heads: list[tuple[int, int, str]]) -> bool:
        """Whether the first section only goes on with the header: no status stands before it, and it begins with a field."""
        at, _, title = heads[0]
        if self.found.has_status or is_section(title) or any(is_status(section_name(name)[0]) for _, _, name in heads):
            return False
        line = next((line for line in self.lines[at + 1 : heads[1][0] if len(heads) > 1 else None] if line.strip()), "")
        return bool(ROW.match(line) or ((match := labelled(line)) and not is_note(match["label"])))

    def _say(self, place: Place, label: str, text: str, line: int) -> None:
        text = self.page.inline(text).strip()
        if label == "status" and (badge := _BADGE.fullmatch(text)):
            text = badge[1]
        if text:
            self.found.said.append(Said(place, label, text, line))

    def _header(self, n: int, end: int) -> None:
        """Fields, tables and notes."""
        while n < end:
            line = self.lines[n]
            if not line.strip():
                n += 1
            elif ROW.match(line):
                n = self._table(n, end, Place.HEADER)
            elif (match := labelled(line)) and not is_note(match["label"]):
                n = self._field(n, end, match, Place.HEADER)
            else:
                n = self._block(n, end, Place.NOTE, "")

    def _field(self, n: int, end: int, match: re.Match[str], place: Place) -> int:
        """A labelled value with the lines that go on with it; nested list items are values of their own."""
        label, text, first = name_of_label(match["label"]), match["value"], n + 1
        depth = len(self.lines[n]) - len(self.lines[n].lstrip())
        if not text.strip() and meaning(label) and not BULLET.match(self.lines[n]):
            depth = -1  # the list below is its value
        n += 1
        if not text.strip() and n + 1 < end and not self.lines[n].strip():
            if self._nested(n + 1, depth):
                n += 1
            elif depth >= 0 and self.lines[n + 1].startswith(" " * (depth + 2)) and not labelled(self.lines[n + 1]):
                text, first, n = self.lines[n + 1], n + 2, n + 2
        items: list[tuple[str, int]] = []
        while n < end and (line := self.lines[n]).strip():
            if bullet := self._nested(n, depth):
                items.append((line[bullet:], n + 1))
            elif BULLET.match(line) or labelled(line) or ROW.match(line):
                break
            elif items and line.startswith("  "):
                items[-1] = (f"{items[-1][0]}\n{line}", items[-1][1])
            elif not items and goes_on(text, line):
                text += "\n" + _QUOTE.sub("", line, count=1)
            else:
                break
            n += 1
        for value, at in ((text, first), *items):
            self._say_field(place, label, value, at)
        return n

    def _nested(self, n: int, depth: int) -> int:
        """Where the text of a deeper list item begins, 0 where the line is none or a status of its own."""
        bullet = BULLET.match(self.lines[n])
        if not bullet or len(bullet[1]) <= depth:
            return 0
        if match := labelled(self.lines[n]):
            name = name_of_label(match["label"])
            if is_status(name) or (depth < 0 and (meaning(name) or name in USUAL)):
                return 0
        return bullet.end()

    def _say_field(self, place: Place, label: str, text: str, line: int) -> None:
        """One field; several on a line, `Status: … | Date: …`, are parted."""
        text, *others = _NEXT_LABEL.split(text)
        self.found.fields.setdefault(label, " ".join(text.split()))
        if meaning(label) or label == "tags" or may_replace(text):
            self._say(place, "status" if is_status(label) else label, text, line)
        for other in others:
            if match := labelled(other):
                self._say_field(place, name_of_label(match["label"]), match["value"], line)

    def _table(self, n: int, end: int, place: Place) -> int:
        """A table of two columns, label and value, or one with the labels in its first row."""
        rows: list[tuple[list[str], int]] = []
        while n < end and (match := ROW.match(self.lines[n])):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", match[1].strip().removesuffix("|"))]
            if not _RULE.match(self.lines[n]) and any(cells):
                rows.append((cells, n + 1))
            n += 1
        names = [name_of_label(cell) for cell in rows[0][0]] if rows else []
        if len(rows) > 1 and sum(meaning(name) or name in USUAL for name in names) > 1:
            for cells, line in rows[1:]:
                for name, cell in zip(names, cells, strict=False):
                    self._say_field(place, name, cell, line)
            return n
        label = ""
        for cells, line in rows:
            label = name_of_label(cells[0]) or label
            value = next((cell for cell in cells[1:] if cell), "")
            if label and value:
                self._say_field(place, label, value, line)
        return n

    def _block(self, n: int, end: int, place: Place, label: str) -> int:
        """One paragraph or list item as a whole."""
        first = n + 1
        text = BULLET.sub("", _QUOTE.sub("", self.lines[n], count=1), count=1)
        if place in (Place.LINK, Place.SENTENCE) and self._about_another(n):
            text = f"… {text}"
        n += 1
        while n < end and self.lines[n].strip() and not begins(self.lines[n]):
            if place is Place.NOTE and (match := labelled(self.lines[n])) and not is_note(match["label"]):
                break
            text += "\n" + _QUOTE.sub("", self.lines[n], count=1)
            n += 1
        if place is Place.SENTENCE and not relation_of(self.lines[first - 1]):
            self._sentences(text, first)
        elif place is Place.SENTENCE:
            self._say(Place.LINK, "", text, first)
        elif place is not Place.LINK or may_relate(text[:_HEAD]) or "](" in text:
            self._say(place, label, text, first)
        return n

    def _about_another(self, n: int) -> bool:
        """Whether a list item lies below one that begins with another record, whose it is then."""
        item = BULLET.match(self.lines[n])
        for line in reversed(self.lines[max(0, n - _FAR) : n] if item and item[1] else []):
            if line.startswith("#"):
                break
            if item and (above := BULLET.match(line)) and len(above[1]) < len(item[1]):
                return _NAMES_FIRST.match(line, above.end()) is not None
        return False

    def _sentences(self, text: str, line: int) -> None:
        """Those sentences of a block that may speak of replacing; `…` stands for what comes before."""
        at = 0
        for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
            if may_replace(sentence := text[at:end]):
                self._say(Place.SENTENCE, "", f"… {sentence}" if at else sentence, line + text.count("\n", 0, at))
            at = end

    def _sections(self, heads: list[tuple[int, int, str]], ends: list[int]) -> None:
        """The first status section, sections named like a field, and the others."""
        status_end = 0
        seen = False
        for n, (at, level, title) in enumerate(heads):
            if at < status_end:
                continue
            name, value = section_name(title)
            if is_status(name) and not seen and not (self.found.has_status and any(other < level for _, other, _ in heads[:n])):
                seen = True
                status_end = next(
                    (end for end, (_, deeper, _) in zip(ends[n:], heads[n + 1 :], strict=False) if deeper <= level), ends[-1]
                )
                self._say(Place.SECTION, "status", value, at + 1)
                self._status(at + 1, status_end)
            elif (place := kind(name)) is Place.HEADER:
                self._header(at + 1, ends[n])
            else:
                self._items(at + 1, ends[n], place, name if place is Place.SECTION else "")

    def _status(self, n: int, end: int) -> None:
        """Each line of the status section is a status of its own, or a field."""
        while n < end:
            line = self.lines[n]
            if not line.strip() or _RULE.match(line):
                n += 1
            elif ROW.match(line):
                n = self._table(n, end, Place.SECTION)
            elif (match := labelled(line)) and meaning(name_of_label(match["label"])):
                n = self._field(n, end, match, Place.SECTION)
            else:
                text, first = BULLET.sub("", _QUOTE.sub("", line, count=1).lstrip("# "), count=1), n + 1
                n += 1
                while (
                    n < end
                    and (line := self.lines[n]).strip()
                    and goes_on(text, line)
                    and not (BULLET.match(line) or labelled(line))
                ):
                    text += "\n" + _QUOTE.sub("", line, count=1)
                    n += 1
                self._say(Place.SECTION, "status", text, first)

    def _items(self, start: int, end: int, place: Place, label: str) -> None:
        """The paragraphs and list items of a section; without a label, and not among links, only what may speak of replacing."""
        every = label or place is Place.LINK
        done = start
        for hit in range(start, end) if every else self.hits[bisect(self.hits, start - 1) : bisect(self.hits, end - 1)]:
            if hit < done or not self.lines[hit].strip():
                continue
            first = hit
            labelled = relation_of(self.lines[hit])
            # The lines around a labelled relation tell which record an ambiguous number in it means.
            while first > done and self.lines[first - 1].strip() and (labelled or not begins(self.lines[first])):
                first -= 1
            while done <= hit:
                done = self._block(max(first, done), end, place, label)
