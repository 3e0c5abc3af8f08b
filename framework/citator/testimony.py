"""What the records of a folder say of themselves and of each other, before anything is decided. Part of the status rule."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from citator.expressions import expression
from citator.prose import Reference, is_id
from citator.records import Caution, Declaration, Document, Edge, EdgeKind, Place, Status, Successor, Trouble, Verdict
from citator.references import Library
from citator.relations import MILD, Relation, edge_kind
from citator.text import cut
from citator.vocabulary import nearest, word_table
from citator.wording import Statement, statements

_CURRENCY = (
    Status.SUPERSEDED,
    Status.REJECTED,
    Status.DEPRECATED,
    Status.PARTIALLY_SUPERSEDED,
    Status.PROPOSED,
    Status.UNKNOWN,
    Status.LIVE,
)
"""From the least current to the most: where the places of a record disagree, the first of these wins."""

_IN_FORCE = (Status.LIVE, Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED, Status.DEPRECATED)
"""What a record may say of itself to end another one: it is in force, or was."""

_DATED = expression(r"^\W*(\d{4}-\d\d-\d\d)\b|\b(\d{4}-\d\d-\d\d)\W*$")

_WORD_BYTES = 60
"""Of a status that is not known, as it is shown."""

PLACES = (Place.FRONT_MATTER, Place.HEADER, Place.SECTION, Place.NOTE)
"""Where a record says its own status."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One record says that it ends or changes another."""

    claimant: str
    statement: Statement


@dataclass(slots=True)
class Own:
    """What a record says of itself."""

    word: Status | None = None
    word_from: Statement | None = None
    ended: list[Statement] = field(default_factory=list)
    partly_ended: list[Statement] = field(default_factory=list)
    changed: list[Statement] = field(default_factory=list)
    see: list[Statement] = field(default_factory=list)
    cautions: list[Caution] = field(default_factory=list)


