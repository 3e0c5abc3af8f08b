"""Sources -> store: only what changed is embedded, newest first, and a crash at any point is mended by the next run."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import islice
from time import monotonic
from typing import Any, TypeVar

from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import BaseNode, TextNode

from citator.embedding import Model
from citator.errors import CitatorError, reason
from citator.pieces import PieceSplitter, document
from citator.records import Record
from citator.redaction import redact
from citator.sources import Problems, Source
from citator.store import RecordState, Store

T = TypeVar("T")

_TEXTS = tuple(each.name for each in fields(Record) if each.type is str)
_SURROGATE = re.compile(r"[\ud800-\udfff]")

RECORDS_AT_ONCE = 32
"""Records that are embedded together."""

WRITE_SECONDS = 3.0
"""How long what was embedded may wait to be written: what a crash costs at most."""

FEW = 4
"""Changes that are embedded while the store is held: opening it again would take longer."""

LOOKED_UP_AT_ONCE = 20
"""Batches for which vectors to copy are looked up together, since each look opens the store."""


@dataclass(slots=True)
class Summary:
    """What one sync did, in records; `problems` has a line for each thing that could not be read."""

    unchanged: int = 0
    embedded: int = 0
    copied: int = 0
    removed: int = 0
    pieces: int = 0
    problems: list[str] = field(default_factory=list)

    complete: bool = True

    def __str__(self) -> str:
        made = f"{self.embedded} embedded ({self.pieces} pieces)" + (f", {self.copied} copied" if self.copied else "")
        return f"{self.unchanged} unchanged, {made}, {self.removed} removed"

    def as_json(self) -> dict[str, object]:
        """The counts and problems, for programs."""
        return asdict(self)

    @property
    def changed(self) -> bool:
        """Whether the store now holds anything else than before."""
        return bool(self.embedded or self.copied or self.removed)


@dataclass(frozen=True, slots=True)
class _Change:
    source: str
    project: str
    record: Record


Progress = Callable[[int, int], None]
"""Called with the records done and the records to do."""


def sync(sources: Sequence[Source], store: Store, model: Model, progress: Progress, *, prune: bool = False) -> Summary:
    """Brings the store up to date with the sources.

    A source that cannot be listed to its end loses nothing, and neither does one that was full and is empty now, unless `prune`.
    """
    summary = Summary()
    with store:
        states = [store.hashes(source.key) for source in sources]
    changes = [
        change for source, known in zip(sources, states, strict=True) for change in _compare(source, known, store, summary, prune)
    ]
    changes.sort(key=lambda change: change.record.date, reverse=True)
    splitter = PieceSplitter(model.window, model.count_tokens)
    embedding = IngestionPipeline(transformations=[splitter, model.embed], disable_cache=True)
    progress(0, len(changes))
    writer = _Writer(store)
    done = 0
    with store if 0 < len(changes) <= FEW else nullcontext():
        try:
            for several in _batches(changes, RECORDS_AT_ONCE * LOOKED_UP_AT_ONCE):
                known = store.vectors_by_hash({change.record.hash for change in several})
                for batch in _batches(several, RECORDS_AT_ONCE):
                    nodes = _embedded(batch, known, splitter, embedding, summary)
                    writer.write(batch, nodes)
                    summary.pieces += len(nodes)
                    done += len(batch)
                    progress(done, len(changes))
        finally:
            writer.flush()
    return summary


class _Writer:
    """Writes what was embedded, some seconds' worth at a time, since each write opens the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changes: list[_Change] = []
        self._nodes: list[BaseNode] = []
        self._last = monotonic()

    def write(self, changes: Sequence[_Change], nodes: Sequence[BaseNode]) -> None:
        self._changes += changes
        self._nodes += nodes
        if monotonic() - self._last >= WRITE_SECONDS:
            self.flush()

    def flush(self) -> None:
        changes, nodes, self._changes, self._nodes = self._changes, self._nodes, [], []
        if changes:
            with self._store as store:
                store.add(nodes)
                for change in changes:
                    store.delete_old(change.source, change.record.id, change.record.hash)
        self._last = monotonic()


def _compare(source: Source, known: Mapping[str, RecordState], store: Store, summary: Summary, prune: bool) -> Iterator[_Change]:
    """The records of a source that are new or changed; what is gone from it is removed from the store on the way."""
    problems = Problems()
    seen: set[str] = set()
    complete = True
    try:
        for record in map(_storable, source.load(problems)):
            if record.id in seen:
                problems.add(record.path or record.id, f"a second record with the id {record.id!r}; left out")
                continue
            seen.add(record.id)
            if record.id in known and known[record.id].is_whole(record.hash):
                summary.unchanged += 1
            else:
                yield _Change(source.key, str(getattr(source, "project", None) or ""), record)
    except CitatorError as error:
        complete = summary.complete = False
        if not source.derived:
            problems.lines.append(str(error))
    except Exception as error:
        complete = summary.complete = False
        problems.lines.append(
            f"source {source.root} (type {source.type}): load failed: {reason(error)}; its records stay as they were"
        )
    summary.problems += problems.lines
    if not complete or source.keep_gone:
        return
    gone = known.keys() - seen - problems.kept
    if gone and not seen and not prune and not source.derived:
        summary.problems.append(f"{source.root}: was full and is empty now; nothing was removed (citator sync --prune does)")
    elif gone:
        store.delete_records(source.key, gone)
        summary.removed += len(gone)


def _storable(record: object) -> Record:
    """The record without secrets, and with lone surrogates (of file names in another encoding, say) as `�`."""
    if not isinstance(record, Record):
        raise TypeError(f"it gives a {type(record).__name__}, which is no Record")
    if wrong := next((name for name in _TEXTS if not isinstance(getattr(record, name), str)), ""):
        raise TypeError(f"record {record.id!r} has {wrong}={getattr(record, wrong)!r}, which is no text")
    record = replace(record, title=redact(record.title), description=redact(record.description), text=redact(record.text))
    texts: dict[str, str] = {name: getattr(record, name) for name in _TEXTS}
    try:
        "".join(texts.values()).encode()
    except UnicodeEncodeError:
        scrubbed: dict[str, Any] = {name: _SURROGATE.sub("\ufffd", text) for name, text in texts.items()}
        return replace(record, **scrubbed)
    return record


def _embedded(
    batch: list[_Change],
    known: Mapping[str, list[list[float]]],
    splitter: PieceSplitter,
    embedding: IngestionPipeline,
    summary: Summary,
) -> list[BaseNode]:
    """The pieces of a batch with their vectors: copied where an equal record of another source has them, else computed."""
    nodes: list[BaseNode] = []
    new = []
    for change in batch:
        made = document(change.record, change.source, change.project)
        pieces = splitter.split(made)
        vectors = known.get(change.record.hash, [])
        if len(vectors) == len(pieces):
            nodes += [_with_vector(piece, vector) for piece, vector in zip(pieces, vectors, strict=True)]
            summary.copied += 1
        else:
            new.append(made)
            summary.embedded += 1
    return [*nodes, *embedding.run(documents=new)] if new else nodes


def _with_vector(piece: TextNode, vector: list[float]) -> TextNode:
    piece.embedding = vector
    return piece


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
