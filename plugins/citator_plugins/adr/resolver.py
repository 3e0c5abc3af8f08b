"""The status resolver `adr`: architecture decision records in all the forms that people write them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from citator.api import Declaration, Document, Option, Place, Reading, StatusResolver, is_status, weight_of
from citator_plugins.adr.dates import LABELS, day_of
from citator_plugins.adr.discovery import count_records, folders
from citator_plugins.adr.front import Value, front_matter
from citator_plugins.adr.headings import entries
from citator_plugins.adr.lines import page_of
from citator_plugins.adr.names import Name, name_of
from citator_plugins.adr.options import read_options
from citator_plugins.adr.outline import Outline, read_body
from citator_plugins.adr.page import Page


class AdrResolver(StatusResolver):
    """Reads architecture decision records: Nygard, adr-tools, MADR, log4brains and their many relatives."""

    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown", ".mdx", ".adoc", ".asciidoc", ".rst")

    def parse(self, path: str, text: str) -> Reading:
        """The record of a file, or each of those that one file holds."""
        name = name_of(path)
        page, start = page_of(path, text)
        front = front_matter(page.lines[:start])
        if not (name.number or name.dated) and (several := _several(path, page, start)):
            return several
        found = read_body(page, start, len(page.lines))
        declared = [Declaration(path, Place.FRONT_MATTER, value.key, value.text, value.line) for value in front]
        declared += [Declaration(path, said.place, said.field, said.text, said.line) for said in found.said]
        document = _document(path, name, front, found, page.labels)
        return Reading((document,), tuple(declared), options=_options(path, page, start, len(page.lines)))

    @classmethod
    def folders(cls, project: Path) -> Iterator[tuple[str, int]]:
        """Those of the usual names, in each package of a monorepo too, and those that a tool's settings name."""
        return folders(project)

    @classmethod
    def recognise(cls, root: Path) -> int:
        """How many files are named like records of this dialect."""
        return count_records(root)

    def gather(self, root: Path, pages: Mapping[str, Reading]) -> Reading:
        """Leaves out templates, indexes and other papers: a record has a number or date, or a status where none has a number."""
        folder = _Folder(pages)
        kept = [page for path, page in pages.items() if folder.is_record(path, page)]
        return Reading(
            tuple(document for page in kept for document in page.documents),
            tuple(declaration for page in kept for declaration in page.declarations),
            repository=_repository(root),
            options=tuple(option for page in kept for option in page.options),
        )


class _Folder:
    """What the names of all files tell about each of them."""

    def __init__(self, pages: Mapping[str, Reading]) -> None:
        self.names = {path: name_of(path) for path in pages}
        self.numbered: Counter[str] = Counter()
        self.numbers: defaultdict[str, set[str]] = defaultdict(set)
        self.inner: set[str] = set()
        self.own: set[str] = set()
        for path, name in self.names.items():
            if name.number and not name.template:
                self.numbered[self._place(path)] += 1
            if not name.index and (name.number or name.dated):
                self.numbers[self._place(path)].add(name.id)
                self.inner.add(path.rpartition("/")[0])
            elif name.index and (name.number or name.dated):
                self.own.add(path.rpartition("/")[0])

    def _place(self, path: str) -> str:
        """The folder that a record lies in: for a README that is a record, the one around its own."""
        folder = path.rpartition("/")[0]
        return folder.rpartition("/")[0] if self.names[path].index else folder

    def is_record(self, path: str, page: Reading) -> bool:
        """Whether a file holds a record, or several."""
        name, place = self.names[path], self._place(path)
        if not page.documents or (name.template and not page.documents[0].anchor):
            return False
        if page.documents[0].anchor:
            return True
        if name.index and (path.rpartition("/")[0] in self.inner or name.id in self.numbers[place]):
            return False
        if name.number or name.dated:
            return True
        beside_numbers = self.numbered[place] and not re.match(r"adrs?[-_]", name.stem, re.I)
        return (
            not name.index
            and not beside_numbers
            and path.rpartition("/")[0] not in self.own
            and (bool(page.unread) or any(is_status(said.field) for said in page.declarations))
        )


def _several(path: str, page: Page, start: int) -> Reading | None:
    """The records of a file that holds several, each with a status of its own."""
    read = ((anchor, read_body(page, at, end), at, end) for anchor, at, end in entries(page, start))
    found = [entry for entry in read if entry[1].has_status]
    if len(found) < 2:
        return None
    return Reading(
        tuple(_entry(path, anchor, outline) for anchor, outline, _, _ in found),
        tuple(
            Declaration(f"{path}#{anchor}", s.place, s.field, s.text, s.line)
            for anchor, outline, _, _ in found
            for s in outline.said
        ),
        options=tuple(o for anchor, _, at, end in found for o in _options(f"{path}#{anchor}", page, at, end)),
    )


def _options(path: str, page: Page, start: int, end: int) -> tuple[Option, ...]:
    return tuple(
        Option(path, option.name, option.line, bool(option.chosen), option.reason) for option in read_options(page, start, end)
    )


def _entry(path: str, anchor: str, found: Outline) -> Document:
    named = re.match(r"\[?((?:[A-Z]{2,8}[-\s]?)?)#?(\d+)", found.title)
    prefix, number = named.groups() if named else ("", "")
    label = f"{prefix or 'ADR-'}{number}"
    return Document(f"{path}#{anchor}", _title(found.title), label, _day(found.fields), (number, anchor), anchor)


def _document(path: str, name: Name, front: Sequence[Value], found: Outline, labels: Sequence[str]) -> Document:
    first = {value.key: value.text for value in reversed(front)}
    label = name.label
    heading = re.match(r"([A-Z]{2,8})[\s-]?#?0*(\d+)\b", found.title)
    if heading and name.number and not name.prefix and heading[2] == re.sub(r"^0+|\D", "", name.number):
        label = f"{heading[1]}-{name.number}{name.version}"
    aliases = (name.number + name.version, name.number, name.stem, name.slug, first.get("id", ""), first.get("slug", ""), *labels)
    title = _title(first.get("title") or found.title) or re.sub(r"[-_]+", " ", name.slug or name.stem)
    day = _day(first) or _day(found.fields)
    return Document(
        path, title, label, day, tuple(dict.fromkeys(filter(None, aliases))), weight=weight_of(first.get("weight", ""))
    )


def _title(text: str) -> str:
    """A heading without "ADR:" or "Decision:" and number in front."""
    text = re.sub(r"^(?:(?:architectur(?:e|al) )?decision(?: record)?s?|adr)\s*[:—–-]\s*", "", text, flags=re.I)
    return re.sub(
        r"^\[?(?:[A-Za-z]+[\s-]?){0,3}#?\d{1,6}[a-z]?\]?(?:-[vw]\d+)?(?:\s*[.:)\]—–|-]+\s+|(?<=\d)\s+(?=[^\W\d]))", "", text
    ).strip()


def _day(fields: Mapping[str, str]) -> str:
    """The day in the field that is for it, whichever language names it."""
    return next((day for label in LABELS if (day := day_of(fields.get(label, "")))), "")


def _repository(root: Path) -> str:
    """`owner/name` of the git repository that a folder lies in, from its own settings; empty where there is none."""
    for folder in (root, *root.absolute().parents):
        config = folder / ".git" / "config"
        if config.is_file():
            match = re.search(r"url\s*=\s*\S+?[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$", config.read_text("utf-8", "replace"), re.M)
            return match[1] if match else ""
    return ""
