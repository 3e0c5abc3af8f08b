"""The text of one record -> its title, what it declares and where, in whichever of the usual forms it is written."""

import re
from bisect import bisect
from dataclasses import dataclass, field

from citator.api import RELATION_STEMS, Place, Relation, field_meaning, is_status, may_replace
from citator_plugins.adr.lines import Page, adoc_links, asciidoc, markdown, restructured, rst_links


@dataclass(frozen=True, slots=True)
class Said:
    """A declaration before it belongs to a path."""

    place: Place
    field: str
    text: str
    line: int


@dataclass(slots=True)
class Outline:
    """What the head and body of one record hold; `lines` are its normalized lines, `start` the first below the front matter."""

    title: str = ""
    front: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*(?:\{#[\w-]+\})?\s*$")
_LABELLED = re.compile(
    r"^\s*(?:>\s*)*(?:[-*+•]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s*)?(?:\*{1,3}|_{1,3}|`)?(?P<label>[^\W\d_][\w '’/-]{0,38}?)\s*(?:\*{1,3}|_{1,3}|`)?\s*"
    r"(?::(?=[\s*_\[<`\"'\d{]|$)|(?<=tatus):(?=[A-Z])|：)\s*(?:\*{1,3}|_{1,3})?\s*(?P<value>.*)$"
)
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|\d+[.)])\s+")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_ROW = re.compile(r"^\s*\|(.*?)\|?\s*$")
_SENTENCE_END = re.compile(r"(?<!\d)[.!?][\"'*_)\]]*\s+(?=[A-Z*_\[(`\"'>])|[。！？]")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_LINKS = re.compile(
    r"link|relat|reference|see also|more information|supersed|history|lien|verweis|siehe|enlace|関連|相关|参考", re.I
)
_META = re.compile(
    r"(?:meta(?: ?data)?|header|info(?:rmation)?|document info(?:rmation)?|details|summary table|adr info(?:rmation)?|overview)",
    re.I,
)
_KNOWN = frozenset(
    "date title tags id slug authors author deciders type created updated category scope tickets project number adr version owner owners area".split()
)
_BOXES = frozenset("note warning update attention important caution tip".split())


def outline(path: str, text: str) -> Outline:
    """Reads one record; `path` tells the markup."""
    lines = text.split("\n")
    found = Outline()
    name = path.lower()
    start = 0
    if name.endswith(".rst"):
        page = restructured(lines)
    elif name.endswith((".adoc", ".asciidoc")):
        page = asciidoc(lines)
    else:
        start = _front_matter(lines, found)
        page = markdown(lines, start)
    found.labels += page.labels
    _Body(page, found, name).read(start)
    return found


# -- front matter ----------------------------------------------------------------------------------------------------------------------

_KEY = re.compile(r"^([\"']?)([A-Za-z\u00c0-\uffff][\w .-]{0,60}?)\1\s*[:=](?:\s+(.*)|)$")


def _front_matter(lines: list[str], found: Outline) -> int:
    """Reads the front matter line by line, since much of it is no valid YAML; gives the number of its lines."""
    first = next((n for n, line in enumerate(lines[:3]) if line.strip()), 0)
    mark = lines[first].strip()
    if mark not in ("---", "+++"):
        return 0
    end = next((n for n in range(first + 1, min(len(lines), 400)) if lines[n].strip() in (mark, "...")), 0)
    if not end:
        return 0
    key, at = "", 0
    collected: list[tuple[str, int]] = []

    def close() -> None:
        if not key:
            return
        found.front.setdefault(key, " ".join(value for value, _ in collected))
        for value, line in collected:
            if value:
                found.said.append(Said(Place.FRONT_MATTER, key, value, line))

    for n in range(first + 1, end):
        line = lines[n]
        if match := _KEY.match(line):
            close()
            key, at = re.sub(r"[_-]", " ", match[2].lower()), n + 1
            value = _scalar(match[3] or "")
            collected = [(value, at)] if value and value not in (">", "|", ">-", "|-", ">+", "|+") else []
        elif key and (match := re.match(r"^\s*-\s+(.*)$", line)):
            collected.append((_scalar(match[1]), at))
        elif key and line.startswith((" ", "\t")) and line.strip():
            if collected:
                collected[-1] = (f"{collected[-1][0]} {_scalar(line)}", collected[-1][1])
            else:
                collected.append((_scalar(line), n + 1))
    close()
    return end + 1


