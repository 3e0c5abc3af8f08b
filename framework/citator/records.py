"""The data that flow through citator: frozen dataclasses, standard library only."""

import hashlib
import json
from dataclasses import dataclass, replace
from enum import StrEnum


class EdgeKind(StrEnum):
    """How a record is connected with another, as the one that says so has it; each has its inverse."""

    SUPERSEDED_BY = "superseded by"
    SUPERSEDES = "supersedes"
    AMENDED_BY = "amended by"
    AMENDS = "amends"
    INVALIDATED_BY = "invalidated by"
    INVALIDATES = "invalidates"
    CONFLICTS_WITH = "conflicts with"
    DEPENDS_ON = "depends on"
    NEEDED_BY = "needed by"
    CLARIFIED_BY = "clarified by"
    CLARIFIES = "clarifies"
    DECISION_FOR = "decision for"
    DECIDED_BY = "decided by"
    AFFECTS = "affects"
    AFFECTED_BY = "affected by"
    DOCUMENTS = "documents"
    DOCUMENTED_BY = "documented by"
    RELATES_TO = "relates to"
    COMES_FROM = "comes from"
    ORIGIN_OF = "origin of"
    LINK = "link"

    @property
    def inverse(self) -> "EdgeKind":
        """The same connection as the other record would say it."""
        return _INVERSES.get(self, self)


_PAIRS = (
    (EdgeKind.SUPERSEDED_BY, EdgeKind.SUPERSEDES),
    (EdgeKind.AMENDED_BY, EdgeKind.AMENDS),
    (EdgeKind.INVALIDATED_BY, EdgeKind.INVALIDATES),
    (EdgeKind.DEPENDS_ON, EdgeKind.NEEDED_BY),
    (EdgeKind.CLARIFIED_BY, EdgeKind.CLARIFIES),
    (EdgeKind.DECISION_FOR, EdgeKind.DECIDED_BY),
    (EdgeKind.AFFECTS, EdgeKind.AFFECTED_BY),
    (EdgeKind.DOCUMENTS, EdgeKind.DOCUMENTED_BY),
    (EdgeKind.COMES_FROM, EdgeKind.ORIGIN_OF),
)
_WOULD = {
    EdgeKind.SUPERSEDES: "would supersede",
    EdgeKind.SUPERSEDED_BY: "would be superseded by",
    EdgeKind.AMENDS: "would amend",
    EdgeKind.AMENDED_BY: "would be amended by",
}
_INVERSES = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}


@dataclass(frozen=True, slots=True)
class Edge:
    """A declared connection, seen from the record `start`; `evidence` is `file:line` of the declaration, whoever made it.

    `end` is a record's id, in the same source unless the kind of source says otherwise; what a note calls it where the note's
    source cannot tell. An `idle` one is claimed by a record that was never in force, and so has no effect.
    """

    start: str
    kind: EdgeKind
    end: str
    evidence: str
    idle: bool = False

    @property
    def words(self) -> str:
        """How the connection reads: an idle one only would be."""
        return _WOULD[self.kind] if self.idle else self.kind.value

    def turned(self) -> "Edge":
        """The same connection seen from its other end."""
        return Edge(self.end, self.kind.inverse, self.start, self.evidence, self.idle)