class Testimony:
    """All declarations of a folder as what each record says of itself (`own`) and claims of another one (`claims`, `changes`)."""

    def __init__(
        self,
        documents: Iterable[Document],
        declarations: Iterable[Declaration],
        words: Mapping[str, Status],
        default_status: Status | None,
        repository: str,
    ) -> None:
        self.library = Library(documents, repository)
        self.default_status = default_status
        self.words = tuple(sorted(words.items()))
        said: dict[str, list[Statement]] = {path: [] for path in self.library.documents}
        for declaration in declarations:
            if declaration.path in said:
                said[declaration.path] += statements(declaration, words)
        self.said = said
        self.linked = {path: self._links(path, spoken) for path, spoken in said.items()}
        self.own = {path: self._own(path, spoken) for path, spoken in said.items()}
        self.claims: defaultdict[str, list[Claim]] = defaultdict(list)
        self.changes: defaultdict[str, list[str]] = defaultdict(list)
        self.cautions: defaultdict[str, list[Caution]] = defaultdict(list)
        for path, spoken in said.items():
            for statement in spoken:
                self._note_claim(path, statement)

    def _own(self, path: str, spoken: list[Statement]) -> Own:
        own = Own()
        by_place: dict[Place, list[Statement]] = defaultdict(list)
        tags: list[Statement] = []
        for statement in spoken:
            if statement.status:
                (tags if statement.declaration.field == "tags" else by_place[statement.declaration.place]).append(statement)
            elif statement.relation is Relation.SEE:
                own.see.append(statement)
            elif statement.relation is Relation.CHANGED_BY:
                own.changed.append(statement)
                if statement.in_status:
                    by_place[statement.declaration.place].append(replace(statement, status=Status.LIVE, of_work=True))
            elif statement.relation is Relation.ENDED_BY:
                self._note_end(path, own, statement)
        heads = [word for place in PLACES if (word := _strongest(by_place[place]))]
        if heads and all(head.status is Status.PARTIALLY_SUPERSEDED for head in heads):  # a field beside it says by whom
            fields = [ended for ended in own.ended if not ended.in_status and ended.declaration.field]
            own.ended, own.partly_ended = [e for e in own.ended if e not in fields], [*own.partly_ended, *fields]
        if not (heads or own.ended or own.partly_ended):
            heads = tags[:1]
        rejected = {head.declaration.place for head in heads if head.status is Status.REJECTED}
        for ended in (*own.ended, *own.partly_ended):
            if ended.in_status and ended.declaration.place not in rejected:
                status = Status.SUPERSEDED if ended in own.ended else Status.PARTIALLY_SUPERSEDED
                heads.append(replace(ended, status=status))
        if heads:
            told = min(
                heads, key=lambda head: (_CURRENCY.index(head.status or Status.UNKNOWN), PLACES.index(head.declaration.place))
            )
            own.word, own.word_from = told.status, told
            self._note_disagreement(own, told, heads)
            for head in heads:
                if head.status is Status.UNKNOWN and head.in_status:
                    own.cautions += self._unknown(head)
        return own

    def _unknown(self, said: Statement) -> Iterator[Caution]:
        """A warning about a status that begins with none of the known words."""
        text = " ".join(said.declaration.text.strip().partition("\n")[0].strip("*_`\"'. ").split())
        if word_table(self.words)[0].match(text):
            return
        meant = nearest(text, self.words)
        hint = f"did you mean {meant!r}?" if meant else "use one of the usual words"
        yield self.caution(Trouble.UNKNOWN_STATUS, f"the status {cut(text, _WORD_BYTES)!r} is not known; {hint}", said)

    def _note_end(self, path: str, own: Own, statement: Statement) -> None:
        found = [self.library.find(reference, path) for reference in statement.references]
        ends = own.partly_ended if statement.partial else own.ended
        if found and all(f.paths == (path,) for f in found):
            own.cautions.append(self.caution(Trouble.CYCLE, "names itself as its successor: ignored", statement))
            if statement.in_status and not statement.future:
                ends.append(replace(statement, references=()))
        elif statement.future:
            named = ", ".join(reference.text for reference in statement.references)
            own.cautions.append(
                self.caution(Trouble.NOT_IN_FORCE, f"is to be superseded by {named}, which has not happened yet", statement)
            )
        elif any(f.paths for f in found) or _counts_unfound(statement):
            ends.append(statement)

    def _note_disagreement(self, own: Own, told: Statement, heads: list[Statement]) -> None:
        for head in heads:
            if head.status is not told.status and head.declaration.place is not told.declaration.place:
                text = f"{head.declaration.place} says {head.status}, {told.declaration.place} says {told.status}"
                own.cautions.append(self.caution(Trouble.DISAGREEMENT, text, head))

    def _links(self, path: str, spoken: list[Statement]) -> set[str]:
        """Every record that a record names beyond doubt, to tell which one an ambiguous number means."""
        found = (
            self.library.find(reference, path).paths
            for statement in spoken
            if statement.relation is not Relation.CONNECTS
            for reference in statement.references
        )
        return {paths[0] for paths in found if len(paths) == 1}

    def targets(self, path: str, reference: Reference, trouble: str) -> tuple[str, ...]:
        """The one record that a reference means, or none; an ambiguous one is reported on all that it may mean."""
        paths = self.library.find(reference, path).paths
        if len(paths) > 1:
            named = [p for p in paths if p in self.linked[path]]
            if len(named) == 1:
                return (named[0],)
            for candidate in paths:
                text = f"{self.label(path)} {trouble} {reference.text!r}, which may mean this record or another one: no effect"
                self.cautions[candidate].append(Caution(Trouble.AMBIGUOUS, text))
            return ()
        return paths

    def _note_claim(self, path: str, statement: Statement) -> None:
        if statement.relation in (Relation.ENDS, Relation.CHANGES):
            for reference in statement.references:
                for target in self.targets(path, reference, statement.relation.value):
                    if target == path:
                        self.cautions[path].append(
                            self.caution(Trouble.CYCLE, f"says that it {statement.relation.value} itself: ignored", statement)
                        )
                    elif statement.relation is Relation.ENDS:
                        for ended in (target, *self._unspoken(path, target)):
                            self.claims[ended].append(Claim(path, statement))
                    elif _amends(statement) and self.in_force(path):
                        self.changes[target].append(path)

    def _unspoken(self, path: str, target: str) -> Iterator[str]:
        """The translations of a target into languages in which the claimant does not stand, so that nobody claims them."""
        spoken = self.library.translations(path)
        return (ended for tongue, ended in self.library.translations(target).items() if tongue not in spoken)

    def edges(self, verdicts: Mapping[str, Verdict]) -> dict[str, tuple[Edge, ...]]:
        """By record all that connects it with others of the folder, whoever declares it: each connection once from either end.

        What is only announced, or may mean several records, connects nothing, and a mere link nothing that is connected anyway.
        """
        found: dict[str, dict[tuple[str, str], Edge]] = {path: {} for path in self.said}
        for path, spoken in self.said.items():
            for statement in spoken:
                if statement.relation is None or statement.future:
                    continue
                kind, evidence = edge_kind(statement.relation, statement.verb), self.place(statement)
                for reference in statement.references:
                    paths = self.library.find(reference, path).paths
                    ends = [p for p in paths if p in self.linked[path]] if len(paths) > 1 else paths
                    if len(ends) == 1 and ends[0] != path:
                        edge = Edge(path, kind, ends[0], evidence, self._is_idle(path, kind, verdicts[ends[0]]))
                        for seen in (edge, edge.turned()):
                            known = found[seen.start].get((seen.kind, seen.end))
                            if known is None or (known.idle and not seen.idle):
                                found[seen.start][seen.kind, seen.end] = seen
        return {path: _telling(edges.values()) for path, edges in found.items() if edges}

    def _is_idle(self, path: str, kind: EdgeKind, verdict: Verdict) -> bool:
        """Whether a claim has no effect: its record was never in force, and the other one does not take it for its successor."""
        if kind not in (EdgeKind.SUPERSEDES, EdgeKind.AMENDS) or self.in_force(path):
            return False
        taken = verdict.successors if kind is EdgeKind.SUPERSEDES else verdict.amended_by
        return path not in {successor.path for successor in taken}

    def in_force(self, path: str) -> bool:
        """Whether a record is or was in force by its own word, so that it can end another one."""
        own = self.own[path]
        word = own.word or (Status.LIVE if own.ended or own.partly_ended else self.default_status)
        return word in _IN_FORCE

    def known(self, path: str) -> Successor:
        """A record as a successor."""
        document = self.library.documents[path]
        return Successor(path, document.label, document.title)

    def place(self, statement: Statement) -> str:
        """`file:line` of a statement."""
        return f"{self.library.documents[statement.declaration.path].file}:{statement.line}"

    def caution(self, trouble: Trouble, text: str, statement: Statement) -> Caution:
        """A warning that a statement gives rise to."""
        return Caution(trouble, text, self.place(statement))

    def label(self, path: str) -> str:
        """The short name of a record."""
        return self.library.documents[path].label or path


