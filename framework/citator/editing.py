"""What has to be written so that one record replaces another, in the form that the folder itself has for it."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import basename, dirname, relpath

from citator.errors import CitatorError
from citator.files import content, decode
from citator.records import Declaration, Document, Place
from citator.references import Library
from citator.relations import Relation, field_meaning, is_status
from citator.standings import Standings
from citator.status import StatusResolver
from citator.vocabulary import NOTHING
from citator.wording import Statement, statements

_OWN = (Place.FRONT_MATTER, Place.HEADER, Place.SECTION)


@dataclass(slots=True)
class Sheet:
    """A file that is being changed: its lines without their ends, numbered from 1 as declarations are."""

    path: str
    before: str
    lines: list[str] = field(init=False)
    ending: str = field(init=False)

    def __post_init__(self) -> None:
        self.ending = "\r\n" if "\r\n" in self.before else "\n"
        self.lines = self.before.split(self.ending)

    @classmethod
    def read(cls, root: Path, path: str) -> "Sheet":
        """The file at `path`; raises CitatorError for one that could not be written back as it was."""
        try:
            return cls(path, content(root, path).decode("utf-8"))
        except (OSError, ValueError) as error:
            raise CitatorError(f"{root / path}: cannot be changed here ({error}); change it by hand") from error

    @property
    def after(self) -> str:
        """The changed text."""
        return self.ending.join(self.lines)

    def replace(self, line: int, old: str, new: str) -> bool:
        """Puts `new` in place of `old` on one line; false where it does not stand there once."""
        if self.lines[line - 1].count(old) != 1:
            return False
        self.lines[line - 1] = self.lines[line - 1].replace(old, new)
        return True

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.replace("\r\n", "\n").splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}"))


class Editor:
    """Writes relations between the records of one folder; nothing is kept that the status rule does not read as it was meant."""

    def __init__(self, root: Path, resolver: StatusResolver, standings: Standings) -> None:
        self.root = root
        self.resolver = resolver
        self.standings = standings
        self.library = Library(standings.reading.documents, standings.reading.repository)
        self.said: dict[str, list[Declaration]] = {document.path: [] for document in standings.reading.documents}
        for declaration in standings.reading.declarations:
            if declaration.path in self.said:
                self.said[declaration.path].append(declaration)

    def supersede(self, old: Document, new: Document) -> list[Sheet]:
        """The changes to both records, or to the one that does not say it yet; raises CitatorError where none is understood."""
        if old.path == new.path:
            raise CitatorError(f"{old.label} cannot replace itself; name two records")
        sheets = []
        if new.path not in self._named(old.path, Relation.ENDED_BY):
            sheets.append(self._first_that_holds(old, new, Relation.ENDED_BY))
        if old.path not in self._named(new.path, Relation.ENDS):
            sheets.append(self._first_that_holds(new, old, Relation.ENDS))
        return sheets

    def pointer(self, old: Document, new: Document) -> Sheet:
        """The change to the replaced record alone."""
        return self._first_that_holds(old, new, Relation.ENDED_BY)

    def _named(self, path: str, relation: Relation, declarations: Sequence[Declaration] | None = None) -> set[str]:
        """The records to which a record says that it has a relation."""
        return {
            found
            for statement, found in self._relations(path, declarations)
            if statement.relation is relation and not statement.partial
        }

    def _relations(self, path: str, declarations: Sequence[Declaration] | None = None) -> Iterator[tuple[Statement, str]]:
        for declaration in self.said[path] if declarations is None else declarations:
            for statement in statements(declaration, self.resolver.words):
                for reference in statement.references:
                    if len(paths := self.library.find(reference, path).paths) == 1:
                        yield statement, paths[0]

    def _first_that_holds(self, one: Document, other: Document, relation: Relation) -> Sheet:
        file = one.file
        for attempt in self._attempts(one, other, relation):
            sheet = Sheet.read(self.root, file)
            if attempt(sheet) and self._holds(sheet, one.path, other.path, relation):
                return sheet
        raise CitatorError(f"{self.root / file}: where to write {relation.value} {other.label!r} is not clear; write it by hand")

    def _holds(self, sheet: Sheet, path: str, other: str, relation: Relation) -> bool:
        """Whether the record now says what it should, and still says all that it said of others."""
        page = self.resolver.parse(sheet.path, decode(sheet.after.encode()))
        after = [d for d in page.declarations if d.path == path]
        kept = all(
            self._named(path, r) <= self._named(path, r, after) for r in Relation if r not in (Relation.ENDED_BY, Relation.SEE)
        )
        return kept and other in self._named(path, relation, after)

    # -- the forms, the folder's own first ---------------------------------------------------------------------------------------

    def _attempts(self, one: Document, other: Document, relation: Relation) -> "Iterator[_Attempt]":
        own = self.said[one.path]
        statuses = self._statuses(own)
        for declaration in own:
            if field_meaning(declaration.field)[0] is relation and (not declaration.text or NOTHING.fullmatch(declaration.text)):
                yield _Fill(declaration, self._reference(one, other, declaration.place))
        if not statuses:
            return
        for example, document, target in self._examples(one, relation):
            text = _like(example.text, one.path, self.library.documents[target], other)
            if field_meaning(example.field)[0] is relation:
                line = Sheet.read(self.root, document.file).lines[example.line - 1]
                yield _Insert(statuses, line.replace(example.text.split("\n")[0], text))
            elif relation is Relation.ENDED_BY and is_status(example.field):
                yield _Replace([s for s in statuses if s.place is example.place] or statuses, text)
            elif relation is Relation.ENDS and example.place is Place.SECTION and statuses[-1].place is Place.SECTION:
                yield _Insert(statuses, text, apart=True)
        name = self._reference(one, other, statuses[0].place)
        if relation is Relation.ENDED_BY:
            yield _Replace(statuses, f"superseded by {name}")
        elif statuses[-1].place is Place.SECTION:
            yield _Insert(statuses, f"Supersedes {self._reference(one, other, Place.SECTION)}", apart=True)
        else:
            line = Sheet.read(self.root, one.file).lines[statuses[0].line - 1]
            yield _Insert(statuses, _renamed(line, statuses[0].text.split("\n")[0], name))

    def _statuses(self, own: Sequence[Declaration]) -> list[Declaration]:
        """The places of a record that say whether it holds; a status section may have lines about other records too."""
        places = [d for d in own if is_status(d.field) and d.place in _OWN]
        others = (Relation.CHANGED_BY, Relation.CHANGES, Relation.ENDS)
        return [d for d in places if not any(s.relation in others for s in statements(d, self.resolver.words))] or places

    def _examples(self, one: Document, relation: Relation) -> Iterator[tuple[Declaration, Document, str]]:
        """How the folder's other records say it, the last first."""
        for path in reversed(self.said):
            if path == one.path:
                continue
            for statement, target in self._relations(path):
                declaration = statement.declaration
                alone = "\n" not in declaration.text and not statement.partial and len(statement.references) == 1
                fits = statement.relation is relation and alone and declaration.place in _OWN
                if fits and _is_name(statement.references[0].text, self.library.documents[target]):
                    yield declaration, self.library.documents[path], target
                    break

    def _reference(self, one: Document, other: Document, place: Place) -> str:
        if place is Place.FRONT_MATTER:
            return other.label
        address = relpath(other.path, dirname(one.path) or ".")
        if one.path.endswith((".adoc", ".asciidoc")):
            return f"link:{address}[{other.label}]"
        return f"`{other.label} <{address}>`_" if one.path.endswith(".rst") else f"[{other.label}]({address})"