@dataclass(frozen=True, slots=True)
class Record:
    """What can be found and cited: one note, one conversation, one decision.

    `id` stays the same between runs and is unique within its source; `label` is the short name people use
    (`ADR-0168`); `date` is ISO 8601 or empty, with a `~` behind it (ISO 8601-2: approximate) where only the file's time tells it;
    `path` says where the whole record can be read; `edges` and `weight`, how much the record matters to those that it is
    connected with, are declared by the record, where no status resolver reads them.
    """

    id: str
    kind: str
    title: str
    text: str = ""
    description: str = ""
    label: str = ""
    date: str = ""
    path: str = ""
    edges: tuple[Edge, ...] = ()
    weight: float = 1.0

    @property
    def hash(self) -> str:
        """Digest of all that is embedded or shown, so that an unchanged record is never embedded twice.

        An approximate date is left out: a file that was merely touched has not changed.
        """
        date = "" if self.date.endswith("~") else self.date
        parts = [self.kind, self.title, self.text, self.description, self.label, date]
        parts += [part for edge in self.edges for part in (edge.kind, edge.end, edge.evidence)]
        parts += [str(self.weight)] if self.weight != 1 else []
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

    `label` is the short name that marks show; where one file holds many records, `path` ends in `#` and the record's `anchor`.
    `weight` is how much the record matters to those that it is connected with, beside the usual 1.
    """

    path: str
    title: str = ""
    label: str = ""
    date: str = ""
    aliases: tuple[str, ...] = ()
    anchor: str = ""
    weight: float = 1.0

    @property
    def file(self) -> str:
        """The path of the file that holds the record."""
        return self.path.removesuffix(f"#{self.anchor}") if self.anchor else self.path


class Place(StrEnum):
    """Where in a document a declaration stands; it decides how much the rule lets the declaration say."""

    FRONT_MATTER = "front matter"
    HEADER = "header"
    SECTION = "section"
    NOTE = "note"
    """A paragraph or box before the first section."""
    LINK = "link"
    """A list item or paragraph below the header that may begin with a relation ("Supersedes …")."""
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a document says of its own or another's standing, untouched: the rule alone reads meaning into it.

    `field` is the name it stands under (`status`, `superseded by`, …) in lower case with spaces, empty for free text; `text` is
    the raw value with links in Markdown's inline form, `line` counts from 1 in the file of `path`.
    """

    path: str
    place: Place
    field: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Option:
    """An approach that the record at `path` weighed: whether it was `chosen`, and the `reason` against it where one is given."""

    path: str
    name: str
    line: int
    chosen: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An approach that was turned down, by the decision at `path` (an option of it, or the decision itself) or in a note.

    `id` is its record's; `instead` says what was chosen, empty where nothing was; `evidence` is `file:line`.
    """

    id: str
    path: str
    name: str
    reason: str
    instead: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a dialect found in a file or a folder; `problems` has one line for each file that could not be read.

    `repository` is the `owner/name` that the folder belongs to, as its addresses have it, or empty; `unread` are the files whose
    text could not be read, so that their documents are known by their names alone.
    """

    documents: tuple[Document, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    problems: tuple[str, ...] = ()
    repository: str = ""
    unread: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Successor:
    """What replaced a record: another record's `path` and `label`, or `external` (a URL or text outside the folder).

    `missing` says that the record named by `label` is not in the folder, or that several may be meant; `repository` is an
    external one's `owner/name`.
    """

    path: str = ""
    label: str = ""
    title: str = ""
    external: str = ""
    repository: str = ""
    missing: bool = False


class Trouble(StrEnum):
    """The kinds of warnings, as a lint names them."""

    DISAGREEMENT = "disagreement"
    ONE_SIDED = "one-sided"
    NOT_IN_FORCE = "not-in-force"
    AMBIGUOUS = "ambiguous-reference"
    MISSING = "missing-reference"
    NO_SUCCESSOR = "no-successor"
    DEAD_END = "dead-end"
    CYCLE = "cycle"
    NO_STATUS = "no-status"
    UNKNOWN_STATUS = "unknown-status"
    FRONT_MATTER = "front-matter"
    DUPLICATE = "duplicate-number"
    GAP = "gap-in-numbers"
    DRIFT = "index-drift"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing about a record's standing that somebody should look at; `evidence` is `file:line`."""

    trouble: Trouble
    text: str
    evidence: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule makes of all declarations on one document.

    `successors` are the declared ones, `current` the live ends of the chains that begin with them (empty where nothing there is
    live); `evidence` is `file:line` of the declaration that decided, `declared` its raw text.
    """

    path: str
    status: Status
    successors: tuple[Successor, ...] = ()
    current: tuple[Successor, ...] = ()
    amended_by: tuple[Successor, ...] = ()
    declared: str = ""
    evidence: str = ""
    by_default: bool = False
    warnings: tuple[Caution, ...] = ()


class Part(StrEnum):
    """The parts of a block, in its order."""

    HEADLINE = "headline"
    REJECTED = "rejected"
    RELATED = "related"


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
    part: Part = Part.HEADLINE

    def without_description(self) -> "Hit":
        """The same hit as a headline only."""
        return replace(self, record=replace(self.record, description=""))