def _scalar(value: str) -> str:
    value = value.strip()
    if value[:1] in ("'", '"'):
        closing = value.rfind(value[0], 1)
        return value[1:closing] if closing > 0 else value[1:]
    return re.sub(r"(?:^|\s)#(?!\d).*$|\s#\s.*$", "", value).strip() if "#" in value else value


# -- body ------------------------------------------------------------------------------------------------------------------------------


class _Body:
    """Goes through the lines once: the header up to the first section, the status section, then the rest for relations only."""

    def __init__(self, page: Page, found: Outline, name: str) -> None:
        self.page, self.found = page, found
        self.hits = _hits(page.lines)
        self.inline = (
            (lambda text: rst_links(page, text))
            if name.endswith(".rst")
            else (lambda text: adoc_links(text))
            if name.endswith((".adoc", ".asciidoc"))
            else page.inline
        )

    def say(self, place: Place, label: str, text: str, line: int) -> None:
        text = self.inline(text).strip()
        if text:
            self.found.said.append(Said(place, label, text, line))

    def read(self, start: int) -> None:
        lines = self.page.lines
        headings = [
            (n, len(m[1]), _bare(m[2]))
            for n in range(start, len(lines))
            if lines[n].lstrip()[:1] == "#" and (m := _HEADING.match(lines[n]))
        ]
        first_text = next((n for n in range(start, len(lines)) if lines[n].strip()), len(lines))
        body = start
        if headings and not _is_section(headings[0][2]) and (headings[0][1] == 1 or headings[0][0] == first_text):
            self.found.title = headings[0][2]
            self._header(start, headings[0][0])
            body = headings[0][0] + 1
            headings = headings[1:]
        ends = [*(n for n, _, _ in headings[1:]), len(lines)]
        self._header(body, headings[0][0] if headings else len(lines))
        seen_status = False
        n = 0
        while n < len(headings):
            at, level, title = headings[n]
            name, _, value = re.sub(r"^\d+[.)]?\s+", "", title + " ").replace("：", ": ").partition(": ")
            name = name.strip(" :").lower()
            if is_status(name) and not seen_status:
                seen_status = True
                last = n
                while last + 1 < len(headings) and headings[last + 1][1] > level:
                    last += 1
                if value.strip():
                    self.say(Place.SECTION, "status", value, at + 1)
                self._status(at + 1, ends[last])
                n = last + 1
                continue
            relation = field_meaning(name)[0]
            if relation in (Relation.ENDS, Relation.ENDED_BY, Relation.CHANGED_BY):
                self._items(at + 1, ends[n], Place.SECTION, name)
            elif _META.fullmatch(name):
                self._header(at + 1, ends[n])
            else:
                self._items(at + 1, ends[n], Place.LINK if _LINKS.search(name) else Place.SENTENCE, "")
            n += 1

    # -- the header --------------------------------------------------------------------------------------------------------------------

    def _header(self, start: int, end: int) -> None:
        """Fields, tables and notes between the title and the first section."""
        lines = self.page.lines
        n = start
        while n < end:
            line = lines[n]
            if not line.strip():
                n += 1
            elif _ROW.match(line) and line.count("|") > 1:
                n = self._table(n, end, Place.HEADER)
            elif (match := _LABELLED.match(line)) and not self._is_note(match["label"]):
                n = self._field(n, end, match, Place.HEADER)
            else:
                n = self._block(n, end, Place.NOTE, "")

    @staticmethod
    def _is_note(label: str) -> bool:
        name = _name(label)
        if is_status(name) or field_meaning(name)[0]:
            return False
        return name in _BOXES or may_replace(name)

    def _field(self, n: int, end: int, match: re.Match[str], place: Place) -> int:
        """A labelled value with the lines that go on with it; nested list items are values of their own."""
        lines = self.page.lines
        label, value, line = _name(match["label"]), match["value"], n + 1
        depth = len(lines[n]) - len(lines[n].lstrip())
        n += 1
        text = value
        nested: list[tuple[str, int]] = []
        while n < end:
            following = lines[n]
            bullet = _BULLET.match(following)
            if (
                bullet
                and len(bullet[1]) > depth
                and not (_LABELLED.match(following) and is_status(_name(_LABELLED.match(following)["label"])))
            ):  # type: ignore[index]
                nested.append((following[bullet.end() :], n + 1))
            elif (
                following.strip()
                and not bullet
                and not nested
                and not _LABELLED.match(following)
                and not _ROW.match(following)
                and _goes_on(text, following)
            ):
                text += "\n" + _QUOTE.sub("", following)
            elif following.strip() and nested and following.startswith("  ") and not bullet:
                nested[-1] = (nested[-1][0] + "\n" + following, nested[-1][1])
            elif (
                not following.strip()
                and not text.strip()
                and not nested
                and n + 1 < end
                and _BULLET.match(lines[n + 1])
                and len(_BULLET.match(lines[n + 1])[1]) > depth
            ):  # type: ignore[index]
                pass
            else:
                break
            n += 1
        self._say_field(place, label, text, line)
        for item, at in nested:
            self._say_field(place, label, item, at)
        return n

    def _say_field(self, place: Place, label: str, text: str, line: int) -> None:
        self.found.fields.setdefault(label, " ".join(text.split()))
        for part in re.split(r"\s*[|·•]\s*(?=\*{0,2}_{0,2}[A-Z][\w ]{1,30}\*{0,2}_{0,2}\s*:)", text)[1:]:
            if (match := _LABELLED.match(part)) and (is_status(_name(match["label"])) or field_meaning(_name(match["label"]))[0]):
                self._say_field(place, _name(match["label"]), match["value"], line)
                text = text[: text.index(part)].rstrip(" |·•")
        if is_status(label) or field_meaning(label)[0] or label == "tags" or may_replace(text):
            self.say(place, "status" if is_status(label) else label, text, line)

    def _table(self, n: int, end: int, place: Place) -> int:
        """A table of two columns, label and value, or one with the labels in its first row."""
        rows: list[tuple[list[str], int]] = []
        ruled = False
        while n < end and (match := _ROW.match(self.page.lines[n])):
            if _RULE.match(self.page.lines[n]):
                ruled = ruled or len(rows) == 1
            else:
                rows.append(([cell.strip() for cell in re.split(r"(?<!\\)\|", match[1])], n + 1))
            n += 1
        if not rows:
            return n + 1
        names = [_name(cell) for cell in rows[0][0]]
        known = [name for name in names if is_status(name) or field_meaning(name)[0] or name in _KNOWN]
        if ruled and len(known) > 1 and len(rows) > 1:
            for cells, line in rows[1:]:
                for name, cell in zip(names, cells, strict=False):
                    self._say_field(place, name, cell, line)
            return n
        label, filled = "", ""
        for cells, line in rows:
            if len(cells) < 2:
                continue
            label = _name(cells[0]) or label
            filled = next((cell for cell in cells[1:] if cell), "")
            if label and filled:
                self._say_field(place, label, filled, line)
        return n

    def _block(self, n: int, end: int, place: Place, label: str) -> int:
        """One paragraph or list item as a whole, if it may say something about replacing."""
        lines = self.page.lines
        first = n
        text = _BULLET.sub("", _QUOTE.sub("", lines[n]), count=1)
        n += 1
        while (
            n < end
            and lines[n].strip()
            and not _BULLET.match(lines[n])
            and not _ROW.match(lines[n])
            and lines[n].lstrip()[:1] != "#"
        ):
            if place is Place.NOTE and (match := _LABELLED.match(lines[n])) and not self._is_note(match["label"]):
                break
            text += "\n" + _QUOTE.sub("", lines[n])
            n += 1
        if place is Place.SENTENCE:
            self._sentences(text, first + 1)
        else:
            self.say(place, label, text, first + 1)
        return n

    def _sentences(self, text: str, line: int) -> None:
        """Those sentences of a block that may speak of replacing; `…` stands for what comes before in the block."""
        at = 0
        for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
            sentence = text[at:end]
            if may_replace(sentence):
                self.say(Place.SENTENCE, "", f"… {sentence}" if at else sentence, line + text.count("\n", 0, at))
            at = end

    # -- sections ----------------------------------------------------------------------------------------------------------------------

    def _status(self, start: int, end: int) -> None:
        """Each line of the status section is a status of its own, or a field."""
        lines = self.page.lines
        n = start
        while n < end:
            line = lines[n]
            if not line.strip() or _RULE.match(line):
                n += 1
            elif _ROW.match(line) and line.count("|") > 1 and line.lstrip().startswith("|"):
                n = self._table(n, end, Place.SECTION)
            elif (match := _LABELLED.match(line)) and (
                is_status(_name(match["label"])) or field_meaning(_name(match["label"]))[0]
            ):
                n = self._field(n, end, match, Place.SECTION)
            else:
                text, first = _BULLET.sub("", _QUOTE.sub("", line).lstrip("# "), count=1), n + 1
                n += 1
                while (
                    n < end
                    and lines[n].strip()
                    and _goes_on(text, lines[n])
                    and not _BULLET.match(lines[n])
                    and not _LABELLED.match(lines[n])
                ):
                    text += "\n" + _QUOTE.sub("", lines[n])
                    n += 1
                self.say(Place.SECTION, "status", text, first)

    def _items(self, start: int, end: int, place: Place, label: str) -> None:
        """The paragraphs and list items of a section; without a label only those that may speak of replacing."""
        lines = self.page.lines
        done = start
        for hit in range(start, end) if label else self.hits[bisect(self.hits, start - 1) : bisect(self.hits, end - 1)]:
            if hit < done or not lines[hit].strip():
                continue
            first = hit
            while first > done and lines[first - 1].strip() and not _BULLET.match(lines[first]) and not _ROW.match(lines[first]):
                first -= 1
            done = self._block(first, end, place, label)


