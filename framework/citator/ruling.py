"""The status rule: from everything that the records of a folder declare to one verdict for each of them. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from citator.chains import live_ends, loops
from citator.prose import Reference
from citator.records import Caution, Declaration, Document, Place, Status, Successor, Trouble, Verdict
from citator.testimony import PLACES, Claim, Own, Testimony
from citator.wording import Statement


def decide(
    documents: Iterable[Document],
    declarations: Iterable[Declaration],
    words: Mapping[str, Status],
    default_status: Status | None = None,
    repository: str = "",
    unread: Iterable[str] = (),
) -> dict[str, Verdict]:
    """One verdict for each document's path; `repository` is the `owner/name` whose addresses count as this folder's own.

    `unread` are the files of which nothing but the name is known.
    """
    return rule(Testimony(documents, declarations, words, default_status, repository), unread)


def rule(said: Testimony, unread: Iterable[str] = ()) -> dict[str, Verdict]:
    """One verdict for each document's path, from all that was said."""
    return _Ruling(said, frozenset(unread)).verdicts()


class _Ruling:
    def __init__(self, said: Testimony, unread: frozenset[str]) -> None:
        self.said = said
        self.unread = {path for path, document in said.library.documents.items() if document.file in unread}

    def verdicts(self) -> dict[str, Verdict]:
        verdicts = {path: self._verdict(path) for path in self.said.library.documents}
        self._break_loops(verdicts)
        statuses = {path: verdict.status for path, verdict in verdicts.items()}
        following = {path: tuple(s.path for s in verdict.successors if s.path) for path, verdict in verdicts.items()}
        for path, verdict in verdicts.items():
            if following[path]:
                ends = live_ends(path, following, statuses)
                verdicts[path] = self._with_ends(verdict, ends)
        return verdicts

    def _verdict(self, path: str) -> Verdict:
        own = self.said.own[path]
        full, partial, idle = self._standing_claims(path)
        word = own.word
        own_end = own.ended or ([own.word_from] if word is Status.SUPERSEDED and own.word_from else [])
        own_part = own.partly_ended or ([own.word_from] if word is Status.PARTIALLY_SUPERSEDED and own.word_from else [])
        status, by, named = word or Status.UNKNOWN, own.word_from, [*own.ended, *own.partly_ended]
        claims: list[Claim] = []
        by_default = False
        if word is Status.REJECTED:
            pass
        elif own_end:
            status, by, claims = Status.SUPERSEDED, _decisive(own, Status.SUPERSEDED, own_end), full + partial
        elif own_part:
            status, by, claims = Status.PARTIALLY_SUPERSEDED, _decisive(own, Status.PARTIALLY_SUPERSEDED, own_part), partial
        elif full:
            status, by, named, claims = Status.SUPERSEDED, full[0].statement, [], full
        elif partial:
            status, by, named, claims = Status.PARTIALLY_SUPERSEDED, partial[0].statement, [], partial
        elif word is None and self.said.default_status and path not in self.unread:
            status, by_default = self.said.default_status, True
        successors, cautions = self._successors(path, status, named, claims, idle)
        return Verdict(
            path,
            status,
            successors=successors,
            amended_by=self._amended_by(path),
            declared=_declared(own),
            evidence=self.said.place(by) if by else "",
            by_default=by_default,
            warnings=(
                *own.cautions,
                *self.said.cautions[path],
                *cautions,
                *self._idle_cautions(path, idle),
                *self._no_status(path, own),
                *self._doubts(path, status),
            ),
        )

    def _standing_claims(self, path: str) -> tuple[list[Claim], list[Claim], list[Claim]]:
        """The claims on a record: in full, in part, and those of records that were never in force."""
        full: list[Claim] = []
        partial: list[Claim] = []
        idle: list[Claim] = []
        for claim in self.said.claims[path]:
            if not self.said.in_force(claim.claimant):
                idle.append(claim)
            else:
                (partial if claim.statement.partial else full).append(claim)
        return full, partial, idle

    def _successors(
        self, path: str, status: Status, named: list[Statement], claims: list[Claim], idle: list[Claim]
    ) -> tuple[tuple[Successor, ...], list[Caution]]:
        cautions: list[Caution] = []
        found: dict[Successor, None] = {}
        pointers = [statement for statement in named if statement.references]
        told = [s for s in pointers if _stands(s) == _stands(pointers[0])]
        for statement in told:
            for reference in statement.references:
                found[self._successor(path, reference, statement, cautions)] = None
        found.pop(self.said.known(path), None)
        if status not in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
            return tuple(found), cautions
        if told:
            self._compare(path, found, [s for s in pointers if s not in told], claims, cautions)
        else:
            for claimant in dict.fromkeys(claim.claimant for claim in claims):
                found[self.said.known(claimant)] = None
            if not found:
                for other in self._unnamed(path, idle):
                    found[self.said.known(other)] = None
        if not found:
            cautions.append(Caution(Trouble.NO_SUCCESSOR, f"{status} without naming a successor"))
        return tuple(found), cautions

    def _unnamed(self, path: str, idle: list[Claim]) -> list[str]:
        """Who replaced a record that does not say by whom: what it points at on top, else who claims it, else what is below."""
        own = self.said.own[path].see
        above = [statement for statement in own if statement.declaration.place in PLACES]
        below = [statement for statement in own if statement.declaration.place not in PLACES]
        return self._pointed_at(path, above[:1]) or [claim.claimant for claim in idle] or self._pointed_at(path, below[:1])

    def _pointed_at(self, path: str, pointers: list[Statement]) -> list[str]:
        references = (reference for statement in pointers for reference in statement.references)
        targets = (target for reference in references for target in self.said.targets(path, reference, "points at"))
        return [target for target in targets if target != path]

    def _compare(
        self, path: str, found: Mapping[Successor, None], others: list[Statement], claims: list[Claim], cautions: list[Caution]
    ) -> None:
        """Reports who else is named as the successor: the record's own first pointer counts."""
        paths = {successor.path for successor in found}
        for statement in others:
            for reference in statement.references:
                target = self.said.library.find(reference, path)
                if len(target.paths) == 1 and not paths & set(target.paths) and target.paths != (path,):
                    text = f"also says that it is superseded by {self.said.label(target.paths[0])}"
                    cautions.append(self.said.caution(Trouble.DISAGREEMENT, text, statement))
        for claim in claims:
            if claim.claimant not in paths:
                text = f"also claimed by {self.said.label(claim.claimant)}, which it does not name"
                cautions.append(self.said.caution(Trouble.DISAGREEMENT, text, claim.statement))

    def _successor(self, path: str, reference: Reference, statement: Statement, cautions: list[Caution]) -> Successor:
        found = self.said.library.find(reference, path)
        named = [p for p in found.paths if p in self.said.linked[path]] if len(found.paths) > 1 else list(found.paths)
        if len(named) == 1:
            return self.said.known(named[0])
        if found.external:
            title = "" if "://" in reference.text else reference.text
            return Successor(external=found.external, title=title, repository=_repository(found.external))
        if found.paths:
            text = f"successor {reference.text!r} is ambiguous: {', '.join(found.paths)}"
            cautions.append(self.said.caution(Trouble.AMBIGUOUS, text, statement))
        else:
            cautions.append(self.said.caution(Trouble.MISSING, f"there is no record {reference.text!r}", statement))
        return Successor(label=reference.text, missing=True)

    def _amended_by(self, path: str) -> tuple[Successor, ...]:
        own = (
            target
            for statement in self.said.own[path].changed
            for reference in statement.references
            for target in self.said.library.find(reference, path).paths
        )
        return tuple(self.said.known(p) for p in dict.fromkeys((*own, *self.said.changes[path])) if p != path)

    def _idle_cautions(self, path: str, idle: list[Claim]) -> Iterator[Caution]:
        for claim in idle:
            word = self.said.own[claim.claimant].word or "without status"
            part = "partially " if claim.statement.partial else ""
            text = f"would be {part}superseded by {self.said.label(claim.claimant)} ({word})"
            yield self.said.caution(Trouble.NOT_IN_FORCE, text, claim.statement)

    def _no_status(self, path: str, own: Own) -> Iterator[Caution]:
        if own.word is None and not own.ended and not own.partly_ended and path not in self.unread:
            yield Caution(Trouble.NO_STATUS, "declares no status")

    def _doubts(self, path: str, status: Status) -> Iterator[Caution]:
        if path in self.unread:
            yield Caution(Trouble.UNREADABLE, "cannot be read")
        elif self.unread and status in (Status.LIVE, Status.PARTIALLY_SUPERSEDED):
            named = ", ".join(sorted(map(self.said.label, self.unread)))
            yield Caution(Trouble.UNREADABLE, f"{named} cannot be read and may replace this")

    def _break_loops(self, verdicts: dict[str, Verdict]) -> None:
        """A record that only records of its own circle hold superseded is unknown; one that says so itself stays superseded."""
        following = {path: tuple(s.path for s in verdict.successors if s.path) for path, verdict in verdicts.items()}
        for loop in loops(following):
            names = ", ".join(sorted(self.said.label(path) for path in loop))
            for path in loop:
                verdict = verdicts[path]
                own = self.said.own[path]
                held = (
                    own.ended or own.partly_ended or own.word in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED, Status.REJECTED)
                )
                caution = Caution(Trouble.CYCLE, f"superseded in a circle: {names}", verdict.evidence)
                if not held and all(s.path in loop for s in verdict.successors):
                    verdict = replace(verdict, status=Status.UNKNOWN, successors=())
                verdicts[path] = replace(verdict, warnings=(*verdict.warnings, caution))

    def _with_ends(self, verdict: Verdict, ends: tuple[str, ...]) -> Verdict:
        current = tuple(self.said.known(path) for path in ends)
        if current or verdict.status not in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
            return replace(verdict, current=current)
        named = ", ".join(s.label or s.path for s in verdict.successors if s.path)
        caution = Caution(
            Trouble.DEAD_END, f"superseded by {named}, and nothing at the end of that chain is in force", verdict.evidence
        )
        return replace(verdict, warnings=(*verdict.warnings, caution))


def _decisive(own: Own, status: Status, named: list[Statement]) -> Statement:
    """The status itself where it says so, else the first that names a successor."""
    return own.word_from if own.word is status and own.word_from else named[0]


def _stands(statement: Statement) -> tuple[Place, str]:
    """Where it stands: items of one list, or lines of one status, name their successors together."""
    return statement.declaration.place, statement.declaration.field


def _declared(own: Own) -> str:
    said = own.word_from or next(iter((*own.ended, *own.partly_ended)), None)
    return said.declaration.text if said else ""


def _repository(address: str) -> str:
    parts = address.partition("://")[2].split("/")
    return "/".join(parts[1:3]) if len(parts) > 3 else ""
