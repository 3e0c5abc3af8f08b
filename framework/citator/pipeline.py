"""A pipeline: built from its configuration, it syncs its sources and recalls for a message."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import perf_counter

import platformdirs
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from citator import messages, pieces
from citator.calibrations import Calibrations
from citator.config import PipelineConfig, config_of
from citator.embedding import Model
from citator.errors import ConfigError, EmbeddingError, PluginError, SourceError, StoreError, blamed
from citator.gating import MESSAGE_CHARACTERS
from citator.index import DecisionIndex
from citator.naming import named, names, only_names
from citator.postprocessing import Postprocessor, View
from citator.project import project_of, worktree_of
from citator.records import Hit, Part, Reading, Record, Verdict
from citator.retrieval import APPROACHES, RecordRetriever
from citator.sources import REJECTED, RejectedOf
from citator.standings import Standings
from citator.store import Store, open_store
from citator.switching import Complete
from citator.sync import Progress, Summary, sync

PAST_MESSAGES = 300
"""How many of the user's own messages a calibration counts at most: about as many as there are everyday ones in English."""


FIRST_CALIBRATED = 32
"""Records after which a sync that goes on calibrates for the first time: with a large model ten seconds."""

NO_SOURCE = (
    "nothing was found to recall from: no notes, conversations or decision records of this project; name a source in its pipeline"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that was found, and what became of it; `why` is empty where nobody said."""

    hit: Hit
    handed_over: bool
    why: str
    standing: float | None = None
    """How far the gate puts it above everyday messages, in standard deviations; None where it was not asked."""

    def as_json(self) -> dict[str, object]:
        """The record, its standing and what became of it, for programs."""
        record = {key: value for key, value in asdict(self.hit.record).items() if key not in ("text", "edges", "weight")}
        verdict = asdict(self.hit.verdict) if self.hit.verdict else None
        return {
            "source": self.hit.source,
            **record,
            "score": self.hit.score,
            "standing": self.standing,
            "mark": self.hit.mark,
            "part": self.hit.part.value,
            "verdict": verdict,
            "handed_over": self.handed_over,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Recall:
    """Everything about one message.

    `block` is what the agent gets; `candidates` begin with those handed over, in its order; `problems` has a line for each source
    or file whose standing cannot be read now: its records are marked as unknown, and a file may replace others.
    """

    message: str
    block: str
    candidates: tuple[Candidate, ...]
    milliseconds: Mapping[str, float]
    problems: tuple[str, ...] = ()

    @property
    def hits(self) -> list[Hit]:
        """The records handed over, in the block's order."""
        return [candidate.hit for candidate in self.candidates if candidate.handed_over]

    def ranked(self) -> list[Candidate]:
        """The candidates, the likeliest first: those handed over, the others by the gate's measure or else by similarity."""
        rest = [candidate for candidate in self.candidates if not candidate.handed_over]
        rest.sort(key=lambda candidate: -(candidate.hit.score if candidate.standing is None else candidate.standing))
        return [*(candidate for candidate in self.candidates if candidate.handed_over), *rest]

    def best(self, count: int) -> list[Candidate]:
        """The candidates with the highest similarity, whatever became of them."""
        return sorted(self.candidates, key=lambda candidate: -candidate.hit.score)[:count]

    def as_json(self) -> dict[str, object]:
        """Everything, for programs."""
        return {
            "message": self.message,
            "block": self.block,
            "bytes": len(self.block.encode()),
            "milliseconds": {step: round(time, 2) for step, time in self.milliseconds.items()},
            "problems": list(self.problems),
            "candidates": [candidate.as_json() for candidate in self.candidates],
        }


def _nothing(_: Hit) -> str:
    return ""


class Pipeline:
    """One project's pipeline in this process; the model and the store are loaded when first needed."""

    def __init__(self, config: PipelineConfig, project: Path, data: Path | None = None, *, indexing: bool = False) -> None:
        self.config, self.project, self._indexing = config, project, indexing
        self.data = data or platformdirs.user_data_path("citator")
        self._complete = Complete(self.data / "models-complete", project, config.store)
        self.embedding = config.embedding if indexing else self._complete.serving(config.embedding)
        self.sources = {source.key: source for source in config.sources}
        self.indexes = {key: DecisionIndex(source.root, source.status) for key, source in self.sources.items() if source.status}
        self._reading: dict[str, Future[Standings]] = {}
        self._approaches: list[NodeWithScore] = []
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="citator-index")

    @classmethod
    def open(cls, folder: Path, file: Path | None = None, *, indexing: bool = False) -> "Pipeline":
        """The pipeline of the project that `folder` belongs to; raises ConfigError where it or its YAML is wrong."""
        if not worktree_of(folder).is_dir():
            raise ConfigError(f"{folder}: there is no such folder")
        return cls(config_of(folder, file), project_of(folder), indexing=indexing)

    @cached_property
    def model(self) -> Model:
        """The embedding model, loaded on first use; that of the YAML where the one before it cannot be loaded any more."""
        try:
            loaded = self._loaded()
        except EmbeddingError as error:
            if self._indexing:
                self._complete.failed(self.embedding, str(error))
            if not self.is_switching:
                raise
            self.embedding = self.config.embedding
            return self._loaded()
        if self._indexing:
            self._complete.failed(self.embedding, "")
        return loaded

    def _loaded(self) -> Model:
        with blamed(f"embedding {self.embedding.type}: cannot be loaded", EmbeddingError):
            return self.embedding.load(indexing=self._indexing)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of all that changes a vector: the model, and the way of cutting pieces."""
        identity = f"{self.model.fingerprint} {pieces.VERSION} {pieces.PIECE_CHARACTERS} {pieces.TITLE_CHARACTERS}"
        return hashlib.sha256(identity.encode()).hexdigest()[:16]

    @cached_property
    def store(self) -> Store:
        """The collection of this fingerprint."""
        return open_store(self.config.store, self.data / "store", self.fingerprint, self.model.dimension)

    @cached_property
    def calibrations(self) -> Calibrations:
        """What the gate knows of this pipeline's view: its sources in this collection."""
        own = self.past_messages if any(step.own_messages for step in self.config.postprocessors) else None
        return Calibrations(self.data / "calibrations", self.fingerprint, self.model, self.store, list(self.sources), own)

    def past_messages(self) -> list[str]:
        """The latest messages that the user wrote and that something is recalled for, as the sources keep them."""
        said = (messages.worded(text) for text in self._said() if not messages.why_silent(text))
        return list(islice(said, PAST_MESSAGES))

    def _said(self) -> Iterator[str]:
        for source in self.sources.values():
            with blamed(f"source {source.root} (type {source.type}): messages failed"):
                yield from (message.text for message in source.messages())

    @cached_property
    def retriever(self) -> RecordRetriever:
        """Finds records of this pipeline's sources; a LlamaIndex retriever."""
        return RecordRetriever(self.store, self.model.embed, list(self.sources))

    @cached_property
    def rejected(self) -> list[RejectedOf]:
        """The rejected approaches of each source, where a step works on them."""
        wanted = any(step.wants_approaches for step in self.config.postprocessors)
        return [RejectedOf(of=source) for source in self.config.sources] if wanted else []

    @cached_property
    def _approaches_retriever(self) -> RecordRetriever:
        return RecordRetriever(self.store, self.model.embed, [source.key for source in self.rejected], APPROACHES)

    @cached_property
    def _approaches_calibrations(self) -> Calibrations:
        keys = [source.key for source in self.rejected]
        return Calibrations(self.data / "calibrations", self.fingerprint, self.model, self.store, keys)

    @cached_property
    def postprocessors(self) -> list[BaseNodePostprocessor]:
        """The steps of the YAML in its order; LlamaIndex node postprocessors."""
        view = View(
            self.sources,
            self.verdicts,
            self.calibrations.current,
            self.standings,
            self.retriever.beginnings,
            self.approaches,
            self._approaches_calibrations.current,
        )
        return [self._built(options, view) for options in self.config.postprocessors]

    @staticmethod
    def _built(options: Postprocessor, view: View) -> BaseNodePostprocessor:
        with blamed(f"postprocessor {options.type}: cannot be built"):
            return options.build(view)

    @property
    def is_switching(self) -> bool:
        """Whether another model than that of the YAML answers, until a sync has completed the collection of that one."""
        return not self._indexing and self.embedding != self.config.embedding

    @property
    def notices(self) -> list[str]:
        """What of the pipeline files is not obeyed, or not yet, one line each."""
        return [*self.config.notices, *([self._complete.notice(self.config.embedding)] if self.is_switching else [])]

    @property
    def is_current(self) -> bool:
        """Whether the model that answers is the one that should by now: a sync may have completed another since."""
        return self._indexing or self.embedding == self._complete.serving(self.config.embedding)

    def sync(self, progress: Progress, *, prune: bool = False, optimise: bool = True) -> Summary:
        """Brings the store up to date with the sources, and the gate's calibration with the store.

        In a long sync the calibration is made on the way too, whenever the records done have doubled, so that a recall meanwhile
        is gated by what is there.
        """
        due = FIRST_CALIBRATED

        def watched(done: int, total: int) -> None:
            nonlocal due
            progress(done, total)
            if done >= due and done < total:
                self.calibrations.update()
                due = 2 * done

        sources = [*self.config.sources, *self.rejected]
        summary = sync(sources, self.store, self.model, watched, prune=prune)
        calibrations = [self.calibrations, *([self._approaches_calibrations] if self.rejected else [])]
        with self.store:
            if optimise and summary.changed:
                self.store.optimise()
            views = [each.changed() for each in calibrations]
        for each, view in zip(calibrations, views, strict=True):
            each.make(view)
        if summary.complete:
            self._complete.add(self.embedding)
        return summary

    def recall(self, message: str, drop: Callable[[Hit], str] = _nothing) -> Recall:
        """What an agent is handed for a message; raises StoreError where nothing was synced yet.

        `drop` says why a hit is not handed over after all, or nothing; a record that the message names is handed over
        all the same.
        """
        clock = _Clock()
        self._reading = {key: self._readers.submit(index.standings) for key, index in self.indexes.items()}
        self._approaches = []
        try:
            return self._recall(message, drop, clock)
        finally:
            self._reading = {}

    def _recall(self, message: str, drop: Callable[[Hit], str], clock: "_Clock") -> Recall:
        bundle = QueryBundle(message)
        bundle.embedding = self.model.embed.get_query_embedding(message[:MESSAGE_CHARACTERS])
        clock.lap("embedding")
        with self.store:
            clock.lap("open")
            found = self._found(bundle)
            nodes = list(found)
            if not found and not self.store.count(self.sources):
                unsynced = "nothing is in the store for this pipeline yet; say: citator sync"
                raise StoreError(unsynced if self.sources else NO_SOURCE)
            clock.lap("search")
            for options, step in zip(self.config.postprocessors, self.postprocessors, strict=True):
                with blamed(f"postprocessor {options.type}: failed"):
                    nodes = list(step.postprocess_nodes(nodes, query_bundle=bundle))
                clock.lap(options.type)
        clock.lap("close")
        block, written = self._written([node for node in nodes if not self._is_dropped(node, drop)])
        clock.lap("render")
        handed = [self._candidate(node, handed_over=True) for node in written]
        others = {node.node.node_id: node for node in (*found, *self._approaches, *nodes)}
        for node in written:
            others.pop(node.node.node_id, None)
        rest = [self._candidate(node, handed_over=False) for node in others.values()]
        return Recall(message, block, (*handed, *rest), clock.milliseconds, tuple(self._problems()))

    def _written(self, nodes: list[NodeWithScore]) -> tuple[str, list[NodeWithScore]]:
        """The block, and the nodes that it has."""
        hits = [self._candidate(node, handed_over=True).hit for node in nodes]
        renderer = self.config.renderer
        with blamed(f"renderer {renderer.type}: failed"):
            block: object = renderer.render(hits)
            kept = renderer.written(hits)
        if not isinstance(block, str):
            raise PluginError(
                f"renderer {renderer.type}: gives a {type(block).__name__}; it must give a text, which may be empty"
            )
        written = []
        for node, hit in zip(nodes, hits, strict=True):
            if hit in kept:
                written.append(node)
            else:
                node.node.metadata["why"] = "the block has no room for it"
        return block, written

    def _problems(self) -> Iterator[str]:
        for source, future in self._reading.items():
            if error := future.exception():
                yield str(error)
            else:
                root = self.indexes[source].root
                yield from (f"{root}/{problem}" for problem in future.result().reading.problems)

    def why_silent(self, message: str) -> str:
        """Why nothing is recalled for what an agent sent, or nothing; what a person wrote that names a record never is silent."""
        silent = messages.why_silent(message)
        if not silent or silent == "machine":
            return silent
        asked = names(messages.worded(message))
        named_here = asked and any(named(asked, index.documents().values()) for index in self.indexes.values())
        return "" if named_here else silent

    def verdicts(self, source: str) -> Mapping[str, Verdict] | None:
        """The verdicts of a source by record id, as its files read now; None for a source without standing.

        There are none where its folder cannot be listed: nothing of it can be said to be current.
        """
        standings = self.standings(source)
        return None if standings is None else standings.verdicts

    def standings(self, source: str) -> Standings | None:
        """All that the records of a source declare, as its files read now; None for a source without standing.

        Nothing is in there where its folder cannot be listed.
        """
        if source not in self.indexes:
            return None
        try:
            return self._reading[source].result() if source in self._reading else self.indexes[source].standings()
        except SourceError:
            return Standings(Reading(), {})

    def approaches(self, bundle: QueryBundle) -> list[NodeWithScore]:
        """The rejected approaches nearest to a message, a node for each, whether or not they are near enough."""
        if self.rejected:
            self._approaches = self._approaches_retriever.retrieve(bundle)
        return self._approaches

    def forget(self, record: str) -> int:
        """Removes the records with this id, in any source of this pipeline; gives their number."""
        owners = [key for key in self.sources if record in self.store.hashes(key)]
        for key in owners:
            self.store.delete_records(key, [record])
            rejected = self.store.hashes(f"{key}{REJECTED}")
            self.store.delete_records(f"{key}{REJECTED}", [own for own in rejected if own.startswith(f"{record}{REJECTED}")])
        return len(owners)

    def forget_source(self, source: str) -> int:
        """Removes all records of a source, whether or not this pipeline still names it; gives their number."""
        known = len(self.store.hashes(source))
        self.store.forget(source)
        self.store.forget(f"{source}{REJECTED}")
        return known

    def _found(self, bundle: QueryBundle) -> list[NodeWithScore]:
        """The nearest nodes, with those of the decisions that the message names in front and `named` in their metadata.

        To a message that only names decisions no others are near.
        """
        asked = names(bundle.query_str)
        if not asked:
            return self.retriever.retrieve(bundle)
        first: list[NodeWithScore] = []
        labels: list[str] = []
        for source, index in self.indexes.items():
            with suppress(SourceError):
                documents = index.documents().values()
                labels += (document.label for document in documents)
                if paths := named(asked, documents):
                    first += self.retriever.records(bundle, [source], paths)
        for node in first:
            node.node.metadata["named"] = True
        if only_names(bundle.query_str, labels):
            return first
        ids = {node.node.node_id for node in first}
        return [*first, *(node for node in self.retriever.retrieve(bundle) if node.node.node_id not in ids)]

    def _is_dropped(self, node: NodeWithScore, drop: Callable[[Hit], str]) -> bool:
        why = "" if node.node.metadata.get("named") else drop(self._candidate(node, handed_over=False).hit)
        if why:
            node.node.metadata["why"] = why
        return bool(why)

    def _candidate(self, node: NodeWithScore, *, handed_over: bool) -> Candidate:
        data = node.node.metadata
        fields = ("kind", "title", "description", "label", "date", "path")
        record = Record(id=data["record"], **{field: data[field] for field in fields})
        verdict = (self.verdicts(data["source"]) or {}).get(record.id)
        part = Part(data.get("part", Part.HEADLINE))
        hit = Hit(data["source"], record, node.score or 0.0, verdict, data.get("mark", ""), part)
        return Candidate(hit, handed_over, data.get("why", ""), data.get("standing"))


class _Clock:
    """Milliseconds between laps."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.milliseconds[name] = 1000 * (now - self._last)
        self._last = now
