"""What the rest of citator knows of a store, whatever keeps it: LlamaIndex's vector store, and the questions that sync asks."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from threading import RLock
from types import TracebackType
from typing import Any, Self

import numpy as np
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from numpy.typing import NDArray
from pydantic import PrivateAttr

from citator.errors import StoreError
from citator.store.folder import HEADROOM, Folder, private
from citator.store.schema import RecordState, Row, Where, prepare


class Store(BasePydanticVectorStore, ABC):
    """One collection of pieces; every call raises StoreError where the store cannot be used.

    A node's metadata must hold `source`, `record`, `hash`, `piece` and `pieces`; its id is made from them. `with store:` holds
    the store for this process; without it each call holds it for its own moment only, so that processes can take turns. What
    was written is safe against the end of the process at once, and against the end of the machine when the hold ends.
    """

    stores_text: bool = True
    dimension: int

    _folder: Folder | None = PrivateAttr(default=None)
    _mutex: Any = PrivateAttr(default_factory=RLock)
    _holds: int = PrivateAttr(default=0)
    _version: int = PrivateAttr(default=0)

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the collection is, as error messages name it."""

    @property
    def version(self) -> int:
        """Another number once this process wrote, or let others write: what was counted before may be wrong then."""
        return self._version

    @abstractmethod
    def _open(self) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...

    @abstractmethod
    def _write(self, nodes: Sequence[BaseNode]) -> None: ...

    @abstractmethod
    def _delete(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> None: ...

    @abstractmethod
    def _query(self, query: VectorStoreQuery) -> VectorStoreQueryResult: ...

    @abstractmethod
    def _nodes(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> list[BaseNode]: ...

    @abstractmethod
    def _scan(self, where: Where, keys: Sequence[str], vectors: bool = False) -> Iterator[Row]: ...

    @abstractmethod
    def _count(self, where: Where) -> int: ...

    @abstractmethod
    def _facet(self, key: str) -> dict[str, int]: ...

    def optimise(self) -> bool:
        """Gives back the space of deleted pieces where that is worth it; whether it did anything."""
        return False

    def __enter__(self) -> Self:
        with self._mutex:
            if not self._holds:
                self._start()
            self._holds += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._mutex:
            self._holds -= 1
            if not self._holds:
                self._stop()

    def _start(self) -> None:
        self._version += 1
        if self._folder:
            self._folder.acquire(to_open=True)
        try:
            with self._guard():
                self._open()
        except BaseException:
            self._stop()
            raise

    def _stop(self) -> None:
        try:
            with self._guard():
                self._close()
        finally:
            if self._folder:
                self._folder.release()

    @contextmanager
    def _use(self) -> Iterator[None]:
        with self, self._guard():
            yield

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turns whatever the engine raises into a StoreError of one line; its panics are no Exceptions."""
        try:
            with private if self._folder else nullcontext():
                yield
        except StoreError:
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            text = " ".join(str(error).split())[:300] or type(error).__name__
            raise StoreError(self._explain(error, f"a piece without {text}" if isinstance(error, KeyError) else text)) from error

    def _need(self, size: int) -> None:
        if self._folder:
            self._folder.need(HEADROOM + size)

    @abstractmethod
    def _explain(self, error: BaseException, text: str) -> str: ...

    def wanted(self) -> bool:
        """Whether another process waits for this one to let go of the store."""
        return bool(self._holds and self._folder and self._folder.wanted())

    def set_aside(self) -> str:
        """Puts the collection's folder aside under another name, which it returns ("" where there is none), to begin anew."""
        if not self._folder:
            raise StoreError(f"{self.place}: a server's collection cannot be put aside; rename or delete it on the server")
        self._folder.acquire(to_open=False)
        try:
            return str(self._folder.set_aside()) if self._folder.path.exists() else ""
        except OSError as error:
            raise StoreError(f"{self.place}: cannot be put aside: {error.strerror}") from error
        finally:
            self._folder.release()

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Writes pieces with their embeddings, over those of the same ids; gives each node its id."""
        for node in nodes:
            prepare(node, self.dimension)
        if nodes:
            with self._use():
                self._need(sum(4096 + 12 * self.dimension + 16 * len(node.get_content()) for node in nodes))
                self._write(nodes)
                self._version += 1
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        """Removes the pieces whose nodes came from the LlamaIndex document of this id."""
        self.delete_nodes(filters=_equal(doc_id=ref_doc_id))

    def delete_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **_: Any) -> None:
        """Removes the pieces that have one of the ids and pass the filters; nothing where neither is given."""
        if node_ids or (filters and filters.filters):
            with self._use():
                self._need(0)
                self._delete(node_ids, filters)
                self._version += 1

    def clear(self) -> None:
        """Removes all pieces of the collection."""
        self.delete_nodes(filters=_of(self.sources()))

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """The nearest pieces, best first: by meaning (mode `default`) or by the words of `query_str` (mode `sparse`)."""
        if query.mode not in (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.SPARSE):
            raise StoreError(f"{self.place}: cannot search in mode {query.mode.value!r}; there are: default, sparse")
        if query.query_embedding is not None and len(query.query_embedding) != self.dimension:
            raise StoreError(
                f"{self.place}: holds vectors of {self.dimension} dimensions, asked with one of {len(query.query_embedding)}"
            )
        with self._use():
            return self._query(query)

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """All pieces that have one of the ids and pass the filters, with their embeddings."""
        with self._use():
            return self._nodes(node_ids, filters)

    def hashes(self, source: str) -> dict[str, RecordState]:
        """What is there of each record of a source."""
        found: dict[str, dict[str, list[int]]] = {}
        with self._use():
            for row in self._scan({"source": [source]}, ("record", "hash", "pieces")):
                record, content, pieces = row.payload["record"], row.payload["hash"], row.payload["pieces"]
                found.setdefault(record, {}).setdefault(content, []).append(pieces)
        return {
            record: RecordState(frozenset(hashes), all(len(pieces) == pieces[0] for pieces in hashes.values()))
            for record, hashes in found.items()
        }

    def vectors_by_hash(self, hashes: Iterable[str]) -> dict[str, list[list[float]]]:
        """The vectors, in the order of the pieces, of those contents that are there complete, whatever their source."""
        found: dict[tuple[str, str, str], dict[int, list[float]]] = {}
        sizes: dict[str, int] = {}
        with self._use():
            for row in self._scan({"hash": sorted(hashes)}, ("source", "record", "hash", "piece", "pieces"), vectors=True):
                source, record, content, piece, pieces = (
                    row.payload[key] for key in ("source", "record", "hash", "piece", "pieces")
                )
                found.setdefault((source, record, content), {})[piece] = row.vector
                sizes[content] = pieces
        return {
            content: [pieces[number] for number in sorted(pieces)]
            for (_, _, content), pieces in found.items()
            if len(pieces) == sizes[content]
        }

    def pieces(self, sources: Iterable[str]) -> tuple[list[str], list[str], NDArray[np.float32]]:
        """The texts, the sources and the dense vectors (one a row) of all pieces of these sources, in no order."""
        with self._use():
            rows = list(self._scan({"source": sorted(sources)}, ("text", "source"), vectors=True))
        vectors = np.array([row.vector for row in rows], dtype=np.float32).reshape(-1, self.dimension)
        return [row.payload["text"] for row in rows], [row.payload["source"] for row in rows], vectors

    def records(self, sources: Iterable[str]) -> list[dict[str, str]]:
        """The source, id (`record`), title, label and path of each record of these sources."""
        with self._use():
            rows = list(self._scan({"source": sorted(sources)}, ("source", "record", "title", "label", "path")))
        return list({(row.payload["source"], row.payload["record"]): row.payload for row in rows}.values())

    def count(self, sources: Iterable[str] | None = None) -> int:
        """How many pieces there are, of these sources or of all."""
        with self._use():
            return self._count({} if sources is None else {"source": sorted(sources)})

    def sources(self) -> dict[str, int]:
        """The keys of the sources that are there, with how many pieces each has."""
        with self._use():
            return self._facet("source")

    def delete_records(self, source: str, records: Collection[str]) -> None:
        """Removes records of a source; raises nothing for one that is not there."""
        if records:
            self.delete_nodes(filters=_all(_of([source]), _in("record", records)))

    def delete_old(self, source: str, record: str, keep_hash: str) -> None:
        """Removes all pieces of a record but those of one content."""
        other = MetadataFilter(key="hash", value=keep_hash, operator=FilterOperator.NE)
        self.delete_nodes(filters=_all(_equal(source=source, record=record), other))

    def forget(self, source: str) -> None:
        """Removes a whole source."""
        self.delete_nodes(filters=_of([source]))


def _equal(**values: str) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value) for key, value in values.items()])


def _in(key: str, values: Iterable[str]) -> MetadataFilter:
    return MetadataFilter(key=key, value=sorted(values), operator=FilterOperator.IN)


def _of(sources: Iterable[str]) -> MetadataFilters:
    return _all(_in("source", sources))


def _all(*filters: MetadataFilter | MetadataFilters) -> MetadataFilters:
    return MetadataFilters(filters=list(filters))
