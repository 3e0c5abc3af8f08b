"""A pipeline: built from its configuration, it syncs its sources and recalls for a message."""

import hashlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter

import platformdirs
from llama_index.core.schema import NodeWithScore, QueryBundle

from citator import pieces
from citator.config import PipelineConfig, load_config
from citator.embedding import Model
from citator.errors import CitatorError
from citator.gating import Calibration
from citator.index import DecisionIndex
from citator.plugins import Plugins
from citator.postprocessing import View
from citator.project import project_of, worktree_of
from citator.records import Hit, Record, Verdict
from citator.retrieval import RecordRetriever
from citator.store import Store, open_store
from citator.sync import Progress, Summary, sync


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that was found, and what became of it; `why` is empty where nobody said."""

    hit: Hit
    handed_over: bool
    why: str


@dataclass(frozen=True, slots=True)
class Recall:
    """Everything about one message: `block` is what the agent gets, `candidates` are best first, times in milliseconds."""

    message: str
    block: str
    candidates: tuple[Candidate, ...]
    milliseconds: Mapping[str, float]

    def best(self, count: int) -> list[Candidate]:
        """The candidates with the highest similarity, whatever became of them."""
        return sorted(self.candidates, key=lambda candidate: -candidate.hit.score)[:count]

    @property
    def hits(self) -> list[Hit]:
        """The records handed over, in the block's order."""
        return [candidate.hit for candidate in self.candidates if candidate.handed_over]


class Pipeline:
    """One project's pipeline in this process; the model and the store are loaded when first needed."""

    def __init__(self, config: PipelineConfig, project: Path, data: Path | None = None, *, indexing: bool = False) -> None:
        self.config, self.project, self._indexing = config, project, indexing
        self.data = data or platformdirs.user_data_path("citator")
        self.sources = {source.key: source for source in config.sources}
        self._indexes = {
            key: DecisionIndex(source.root, source.status) for key, source in self.sources.items() if source.status
        }
        self._reading: dict[str, Future[Mapping[str, Verdict]]] = {}
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="citator-index")

    @classmethod
    def open(cls, folder: Path, file: Path | None = None, *, indexing: bool = False) -> "Pipeline":
        """The pipeline of the project that `folder` belongs to; raises ConfigError where its YAML is wrong."""
        plugins = Plugins.load()
        project = project_of(folder)
        return cls(load_config(plugins, project, worktree_of(folder), file), project, indexing=indexing)

    @cached_property
    def model(self) -> Model:
        """The embedding model, loaded on first use."""
        return self.config.embedding.load(indexing=self._indexing)

    @cached_property
    def store(self) -> Store:
        """The collection of this model and way of cutting pieces."""
        identity = f"{self.model.fingerprint} {pieces.VERSION} {pieces.PIECE_CHARACTERS} {pieces.TITLE_CHARACTERS}"
        fingerprint = hashlib.sha256(identity.encode()).hexdigest()[:16]
        return open_store(self.config.store, self.data / "store", fingerprint, self.model.dimension)

    def sync(self, progress: Progress, *, prune: bool = False) -> Summary:
        """Brings the store up to date with the sources of this pipeline."""
        return sync(self.config.sources, self.store, self.model, progress, prune=prune)

    def recall(self, message: str) -> Recall:
        """What an agent is handed for a message; raises CitatorError where nothing was synced yet."""
        clock = _Clock()
        self._reading = {key: self._readers.submit(index.verdicts) for key, index in self._indexes.items()}
        bundle = QueryBundle(message)
        bundle.embedding = self.model.embed.get_query_embedding(message[: pieces.MESSAGE_CHARACTERS])
        clock.lap("embedding")
        nodes = self._retriever.retrieve(bundle)
        found = list(nodes)
        clock.lap("search")
        for options, step in self._steps:
            nodes = step.postprocess_nodes(nodes, query_bundle=bundle)
            clock.lap(options.type)
        hits = [self._hit(node) for node in nodes]
        block = self.config.renderer.render(hits)
        clock.lap("render")
        kept = {node.node.node_id for node in nodes}
        rest = [Candidate(self._hit(n), False, n.node.metadata.get("why", "")) for n in found if n.node.node_id not in kept]
        handed = [Candidate(hit, True, node.node.metadata.get("why", "")) for hit, node in zip(hits, nodes, strict=True)]
        return Recall(message, block, (*handed, *rest), clock.milliseconds)

    def verdicts(self, source: str) -> Mapping[str, Verdict] | None:
        """The verdicts of a source by record id, as read for the present message; None for a source without standing."""
        return self._reading[source].result() if source in self._reading else None

    @cached_property
    def _retriever(self) -> RecordRetriever:
        return RecordRetriever(self.store, self.model.embed, list(self.sources))

    @cached_property
    def _steps(self) -> list[tuple[str, BaseNodePostprocessor]]:
        view = View(self.sources, self.verdicts, self.calibration)
        return [(options.type, options.build(view)) for options in self.config.postprocessors]

    def _hit(self, node: NodeWithScore) -> Hit:
        data = node.node.metadata
        fields = ("kind", "title", "description", "label", "date", "path")
        record = Record(id=data["record"], **{field: data[field] for field in fields})
        verdicts = self.verdicts(data["source"]) or {}
        return Hit(data["source"], record, node.score or 0.0, verdicts.get(record.id), data.get("mark", ""))


class _Clock:
    """Milliseconds between laps."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.milliseconds[name] = 1000 * (now - self._last)
        self._last = now
