"""The data that flow through citator: frozen dataclasses, standard library only."""

import hashlib
import json
from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Record:
    """What can be found and cited: one note, one conversation, one decision.

    `id` stays the same between runs and is unique within its source; `label` is the short name people use
    (`ADR-0168`); `date` is ISO 8601 or empty, with a `~` behind it (ISO 8601-2: approximate) where only the file's time tells it;
    `path` says where the whole record can be read.
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
        """Digest of all that is embedded or shown, so that an unchanged record is never embedded twice.

        An approximate date is left out: a file that was merely touched has not changed.
        """
        date = "" if self.date.endswith("~") else self.date
        parts = (self.kind, self.title, self.text, self.description, self.label, date)
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
    """

    path: str
    title: str = ""
    label: str = ""
    date: str = ""
    aliases: tuple[str, ...] = ()
    anchor: str = ""

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