def _hits(lines: list[str]) -> list[int]:
    """The numbers of the lines that hold a word of replacing, in order."""
    text = "\n".join(lines).lower()
    found: set[int] = set()
    for stem in RELATION_STEMS:
        at = text.find(stem)
        line, counted = 0, 0
        while at >= 0:
            line += text.count("\n", counted, at)
            counted = at
            found.add(line)
            at = text.find(stem, at + 1)
    return sorted(found)


def _goes_on(text: str, line: str) -> bool:
    """Whether a line is the rest of a value that was wrapped."""
    if not text.strip():
        return False
    if (
        re.search(r"(?:[,;:(\[&/]|\b(?:and|or|by|with|to|of|the|und|durch|et|par|y|por))\s*$", text)
        or text.count("[") > text.count("]")
        or text.count("(") > text.count(")")
    ):
        return True
    return bool(re.match(r"\s*(?:[a-zà-ÿ(,;.]|\[)", line)) and not re.search(r"[.!?]\s*$", text)


def _name(label: str) -> str:
    return " ".join(re.sub(r"[*_`:：]|\[[ xX]\]", " ", label).replace("-", " ").lower().split())


def _bare(title: str) -> str:
    return " ".join(re.sub(r"[*`]|\[([^\]]*)\]\([^)]*\)", r"\1", title).split())


def _is_section(title: str) -> bool:
    return is_status(title.lower()) or bool(
        re.match(
            r"(?:context|decision|consequences|considered|summary|abstract|introduction|overview|problem|background|motivation|kontext|contexte|contexto)\b",
            title,
            re.I,
        )
    )
