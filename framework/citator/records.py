"""The data that flow through citator: frozen dataclasses, standard library only."""

import hashlib
import json
from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Record:
    """What can be found and cited: one note, one conversation, one decision.

    `id` stays the same between runs and is unique within its source; `label` is the short name people use
    (`ADR-0168`); `date` is ISO 8601 or empty; `path` says where the whole record can be read.
    """

    id: str
    kind: str
    title: str
    text: str = ""
    description: str = ""
    label: str = ""
    date: str = ""
    path: str = ""

    @property
    def hash(self) -> str:
        """Digest of all that is embedded or shown, so that an unchanged record is never embedded twice."""
        parts = (self.kind, self.title, self.text, self.description, self.label, self.date)
        return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Status(StrEnum):
    """The standing of a decision; everything but `live` is shown with a mark."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    PARTIALLY_SUPERSEDED = "partially superseded"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Document:
    """A decision record as the rule sees it: `path` is its identity (and its Record's id), `aliases` its other names.

    `label` is the short name that marks show, `path` may end in `#fragment` where one file holds many records.
    """

    path: str
    title: str = ""
    label: str = ""
    date: str = ""
    aliases: tuple[str, ...] = ()


class Place(StrEnum):
    """Where in a document a declaration stands; the rule reads the first hit of each kind of place."""

    FRONT_MATTER = "front matter"
    HEADER = "header"
    SECTION = "section"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a document says of its own or another's standing, untouched: the rule alone reads meaning into it.

    `field` is the name it stands under (`status`, `superseded by`, `supersedes`, …) in lower case with spaces, `text` the
    raw value with links in Markdown's inline form, `line` counts from 1 in the file of `path`.
    """

    path: str
    place: Place
    field: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Successor:
    """What replaced a record: another record's `path` and `label`, or `external` (a URL or text outside the folder)."""

    path: str = ""
    label: str = ""
    title: str = ""
    external: str = ""
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule makes of all declarations on one document.

    `successors` are the declared ones, `current` the live ends of the chains that begin with them (empty where a chain ends in nothing live);
    `evidence` is `file:line` of the declaration that decided, `declared` its raw text.
    """

    path: str
    status: Status
    successors: tuple[Successor, ...] = ()
    current: tuple[Successor, ...] = ()
    amended_by: tuple[Successor, ...] = ()
    declared: str = ""
    evidence: str = ""
    by_default: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that the retriever found: `score` is the raw similarity of its best piece, `mark` its standing as text.

    `verdict` is None where the record's source has no standing (notes, conversations).
    """

    source: str
    record: Record
    score: float
    verdict: Verdict | None = None
    mark: str = ""

    def without_description(self) -> "Hit":
        """The same hit as a headline only."""
        return replace(self, record=replace(self.record, description=""))
