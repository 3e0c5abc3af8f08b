"""The status rule: from everything that the records of a folder declare to one verdict for each of them. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from citator.chains import live_ends, loops
from citator.prose import Reference
from citator.records import Caution, Declaration, Document, Place, Status, Successor, Trouble, Verdict
from citator.references import Library
from citator.relations import Relation
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

_PLACES = (Place.FRONT_MATTER, Place.HEADER, Place.SECTION, Place.NOTE)


@dataclass(frozen=True, slots=True)
class _Claim:
    """One record says that it ends or changes another."""

    claimant: str
    statement: Statement


@dataclass(slots=True)
class _Own:
    """What a record says of itself."""

    word: Status | None = None
    word_from: Statement | None = None
    ended: list[Statement] = field(default_factory=list)
    partly_ended: list[Statement] = field(default_factory=list)
    changed: list[Statement] = field(default_factory=list)
    see: list[Statement] = field(default_factory=list)
    cautions: list[Caution] = field(default_factory=list)


def decide(
    documents: Iterable[Document],
    declarations: Iterable[Declaration],
    words: Mapping[str, Status],
    default_status: Status | None = None,
    repository: str = "",
) -> dict[str, Verdict]:
    """One verdict for each document's path; `repository` is the `owner/name` whose addresses count as this folder's own."""
    return _Folder(documents, declarations, words, default_status, repository).verdicts()


class _Folder:
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
        said: dict[str, list[Statement]] = {path: [] for path in self.library.documents}
        for declaration in declarations:
            if declaration.path in said:
                said[declaration.path] += statements(declaration, words)
        self.linked = {path: self._links(path, spoken) for path, spoken in said.items()}
        self.own = {path: self._own(path, spoken) for path, spoken in said.items()}
        self.claims: defaultdict[str, list[_Claim]] = defaultdict(list)
        self.changes: defaultdict[str, list[str]] = defaultdict(list)
        self.cautions: defaultdict[str, list[Caution]] = defaultdict(list)
        for path, spoken in said.items():
            for statement in spoken:
                self._note_claim(path, statement)

    def _own(self, path: str, spoken: list[Statement]) -> _Own:
        own = _Own()
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
        heads = [word for place in _PLACES if (word := _strongest(by_place[place]))]
        if not (heads or own.ended or own.partly_ended):
            heads = tags[:1]
        rejected = {head.declaration.place for head in heads if head.status is Status.REJECTED}
        for ended in (*own.ended, *own.partly_ended):
            if ended.in_status and ended.declaration.place not in rejected:
                status = Status.SUPERSEDED if ended in own.ended else Status.PARTIALLY_SUPERSEDED
                heads.append(replace(ended, status=status))
        if heads:
            own.word_from = min(
                heads, key=lambda head: (_CURRENCY.index(head.status or Status.UNKNOWN), _PLACES.index(head.declaration.place))
            )
            own.word = own.word_from.status
            self._note_disagreement(own, heads)
        return own

    def _note_end(self, path: str, own: _Own, statement: Statement) -> None:
        found = [self.library.find(reference, path) for reference in statement.references]
        if found and all(f.paths == (path,) for f in found):
            own.cautions.append(self._caution(Trouble.CYCLE, "names itself as its successor: ignored", statement))
            if statement.in_status:
                own.ended.append(replace(statement, references=()))
        elif statement.future:
            named = ", ".join(reference.text for reference in statement.references)
            own.cautions.append(
                self._caution(Trouble.NOT_IN_FORCE, f"is to be superseded by {named}, which has not happened yet", statement)
            )
        elif statement.declaration.place is not Place.SENTENCE or any(f.paths for f in found):
            (own.partly_ended if statement.partial else own.ended).append(statement)

    def _note_disagreement(self, own: _Own, heads: list[Statement]) -> None:
        own.word_from = own.word_from or heads[0]
        for head in heads:
            if head.status is not own.word and head.declaration.place is not own.word_from.declaration.place:
                text = f"{head.declaration.place} says {head.status}, {own.word_from.declaration.place} says {own.word}"
                own.cautions.append(self._caution(Trouble.DISAGREEMENT, text, head))

    def _links(self, path: str, spoken: list[Statement]) -> set[str]:
        """Every record that a record names beyond doubt, to tell which one an ambiguous number means."""
        found = (self.library.find(reference, path).paths for statement in spoken for reference in statement.references)
        return {paths[0] for paths in found if len(paths) == 1}

    def _targets(self, path: str, reference: Reference, trouble: str) -> tuple[str, ...]:
        """The one record that a reference means, or none; an ambiguous one is reported on all that it may mean."""
        paths = self.library.find(reference, path).paths
        if len(paths) > 1:
            named = [p for p in paths if p in self.linked[path]]
            if len(named) == 1:
                return (named[0],)
            for candidate in paths:
                text = f"{self._label(path)} {trouble} {reference.text!r}, which may mean this record or another one: no effect"
                self.cautions[candidate].append(Caution(Trouble.AMBIGUOUS, text))
            return ()
        return paths

    def _note_claim(self, path: str, statement: Statement) -> None:
        if statement.relation in (Relation.ENDS, Relation.CHANGES):
            for reference in statement.references:
                for target in self._targets(path, reference, statement.relation.value):
                    if target == path:
                        self.cautions[path].append(
                            self._caution(Trouble.CYCLE, f"says that it {statement.relation.value} itself: ignored", statement)
                        )
                    elif statement.relation is Relation.ENDS:
                        self.claims[target].append(_Claim(path, statement))
                    elif _amends(statement) and self._in_force(path):
                        self.changes[target].append(path)

    def _in_force(self, path: str) -> bool:
        own = self.own[path]
        word = own.word or (Status.LIVE if own.ended or own.partly_ended else self.default_status)
        return word in _IN_FORCE and word is not None

    def verdicts(self) -> dict[str, Verdict]:
        verdicts = {path: self._verdict(path) for path in self.library.documents}
        self._break_loops(verdicts)
        statuses = {path: verdict.status for path, verdict in verdicts.items()}
        following = {path: tuple(s.path for s in verdict.successors if s.path) for path, verdict in verdicts.items()}
        for path, verdict in verdicts.items():
            if following[path]:
                ends = live_ends(path, following, statuses)
                verdicts[path] = self._with_ends(verdict, ends)
        return verdicts

    def _verdict(self, path: str) -> Verdict:
        own = self.own[path]
        full, partial, idle = self._standing_claims(path)
        word = own.word
        own_end = own.ended or ([own.word_from] if word is Status.SUPERSEDED and own.word_from else [])
        own_part = own.partly_ended or ([own.word_from] if word is Status.PARTIALLY_SUPERSEDED and own.word_from else [])
        status, by, named = word or Status.UNKNOWN, own.word_from, [*own.ended, *own.partly_ended]
        claims: list[_Claim] = []
        by_default = False
        if word is Status.REJECTED:
            pass
        elif own_end:
            status, by, claims = Status.SUPERSEDED, own_end[0] if not _says_superseded(own) else own.word_from, full + partial
            named = [*own.ended]
        elif own_part:
            status, by, claims = Status.PARTIALLY_SUPERSEDED, own_part[0], partial
        elif full:
            status, by, named, claims = Status.SUPERSEDED, full[0].statement, [], full
        elif partial:
            status, by, named, claims = Status.PARTIALLY_SUPERSEDED, partial[0].statement, [], partial
        elif word is None and self.default_status:
            status, by_default = self.default_status, True
        successors, cautions = self._successors(path, status, named, claims, idle)
        return Verdict(
            path,
            status,
            successors=successors,
            amended_by=self._amended_by(path),
            declared=_declared(own),
            evidence=self._place(by) if by else "",
            by_default=by_default,
            warnings=(
                *own.cautions,
                *self.cautions[path],
                *cautions,
                *self._idle_cautions(path, idle),
                *self._no_status(path, own),
            ),
        )

    def _standing_claims(self, path: str) -> tuple[list[_Claim], list[_Claim], list[_Claim]]:
        """The claims on a record: in full, in part, and those of records that were never in force."""
        full: list[_Claim] = []
        partial: list[_Claim] = []
        idle: list[_Claim] = []
        for claim in self.claims[path]:
            if not self._in_force(claim.claimant):
                idle.append(claim)
            else:
                (partial if claim.statement.partial else full).append(claim)
        return full, partial, idle

    def _successors(
        self, path: str, status: Status, named: list[Statement], claims: list[_Claim], idle: list[_Claim]
    ) -> tuple[tuple[Successor, ...], list[Caution]]:
        cautions: list[Caution] = []
        found: dict[Successor, None] = {}
        pointers = [statement for statement in named if statement.references]
        told = [s for s in pointers if _stands(s) == _stands(pointers[0])]
        for statement in told:
            for reference in statement.references:
                found[self._successor(path, reference, statement, cautions)] = None
        found.pop(self._known(path), None)
        if status not in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
            return tuple(found), cautions
        if told:
            self._compare(path, found, [s for s in pointers if s not in told], claims, cautions)
        else:
            for claimant in dict.fromkeys(claim.claimant for claim in claims):
                found[self._known(claimant)] = None
            if not found:
                self._find_unnamed(path, found, idle, cautions)
        if not found:
            cautions.append(Caution(Trouble.NO_SUCCESSOR, f"{status} without naming a successor"))
        return tuple(found), cautions

    def _find_unnamed(self, path: str, found: dict[Successor, None], idle: list[_Claim], cautions: list[Caution]) -> None:
        """Who replaced a record that does not say by whom: who it points at, or who claims it without being in force."""
        nearby = (Place.NOTE, Place.SECTION, Place.HEADER, Place.FRONT_MATTER)
        own = self.own[path].see
        for pointers in (
            [s for s in own if s.declaration.place in nearby],
            None,
            [s for s in own if s.declaration.place not in nearby],
        ):
            if pointers is None:
                for claimant in dict.fromkeys(claim.claimant for claim in idle):
                    found[self._known(claimant)] = None
            else:
                for statement in pointers[:1]:
                    for reference in statement.references:
                        for target in self._targets(path, reference, "points at"):
                            if target != path:
                                found[self._known(target)] = None
            if found:
                return

    def _compare(
        self, path: str, found: Mapping[Successor, None], others: list[Statement], claims: list[_Claim], cautions: list[Caution]
    ) -> None:
        """Reports who else is named as the successor: the record's own first pointer counts."""
        paths = {successor.path for successor in found}
        for statement in others:
            for reference in statement.references:
                target = self.library.find(reference, path)
                if len(target.paths) == 1 and not paths & set(target.paths) and target.paths != (path,):
                    text = f"also says that it is superseded by {self._label(target.paths[0])}"
                    cautions.append(self._caution(Trouble.DISAGREEMENT, text, statement))
        for claim in claims:
            if claim.claimant not in paths:
                text = f"also claimed by {self._label(claim.claimant)}, which it does not name"
                cautions.append(self._caution(Trouble.DISAGREEMENT, text, claim.statement))

    def _successor(self, path: str, reference: Reference, statement: Statement, cautions: list[Caution]) -> Successor:
        found = self.library.find(reference, path)
        named = [p for p in found.paths if p in self.linked[path]] if len(found.paths) > 1 else list(found.paths)
        if len(named) == 1:
            return self._known(named[0])
        if found.external:
            title = "" if "://" in reference.text else reference.text
            return Successor(external=found.external, title=title, repository=_repository(found.external))
        if found.paths:
            text = f"successor {reference.text!r} is ambiguous: {', '.join(found.paths)}"
            cautions.append(self._caution(Trouble.AMBIGUOUS, text, statement))
        else:
            cautions.append(self._caution(Trouble.MISSING, f"there is no record {reference.text!r}", statement))
        return Successor(label=reference.text, missing=True)

    def _amended_by(self, path: str) -> tuple[Successor, ...]:
        own = (
            target
            for statement in self.own[path].changed
            for reference in statement.references
            for target in self.library.find(reference, path).paths
        )
        return tuple(self._known(p) for p in dict.fromkeys((*own, *self.changes[path])) if p != path)

    def _idle_cautions(self, path: str, idle: list[_Claim]) -> Iterator[Caution]:
        for claim in idle:
            word = self.own[claim.claimant].word or "without status"
            part = "partially " if claim.statement.partial else ""
            text = f"would be {part}superseded by {self._label(claim.claimant)} ({word})"
            yield self._caution(Trouble.NOT_IN_FORCE, text, claim.statement)

    def _no_status(self, path: str, own: _Own) -> Iterator[Caution]:
        if own.word is None and not own.ended and not own.partly_ended:
            yield Caution(Trouble.NO_STATUS, "declares no status")

    def _break_loops(self, verdicts: dict[str, Verdict]) -> None:
        """A record that only records of its own circle hold superseded is unknown; one that says so itself stays superseded."""
        following = {path: tuple(s.path for s in verdict.successors if s.path) for path, verdict in verdicts.items()}
        for loop in loops(following):
            names = ", ".join(sorted(self._label(path) for path in loop))
            for path in loop:
                verdict = verdicts[path]
                own = self.own[path]
                held = (
                    own.ended or own.partly_ended or own.word in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED, Status.REJECTED)
                )
                caution = Caution(Trouble.CYCLE, f"superseded in a circle: {names}", verdict.evidence)
                if not held and all(s.path in loop for s in verdict.successors):
                    verdict = replace(verdict, status=Status.UNKNOWN, successors=())
                verdicts[path] = replace(verdict, warnings=(*verdict.warnings, caution))

    def _with_ends(self, verdict: Verdict, ends: tuple[str, ...]) -> Verdict:
        current = tuple(self._known(path) for path in ends)
        if current or verdict.status not in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
            return replace(verdict, current=current)
        named = ", ".join(s.label or s.path for s in verdict.successors if s.path)
        caution = Caution(
            Trouble.DEAD_END, f"superseded by {named}, and nothing at the end of that chain is in force", verdict.evidence
        )
        return replace(verdict, warnings=(*verdict.warnings, caution))

    def _known(self, path: str) -> Successor:
        document = self.library.documents[path]
        return Successor(path, document.label, document.title)

    def _place(self, statement: Statement) -> str:
        return f"{self.library.documents[statement.declaration.path].file}:{statement.line}"

    def _caution(self, trouble: Trouble, text: str, statement: Statement) -> Caution:
        return Caution(trouble, text, self._place(statement))

    def _label(self, path: str) -> str:
        return self.library.documents[path].label or path


def _strongest(said: list[Statement]) -> Statement | None:
    """The word that counts in one place: what ends the record, else the first; a later line may lift it from proposed to live."""
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


def _amends(statement: Statement) -> bool:
    text = statement.declaration.field + " " + statement.declaration.text
    return "amend" in text.lower()


def _says_superseded(own: _Own) -> bool:
    return own.word is Status.SUPERSEDED and own.word_from is not None


def _stands(statement: Statement) -> tuple[Place, str]:
    """Where it stands: items of one list, or lines of one status, name their successors together."""
    return statement.declaration.place, statement.declaration.field


def _declared(own: _Own) -> str:
    said = own.word_from or next(iter((*own.ended, *own.partly_ended)), None)
    return said.declaration.text if said else ""


def _repository(address: str) -> str:
    parts = address.partition("://")[2].split("/")
    return "/".join(parts[1:3]) if len(parts) > 3 else ""