def _telling(edges: Collection[Edge]) -> tuple[Edge, ...]:
    told = {edge.end for edge in edges if edge.kind is not EdgeKind.LINK}
    return tuple(edge for edge in edges if edge.kind is not EdgeKind.LINK or edge.end not in told)


def _strongest(said: list[Statement]) -> Statement | None:
    """The word that counts in one place: what ends the record, else the first; a later line may lift it from proposed to live.

    Of a history, in which every line has its day, the last day alone counts.
    """
    days = [_day(statement) for statement in said if statement.status is not Status.UNKNOWN]
    if days and all(days):
        said = [statement for statement in said if _day(statement) == max(days)]
    said = (
        [s for s in said if s.status is not Status.UNKNOWN and not s.of_work]
        or [s for s in said if s.status is not Status.UNKNOWN]
        or said
    )
    if not said:
        return None
    least = min(said, key=lambda s: _CURRENCY.index(s.status or Status.UNKNOWN))
    if least.status is Status.PROPOSED and least is said[0] and least.whole and said[-1].status is Status.LIVE and said[-1].whole:
        return said[-1] if said[-1].line > least.line else least
    return least


def _counts_unfound(statement: Statement) -> bool:
    """Whether a successor that is not in the folder is one all the same; what "moved to Java 17" names in a text is none."""
    place = statement.declaration.place
    if place in (Place.LINK, Place.NOTE) and MILD.search(statement.verb):
        return any(reference.target or is_id(reference.text) for reference in statement.references)
    return place is not Place.SENTENCE


def _day(statement: Statement) -> str:
    """The day at the beginning or the end of the line that a statement stands in."""
    lines = statement.declaration.text.split("\n")
    line = lines[min(statement.line - statement.declaration.line, len(lines) - 1)]
    dated = _DATED.search(line)
    return (dated[1] or dated[2]) if dated else ""


def _amends(statement: Statement) -> bool:
    text = statement.declaration.field + " " + statement.declaration.text
    return "amend" in text.lower()
