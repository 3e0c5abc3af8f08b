"""A folder's records with their verdicts: what `citator adr` shows, without the rule that decided them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citator.records import Document, Reading, Successor, Verdict


@dataclass(frozen=True, slots=True)
class Standings:
    """A folder's records at one moment: what they declare, and the verdict on each by its path."""

    reading: Reading
    verdicts: Mapping[str, Verdict]

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
