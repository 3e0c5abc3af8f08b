"""Declaration -> statements: what the raw words of a record mean. Part of the status rule; nobody else reads them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple

from citator.bonds import Bond, bonds, ended_by_this
from citator.expressions import expression
from citator.phrases import (
    ABOUT_THIS,
    AFTER_WORDS,
    BOX,
    ENDING_STEM,
    FUTURE,
    ITSELF,
    JOINED,
    LEAD,
    LIFTED,
    NAMES_A_RECORD,
    NEGATED,
    NO_NEWS,
    NO_SUBJECT,
    OF,
    OVER,
    OVER_OR_ENDING,
    PARTLY_LIVE,
    POINTS,
    REASON,
    SEE,
    SIGN_OF_END,
    SPEAKS_FOR_ITSELF,
    SPEAKS_OF_THIS,
    WAS,
    WITH_THIS,
)
from citator.prose import Clause, Reference, clauses, listed, plain, values
from citator.records import Declaration, Place, Status
from citator.relations import (
    ENDED_BY,
    ENDED_BY_NAME_FIRST,
    PART,
    PARTLY_ENDED,
    Relation,
    field_meaning,
    is_status,
    may_relate,
    may_replace,
)
from citator.vocabulary import NOTHING, PARTIAL, folded, word_table

_LONGEST = 4000
"""Characters of one declaration that are looked at."""

_HEAD = 80
"""Characters at the beginning of an item that may say how it is connected with what it links to."""

_BRACKETED = expression(r"\s*[(（]([^()（）]*(?:\([^()]*\)[^()（）]*)*)[)）]\s*", re.S)
_DASH_BEHIND_DAY = expression(r"(?<=^\x04 )[-–—](?= )", re.M)
_LINKED = expression(r"\x01(\d+)\x01")

_HOW = expression(r"replacements?|successors?", re.I)
"""Names of sections that may also tell how something is replaced, of no record."""

_ENDED_WORDS = (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED, Status.DEPRECATED, Status.REJECTED)


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a declaration says: a status word, or a relation to what `references` name.

    `whole` marks a word that fills its line, `of_work` one that speaks of the work only, `partial` a relation to a part, `future`
    one that is announced but has not happened; `verb` is the relation in the text's own words, `line` counts from 1 in the file.
    """

    declaration: Declaration
    line: int
    status: Status | None = None
    whole: bool = False
    of_work: bool = False
    relation: Relation | None = None
    partial: bool = False
    future: bool = False
    references: tuple[Reference, ...] = ()
    verb: str = ""

    @property
    def in_status(self) -> bool:
        """Whether it stands where a record's own status stands."""
        places = (Place.FRONT_MATTER, Place.HEADER, Place.SECTION)
        return self.declaration.place in places and is_status(self.declaration.field)


class _Word(NamedTuple):
    status: Status
    of_work: bool
    at: int

    @property
    def ends(self) -> bool:
        """Whether it says that the record is no longer in force."""
        return self.status in _ENDED_WORDS and not self.of_work


def statements(declaration: Declaration, words: Mapping[str, Status]) -> list[Statement]:
    """All that one declaration says, in the order of its text."""
    place, field = declaration.place, declaration.field
    if place is Place.SENTENCE and not (NAMES_A_RECORD.search(declaration.text) and SPEAKS_FOR_ITSELF.search(declaration.text)):
        return []
    if place in (Place.LINK, Place.SENTENCE, Place.NOTE):
        return list(_Reader(declaration, words).prose())
    if is_status(field):
        word, table = word_table(tuple(sorted(words.items())))
        if match := word.fullmatch(declaration.text.strip()):  # as most are
            status, of_work = table[folded(match[0])]
            return [Statement(declaration, declaration.line, status, True, of_work)]
        return list(_Reader(declaration, words).status())
    relation, partial, future = field_meaning(field)
    if relation:
        return list(_Reader(declaration, words).named(relation, partial, future))
    if field == "tags":
        return list(_Reader(declaration, words).tags()) if ENDING_STEM.search(declaration.text) else []
    if place is Place.FRONT_MATTER:
        return _flag(declaration, words)
    return list(_Reader(declaration, words).prose()) if may_replace(declaration.text) else []


