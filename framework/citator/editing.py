"""What has to be written so that one record replaces another, in the form that the folder itself has for it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import basename, dirname, relpath

from citator import frontmatter
from citator.errors import CitatorError
from citator.expressions import expression
from citator.files import decode
from citator.languages import DEFAULT, SAYINGS, language
from citator.records import Declaration, Document, Place, Status
from citator.references import Library
from citator.relations import Relation, field_meaning, is_status
from citator.sheets import DATE, Attempt, Extend, ExtendFront, Fill, FillRow, Insert, Restate, Sheet
from citator.standings import Standings
from citator.status import StatusResolver
from citator.vocabulary import NOTHING, word_table
from citator.wording import Statement, statements

_OWN = (Place.FRONT_MATTER, Place.HEADER, Place.SECTION)
_HEADING = expression(r"(?:#{2,}|={2,}) \S")
_ADDRESS = expression(r"\]\([^)]*\)")


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
        both = ((old, new, Relation.ENDED_BY), (new, old, Relation.ENDS))
        missing = [(one, other, relation) for one, other, relation in both if other.path not in self._named(one.path, relation)]
        if missing:
            self._refuse_nonsense(old, new)
        return [self._first_that_holds(one, other, relation) for one, other, relation in missing]

    def _refuse_nonsense(self, old: Document, new: Document) -> None:
        """Raises CitatorError where the relation would have no effect, contradict another one, or close a circle."""
        verdicts = self.standings.verdicts
        before, after = verdicts[old.path], verdicts[new.path]
        if after.status in (Status.PROPOSED, Status.REJECTED, Status.DEPRECATED):
            raise CitatorError(
                f"{new.label} is {after.status} and so cannot replace {old.label}; accept it first, or name another record"
            )
        if new.path in self._replaced_by(new):
            raise CitatorError(f"{new.label} is in a circle of records that replace each other; mend that by hand first")
        if old.path in self._replaced_by(new):
            raise CitatorError(
                f"{new.label} is itself superseded by {old.label}, directly or by way of others; name them the other way round"
            )
        others = [s for s in before.successors if s.path != new.path]
        if before.status is Status.SUPERSEDED and others and len(others) == len(before.successors):
            by = ", ".join(s.label or s.path or s.external for s in others)
            raise CitatorError(f"{old.label} is superseded by {by} already; supersede that one, or change {old.label} by hand")

    def _replaced_by(self, document: Document) -> set[str]:
        """The records that replaced one, directly or by way of others."""
        found: set[str] = set()
        ahead = [document.path]
        while ahead:
            successors = {s.path for s in self.standings.verdicts[ahead.pop()].successors if s.path in self.standings.verdicts}
            ahead += successors - found
            found |= successors
        return found

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
        readable = frontmatter.unharmed(sheet.before.split(sheet.ending), sheet.lines)
        return kept and readable and other in self._named(path, relation, after)

    # -- the forms, the folder's own first ---------------------------------------------------------------------------------------

    def _attempts(self, one: Document, other: Document, relation: Relation) -> Iterator[Attempt]:
        own = self.said[one.path]
        statuses = self._statuses(own)
        extend = ExtendFront(relation, self._as_before(one, other, relation) or self._reference(one, other, Place.FRONT_MATTER))
        yield extend
        if frontmatter.has(Sheet.read(self.root, one.file).lines, extend.wanted):
            return
        for declaration in own:
            if field_meaning(declaration.field)[0] is relation and (not declaration.text or NOTHING.fullmatch(declaration.text)):
                yield Fill(declaration, self._reference(one, other, declaration.place))
            elif declaration.place is Place.HEADER and field_meaning(declaration.field) == (relation, False, False):
                yield Extend(declaration, self._as_before(one, other, relation) or self._reference(one, other, declaration.place))
        yield FillRow(relation, self._reference(one, other, Place.HEADER))
        if not statuses:
            return
        word, _ = word_table(tuple(sorted(self.resolver.words.items())))
        spoken = self._language(one)
        for example, document, target in self._examples(one, relation):
            if language((example.field, example.text)) not in ("", spoken):
                continue
            text = _like(example.text, one.path, self.library.documents[target], other)
            if field_meaning(example.field)[0] is relation:
                line = Sheet.read(self.root, document.file).lines[example.line - 1]
                yield Insert(statuses, line.replace(example.text.split("\n")[0], text))
            elif relation is Relation.ENDED_BY and is_status(example.field) and not DATE.search(_ADDRESS.sub("", example.text)):
                yield Restate([s for s in statuses if s.place is example.place] or statuses, text, word)
            elif relation is Relation.ENDS and example.place is Place.SECTION and statuses[-1].place is Place.SECTION:
                yield Insert(statuses, text, apart=True)
        ended_by, ends = SAYINGS.get(spoken, SAYINGS[DEFAULT])
        name = self._reference(one, other, statuses[0].place)
        if relation is Relation.ENDED_BY:
            yield Restate(statuses, f"{ended_by} {name}", word)
        elif statuses[-1].place is Place.SECTION:
            yield Insert(statuses, (ends[:1].upper() + ends[1:]).format(name), apart=True)
        else:
            line = Sheet.read(self.root, one.file).lines[statuses[0].line - 1]
            yield Insert(statuses, _renamed(line, statuses[0].text.split("\n")[0], name))

    def _statuses(self, own: Sequence[Declaration]) -> list[Declaration]:
        """The places of a record that say whether it holds; a status section may have lines about other records too."""
        places = [d for d in own if is_status(d.field) and d.place in _OWN]
        others = (Relation.CHANGED_BY, Relation.CHANGES, Relation.ENDS)
        said = [(d, statements(d, self.resolver.words)) for d in places]
        own_alone = [(d, found) for d, found in said if not any(s.relation in others for s in found)]
        told = [d for d, found in own_alone if any(s.status not in (None, Status.UNKNOWN) for s in found)]
        return told or [d for d, _ in own_alone] or places

    def _language(self, one: Document) -> str:
        """The language of a record's status, of its headings, or of most records of the folder."""
        headings = [line for line in Sheet.read(self.root, one.file).lines if _HEADING.match(line)]
        folder = (d.text for said in self.said.values() for d in self._statuses(said) if is_status(d.field))
        own = (d.text for d in self._statuses(self.said[one.path]))
        return language(own) or language(headings) or language(folder) or DEFAULT

    def _as_before(self, one: Document, other: Document, relation: Relation) -> str:
        """The other record as the record names those that it has this relation to already; empty where it names none plainly."""
        for statement, target in self._relations(one.path):
            named = self.library.documents[target]
            reference = statement.references[-1]
            if statement.relation is relation and not reference.target and _is_name(reference.text, named):
                return _swapped(reference.text, named, other)
        return ""

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

    parts = re.split(rf"(?<!\w){re.escape(named.title)}(?!\w)", text) if named.title else [text]
    return other.title.join(map(renumbered, parts))