@dataclass(frozen=True, slots=True)
class _Fill:
    """Writes a value into a field that is there and empty."""

    declaration: Declaration
    value: str

    def __call__(self, sheet: Sheet) -> bool:
        at, old = self.declaration.line - 1, self.declaration.text
        line = sheet.lines[at]
        head, colon, tail = line.partition(":")
        if not colon or (old and old not in tail):
            return False
        sheet.lines[at] = f"{head}:{tail.replace(old, self.value, 1)}" if old else f"{line.rstrip()} {self.value}"
        return True


@dataclass(frozen=True, slots=True)
class _Replace:
    """Writes another status, wherever the record has it."""

    statuses: Sequence[Declaration]
    text: str

    def __call__(self, sheet: Sheet) -> bool:
        return all(sheet.replace(s.line, s.text.split("\n")[0].strip(), self._for(s)) for s in self.statuses)

    def _for(self, status: Declaration) -> str:
        return self.text[:1].upper() + self.text[1:] if status.text[:1].isupper() else self.text


@dataclass(frozen=True, slots=True)
class _Insert:
    """Writes a line of its own behind the status."""

    statuses: Sequence[Declaration]
    line: str
    apart: bool = False

    def __call__(self, sheet: Sheet) -> bool:
        last = self.statuses[-1] if self.apart else self.statuses[0]
        at = last.line + last.text.count("\n")
        sheet.lines[at:at] = ["", self.line] if self.apart else [self.line]
        return True


_Attempt = _Fill | _Replace | _Insert


def _renamed(line: str, status: str, value: str) -> str:
    """The line of a status field as one that says what the record supersedes."""
    name, found, rest = line.rpartition(status) if status else (line, "", "")
    match = re.search(r"status", name, re.IGNORECASE)
    if not found or match is None:
        return line
    verb = "Supersedes" if match[0][0].isupper() else "supersedes"
    return f"{name[: match.start()]}{verb}{name[match.end() :]}{value}{rest}"


def _like(text: str, path: str, named: Document, other: Document) -> str:
    """What a record says of `named`, said by the record at `path` of `other`: with the address, title and number of that."""
    link = re.search(r"(?<=\]\()(<?)([^()\s<>]*" + re.escape(basename(named.path)) + r")", text)
    if link is None:
        return _swapped(text, named, other)
    address = ("./" if link[2].startswith("./") else "") + relpath(other.path, dirname(path) or ".")
    return _swapped(text[: link.start(2)], named, other) + address + _swapped(text[link.end(2) :], named, other)


def _is_name(text: str, document: Document) -> bool:
    """Whether a text names a record by its number or title and says nothing more, so that another's fit in."""
    number = re.search(r"0*(\d+)$", document.label)
    rest = text.replace(document.title, "") if document.title else text
    return text == document.label or not re.sub(rf"(?:[^\W\d_]{{1,8}}[\s#-]*)?0*{number[1] if number else ''}|\W", "", rest)


def _swapped(text: str, named: Document, other: Document) -> str:
    """The text with one record's title and number in place of another's, the number as long as it was."""
    old, new = (re.search(r"0*(\d+)$", document.label) for document in (named, other))

    def renumbered(part: str) -> str:
        if old is None or new is None:
            return part.replace(named.label, other.label)
        return re.sub(
            rf"(?<![\d.])0*{old[1]}(?!\d)", lambda found: new[1].zfill(len(found[0]) if found[0][0] == "0" else 1), part
        )

    return other.title.join(map(renumbered, text.split(named.title))) if named.title else renumbered(text)