def _flag(declaration: Declaration, words: Mapping[str, Status]) -> list[Statement]:
    """What a field such as `deprecated: true` says."""
    word, table = word_table(tuple(sorted(words.items())))
    if declaration.text.strip().lower() not in ("true", "yes", "on") or not word.fullmatch(declaration.field):
        return []
    status, of_work = table[folded(declaration.field)]
    ends = status in _ENDED_WORDS and not of_work
    return [Statement(declaration, declaration.line, status)] if ends else []


class _Reader:
    def __init__(self, declaration: Declaration, words: Mapping[str, Status]) -> None:
        self.declaration = declaration
        self.word, self.table = word_table(tuple(sorted(words.items())))
        raw = declaration.text[:_LONGEST]
        if declaration.place is Place.NOTE and (whole := _BRACKETED.fullmatch(raw)):
            raw = whole[1]
        text, self.marked = plain(raw)
        self.text = _LINKED.sub(self._word_in_link, text)

    def _word_in_link(self, link: re.Match[str]) -> str:
        """A linked status word as the word alone."""
        label = self.marked.links[int(link[1])].text
        return label if self.word.fullmatch(label) else link[0]

    def _line(self, at: int) -> int:
        return self.declaration.line + self.text.count("\n", 0, at)

    def _related(
        self,
        at: int,
        relation: Relation,
        references: tuple[Reference, ...],
        partial: bool = False,
        future: bool = False,
        verb: str = "",
    ) -> Statement:
        return Statement(
            self.declaration, self._line(at), relation=relation, partial=partial, future=future, references=references, verb=verb
        )

    def named(self, relation: Relation, partial: bool, future: bool) -> Iterator[Statement]:
        """What a field such as `supersedes` says, item by item."""
        head = re.split(r"\x02|(?<![Nn]o)[.;]\s|\s[—–]\s", self.text)[0].strip()
        if NEGATED.match(self.text.lstrip()) or _is_template(self.text) or (head and NOTHING.fullmatch(head)):
            return
        partial = partial or bool(re.match(rf"\W*{PART}", self.text, re.I))
        read = [
            (at, *listed(value, self.marked, whole_value=True)) for at, value in values(self.text) if not NOTHING.fullmatch(value)
        ]
        sure = any(reference.sure for _, found, _ in read for reference in found)
        if not sure and self.declaration.place is Place.SECTION and _HOW.fullmatch(self.declaration.field):
            return
        for (at, found, part), (_, beside, _) in zip_longest(read, read[1:], fillvalue=(0, (), False)):
            if found and (found[0].sure or not sure):
                part = part or (relation is Relation.ENDS and bool(OF.match(self.text, at))) or _tells_a_part(beside)
                yield self._related(at, relation, found, partial or part, future, self.declaration.field)

    def status(self) -> Iterator[Statement]:
        """The words and relations of a status; one that says neither is an unknown status."""
        text = _DASH_BEHIND_DAY.sub(" ", _ticked(self.text))
        if NOTHING.fullmatch(text.strip()) or _is_template(text) or self._offers_choice(text):
            return
        over = self._is_over(text)
        said = past = ended = partly = False
        for n, clause in enumerate(clauses(text, self.marked)):
            if clause.aside and WAS.match(clause.text):
                continue
            words, end, whole = self._words(clause.text)
            if clause.aside:
                words, end = (words if whole and not past and len(words) == 1 and words[0].ends else []), 0
            elif n > 0 and not whole:
                late = [word for word in words if word.ends and word.status is not Status.REJECTED]
                words, end = (late, end) if REASON.match(clause.text, end) else ([], 0)
            for word in words:
                said, past = True, past or word.ends
                status = Status.UNKNOWN if over and word.status is Status.LIVE else word.status
                ended = ended or status in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED)
                partly = partly or status is Status.PARTIALLY_SUPERSEDED
                yield Statement(self.declaration, self._line(clause.start + word.at), status, whole, word.of_work)
            for statement in self._status_bonds(clause, end):
                said = said or statement.relation in (Relation.ENDED_BY, Relation.CHANGED_BY)
                yield replace(statement, partial=statement.partial or (partly and clause.aside))
            yield from self._pointer(clause, end, ended)
        if not said:
            yield Statement(self.declaration, self._line(0), Status.UNKNOWN)

    def _is_over(self, text: str) -> bool:
        """Whether a status that begins with a live word goes on to say, or shows by a sign, that its time is over or will be."""
        if SIGN_OF_END.search(self.declaration.text[:_LONGEST]):
            return True
        for n, clause in enumerate(clauses(text, self.marked)):
            if clause.aside:
                over = OVER_OR_ENDING.match(clause.text)
            else:
                over = OVER.match(clause.text) if n else OVER_OR_ENDING.match(clause.text, self._words(clause.text)[1])
            if over:
                return True
        return False

    def _offers_choice(self, text: str) -> bool:
        """Whether alternatives are left to choose from, as in a template."""
        parts = re.split(r"[|｜]|\bor\b", text)
        slashed = text.split("/")
        return (len(parts) > 1 and sum(bool(self._words(part)[0]) for part in parts) > 1) or (
            len(slashed) > 2 and len({words[0].status for part in slashed if (words := self._words(part)[0])}) > 2
        )

    def _words(self, text: str) -> tuple[list[_Word], int, bool]:
        """The status words at the head of a text, joined by connectors only; where they end; whether they are all of it."""
        found: list[_Word] = []
        at = end = _end(LEAD, text, 0)
        lifted = False
        while not (ENDED_BY.match(text, at) or ENDED_BY_NAME_FIRST.match(text, at)):
            if partly := PARTLY_ENDED.match(text, at):
                found.append(_Word(Status.PARTIALLY_SUPERSEDED, False, at))
                end = partly.end()
            elif skipped := NO_NEWS.match(text, at):
                end = skipped.end()
            elif partly := PARTLY_LIVE.match(text, at):
                at = partly.end()
                continue
            else:
                name, end_of_word = self._word_at(text, at)
                if not name:
                    break
                status, of_work = self.table[folded(name)]
                if lifted and status is Status.LIVE and not of_work:
                    found = [word for word in found if word.status is not Status.PROPOSED]
                found.append(_Word(status, of_work, at))
                end = end_of_word
            at = _end(JOINED, text, end)
            lifted = bool(LIFTED.search(text[end:at]))
            if at == end:
                break
        whole = not re.search(r"\w", re.sub(r"\x02\d+\x02", "", text[max(at, end) :]))
        return found, max(at, end) if found else end, whole

    def _word_at(self, text: str, at: int) -> tuple[str, int]:
        match = self.word.match(text, at)
        return (match[0], match.end()) if match else ("", at)

    def _status_bonds(self, clause: Clause, after: int) -> Iterator[Statement]:
        """The relations in a clause of a status: said of this record, unless the words before the verb name another thing."""
        for bond in bonds(clause.text, self.marked, loose=True):
            before = clause.text[: bond.start]
            subject = before[_end(AFTER_WORDS, before, min(after, len(before))) :]
            about_this = bool(NO_SUBJECT.fullmatch(subject) or ABOUT_THIS.fullmatch(subject) or ITSELF.fullmatch(subject))
            found, part = bond.references, bond.partial
            if bond.relation is Relation.ENDED_BY and not about_this:
                found, part = tuple(reference for reference in found if reference.sure), True
            if found and not NEGATED.search(before) and (about_this or bond.relation is not Relation.ENDS):
                future = bool(FUTURE.search(before))
                yield self._related(clause.start + bond.start, bond.relation, found, part, future, bond.verb)

    def _pointer(self, clause: Clause, at: int, ended: bool) -> Iterator[Statement]:
        """Where a status points to, "see ADR-4"; behind a mere "superseded" the name alone will do."""
        match = POINTS.match(clause.text, at)
        if match and (ended or match["see"]):
            yield from self._seen(clause, match.end())

    def _seen(self, clause: Clause, at: int) -> Iterator[Statement]:
        found = tuple(reference for reference in listed(clause.text[at:], self.marked)[0] if reference.sure)
        if found:
            yield self._related(clause.start + at, Relation.SEE, found)

    def prose(self) -> Iterator[Statement]:
        """The relations in a note, a list item or a sentence: only what is said of this record; else what it links to."""
        place = self.declaration.place
        if place is Place.LINK and not may_relate(self.declaration.text):
            if self.marked.links:
                yield self._related(0, Relation.CONNECTS, tuple(self.marked.links), verb=self.text[:_HEAD].partition("\x01")[0])
            return
        for bond in ended_by_this(self.text, self.marked):
            if not NEGATED.search(re.split(r"[.,:;!?]\s", self.text[: bond.start])[-1]):
                yield self._related(bond.start, bond.relation, bond.references, bond.partial, verb=bond.verb)
        for n, clause in enumerate(clauses(self.text, self.marked)):
            if clause.aside:
                continue
            if place is Place.NOTE and n == 0:
                yield from self._ending_word(clause)
            for bond in bonds(clause.text, self.marked, sentence=place is Place.SENTENCE):
                yield from self._prose_bond(clause, bond, first=n == 0)
            if place is Place.NOTE and (see := SEE.search(clause.text)):
                yield from self._seen(clause, see.end())

    def _prose_bond(self, clause: Clause, bond: Bond, first: bool) -> Iterator[Statement]:
        place = self.declaration.place
        before = clause.text[: bond.start]
        found = tuple(reference for reference in bond.references if reference.sure)
        if not found or NEGATED.search(before) or NEGATED.match(clause.text, bond.end):
            return
        at, future = clause.start + bond.start, bool(FUTURE.search(before))
        head = first and bool(NO_SUBJECT.fullmatch(before))
        if clause.text[bond.start : bond.end].lower().startswith("we "):
            about_this = bool(WITH_THIS.search(clause.text))
        else:
            about_this = bool(ABOUT_THIS.fullmatch(before) or (place is Place.NOTE and ITSELF.fullmatch(before)))
        if bond.relation is not Relation.ENDED_BY:
            if (about_this or head) and not future:
                yield self._related(at, bond.relation, found, bond.partial, verb=bond.verb)
        elif about_this or (head and place is not Place.SENTENCE):
            yield self._related(at, bond.relation, found, bond.partial, future, bond.verb)
        elif place is Place.NOTE and SPEAKS_OF_THIS.search(clause.sentence):
            yield self._related(at, bond.relation, found, True, future, bond.verb)
        elif not head and not future:
            yield self._related(at, Relation.SEE, found)

    def _ending_word(self, clause: Clause) -> Iterator[Statement]:
        """A box on top of a record, "Deprecated: …" or "Superseded by the new way", ends it; milder words there are prose."""
        text = clause.text[_end(BOX, clause.text, 0) :]
        words, end, _ = self._words(text)
        if not words and ENDED_BY.match(text, end) and (may_replace(text[end:]) or ENDING_STEM.match(text, end)):
            yield Statement(self.declaration, self._line(clause.start), Status.SUPERSEDED)
        closed = re.match(r"[.:!,]|$", text[end:].strip()) or re.search(r"[.:!\x02]\s*$", text[:end])
        if words and closed and words[0].ends:
            yield Statement(self.declaration, self._line(clause.start), words[0].status)

    def tags(self) -> Iterator[Statement]:
        """Tags such as `superseded`."""
        for at, value in values(self.text):
            words, _, whole = self._words(value)
            if words and whole and words[0].status in _ENDED_WORDS:
                yield Statement(self.declaration, self._line(at), words[0].status)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _tells_a_part(beside: tuple[Reference, ...]) -> bool:
    """Whether what stands behind a name only says which part of it: "ADR-4, the paragraph on queues"."""
    return bool(beside and not beside[0].sure and PARTIAL.search(" ".join(beside[0].text.split()[:3])))


def _is_template(text: str) -> bool:
    """Whether nothing is left beside placeholders: `{…}`, `<…>`."""
    rest = re.sub(r"\{[^}]*\}|\x03", "", text)
    return rest != text and not re.search(r"\w", rest)


def _ticked(text: str) -> str:
    """The text of a ticked box, nothing for an empty one, any other text as it is."""
    box = re.match(r"\s*\[([ xX])\]\s*", text)
    if not box:
        return text
    return "" if box[1] == " " else " " * box.end() + text[box.end() :]
