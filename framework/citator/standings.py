"""A folder's records with their verdicts: what `citator adr` shows, without the rule that decided them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from citator.records import Document, Edge, Reading, Rejection, Successor, Verdict
from citator.references import Library


@dataclass(frozen=True)
class Standings:
    """A folder's records at one moment: what they declare, and by path the verdict on each and what connects it with others.

    `rejections` are the approaches that its decisions turned down.
    """

    reading: Reading
    verdicts: Mapping[str, Verdict]
    edges: Mapping[str, tuple[Edge, ...]] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The records by their paths."""
        return {document.path: document for document in self.reading.documents}

    @cached_property
    def rejected(self) -> Mapping[str, Rejection]:
        """The approaches that were turned down, by their ids."""
        return {rejection.id: rejection for rejection in self.rejections}

    @cached_property
    def library(self) -> Library:
        """The records, to be found by name."""
        return Library(self.reading.documents, self.reading.repository)

    def entries(self) -> Iterator[tuple[Document, Verdict]]:
        """Every record with its verdict, in the order of their paths."""
        return ((document, self.verdicts[document.path]) for document in self.reading.documents)


def row(document: Document, verdict: Verdict) -> dict[str, object]:
    """A record with its standing, as `citator adr list --json` prints it."""
    return {
        "path": document.path,
        "id": document.label,
        "title": document.title,
        "status": verdict.status.value,
        "successors": [_named(successor) for successor in verdict.successors],
        "current": [_named(successor) for successor in verdict.current],
        "amended_by": [_named(successor) for successor in verdict.amended_by],
        "declared": verdict.declared,
        "evidence": verdict.evidence,
        "by_default": verdict.by_default,
        "warnings": [str(caution) for caution in verdict.warnings],
        "date": document.date,
    }


def _named(successor: Successor) -> dict[str, str]:
    named = {"id": successor.label, "path": successor.path, "title": successor.title, "external": successor.external}
    return {key: value for key, value in named.items() if value}
