"""The store of type `edge`: Qdrant's engine inside this process, in a folder."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any

import qdrant_edge as qdrant
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from pydantic import PrivateAttr

from citator.errors import StoreError
from citator.store.base import Store
from citator.store.folder import Folder
from citator.store.schema import DENSE, INDEXED, LEXICAL, Row, Where

_PAGE = 2000
_stderr = Lock()


class EdgeStore(Store):
    """A collection in a folder, which it opens for as long as it is held; needs about 100 ms for that at 10,000 pieces."""

    _folder: Folder = PrivateAttr()
    _shard: qdrant.EdgeShard | None = PrivateAttr(default=None)
    _is_copy: bool = PrivateAttr(default=False)

    def __init__(self, path: Path, dimension: int, wait: float) -> None:
        super().__init__(dimension=dimension)
        self._folder = Folder(path, wait)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "EdgeStore"

    @property
    def place(self) -> str:
        """The collection's folder."""
        return str(self._folder.path)

    @property
    def client(self) -> qdrant.EdgeShard:
        """The engine's shard, only while the store is held."""
        if self._shard is None:
            raise StoreError(f"{self.place}: not open; hold it with `with store:`")
        return self._shard

    def _open(self) -> None:
        path = self._folder.path
        if not path.is_dir() or not any(path.iterdir()):
            self._create()
        with self._folder.readable() as place, _quiet():
            self._is_copy = place != path
            self._shard = qdrant.EdgeShard.load(str(place))
        try:
            self._shard.query(qdrant.QueryRequest(1, query=qdrant.Query.Nearest([0.0] * self.dimension, using=DENSE)))
        except Exception as error:
            if "dimension" in str(error):
                raise StoreError(
                    f"{path}: holds vectors of another length than this model's {self.dimension}: {error}"
                ) from error
            raise

    def _create(self) -> None:
        """Makes the collection beside its place and moves it there; a half-made one from before is thrown away."""
        new = self._folder.new
        if new.exists():
            shutil.rmtree(new)
        self._need(0)
        new.mkdir()
        shard = qdrant.EdgeShard.create(
            str(new),
            qdrant.EdgeConfig(
                vectors={DENSE: qdrant.EdgeVectorParams(self.dimension, qdrant.Distance.Dot)},
                sparse_vectors={LEXICAL: qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
                # No graph: an exact search of 100,000 pieces takes milliseconds, and the gate is calibrated on exact scores.
                optimizers=qdrant.EdgeOptimizersConfig(indexing_threshold=0, vacuum_min_vector_number=100),
            ),
        )
        for key in INDEXED:
            shard.update(qdrant.UpdateOperation.create_field_index(key, qdrant.PayloadSchemaType.Keyword))
        shard.close()
        new.rename(self._folder.path)

    def _close(self) -> None:
        self._is_copy = False
        if self._shard is not None:
            shard, self._shard = self._shard, None
            shard.close()

    def _need(self, size: int) -> None:
        super()._need(size)
        if self._is_copy:
            raise StoreError(f"{self.place}: the disk was full when it was opened, so nothing is written; try again")

    def _explain(self, error: BaseException, text: str) -> str:
        if isinstance(error, (TypeError, ValueError)):
            return f"{self.place}: {text}"
        return (
            f"{self.place}: cannot be used: {text}; "
            "if that stays so, citator sync --rebuild builds it anew and keeps this folder aside"
        )

    def _write(self, nodes: Sequence[BaseNode]) -> None:
        points = [_point(node) for node in nodes]
        self.client.update(qdrant.UpdateOperation.upsert_points(points))

    def _delete(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> None:
        self.client.update(qdrant.UpdateOperation.delete_points_by_filter(_filter(filters, ids)))

    def _query(self, query: VectorStoreQuery) -> VectorStoreQueryResult:
        where = _filter(query.filters, query.node_ids, query.doc_ids)
        found = self.client.query(
            qdrant.QueryRequest(
                query.similarity_top_k, query=_nearest(query), filter=where, with_payload=True, with_vector=[DENSE]
            )
        )
        return VectorStoreQueryResult(
            nodes=[_node(point, _dense(point)) for point in found],
            similarities=[point.score for point in found],
            ids=[str(point.id) for point in found],
        )

    def _nodes(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> list[BaseNode]:
        where = _filter(filters, ids)
        return [_node(point, _dense(point)) for point in self._pages(where, True, [DENSE])]

    def _scan(self, where: Where, keys: Sequence[str], vectors: bool = False) -> Iterator[Row]:
        for point in self._pages(_where(where), list(keys), [DENSE] if vectors else False):
            yield Row(point.payload or {}, _dense(point) if vectors else [])

    def _pages(self, where: qdrant.Filter, payload: bool | list[str], vectors: bool | list[str]) -> Iterator[qdrant.Record]:
        offset: Any = None
        while True:
            found, offset = self.client.scroll(
                qdrant.ScrollRequest(offset=offset, limit=_PAGE, filter=where, with_payload=payload, with_vector=vectors)
            )
            yield from found
            if offset is None:
                return

    def _count(self, where: Where) -> int:
        return self.client.count(qdrant.CountRequest(exact=True, filter=_where(where)))

    def _facet(self, key: str) -> dict[str, int]:
        found = self.client.facet(qdrant.FacetRequest(key, limit=2**31, exact=True))
        return {str(hit.value): hit.count for hit in found.hits if hit.count}

    def optimise(self) -> bool:
        """Gives back the space of deleted pieces once they are a fifth of all; needs as much free space as the store takes."""
        with self._use():
            self._need(self._folder.used())
            return self.client.optimize()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the engine's report of a panic off the terminal; whatever else comes to stderr meanwhile is written after."""
    with _stderr, _scratch() as caught:
        kept = os.dup(2)
        os.dup2(caught.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        if caught.tell():
            caught.seek(0)
            os.write(2, caught.read())


def _scratch() -> IO[bytes]:
    """A file that is gone once it is closed, in memory where that can be had: the temporary folder may be on a full disk."""
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("citator"), "w+b")
    return TemporaryFile()


@cache
def _bm25() -> qdrant.Bm25:
    return qdrant.Bm25()


def _point(node: BaseNode) -> qdrant.Point:
    payload = {**node.metadata, "text": node.get_content()}
    if node.ref_doc_id:
        payload["doc_id"] = node.ref_doc_id
    words = _bm25().embed_document(node.get_content(metadata_mode=MetadataMode.EMBED))
    return qdrant.Point(node.node_id, {DENSE: node.get_embedding(), LEXICAL: words}, payload)


def _node(point: qdrant.Record | qdrant.ScoredPoint, embedding: list[float]) -> TextNode:
    payload = point.payload or {}
    text, document = payload.pop("text", ""), payload.pop("doc_id", None)
    node = TextNode(id_=str(point.id), text=text, metadata=payload, embedding=embedding)
    if document:
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
    return node


def _dense(point: qdrant.Record | qdrant.ScoredPoint) -> list[float]:
    vector: Any = point.vector
    return vector[DENSE]  # type: ignore[no-any-return]


def _nearest(query: VectorStoreQuery) -> qdrant.Query:
    if query.mode == VectorStoreQueryMode.DEFAULT and query.query_embedding is not None:
        return qdrant.Query.Nearest(query.query_embedding, using=DENSE)
    if query.mode == VectorStoreQueryMode.SPARSE and query.query_str is not None:
        return qdrant.Query.Nearest(_bm25().embed_query(query.query_str), using=LEXICAL)
    raise ValueError(f"a query of mode {query.mode.value!r} needs its embedding or, in mode 'sparse', its text")


def _where(where: Where) -> qdrant.Filter:
    return qdrant.Filter(must=[_field(key, qdrant.MatchAny(list(values))) for key, values in where.items()])


def _filter(
    filters: MetadataFilters | None, ids: Sequence[str] | None = None, documents: Sequence[str] | None = None
) -> qdrant.Filter:
    must: list[Any] = []
    if filters:
        must.append(_all(filters))
    if ids is not None:
        must.append(qdrant.HasIdCondition(set(ids)))
    if documents is not None:
        must.append(_field("doc_id", qdrant.MatchAny(list(documents))))
    return qdrant.Filter(must=must)


def _all(filters: MetadataFilters) -> qdrant.Filter:
    conditions = [_all(part) if isinstance(part, MetadataFilters) else _condition(part) for part in filters.filters]
    match filters.condition:
        case FilterCondition.OR:
            return qdrant.Filter(should=conditions)
        case FilterCondition.NOT:
            return qdrant.Filter(must_not=conditions)
    return qdrant.Filter(must=conditions)


def _condition(part: MetadataFilter) -> Any:
    value: Any = part.value
    many = value if isinstance(value, list) else [value]
    match part.operator:
        case FilterOperator.EQ if isinstance(value, float):
            return _range(part.key, gte=value, lte=value)
        case FilterOperator.EQ:
            return _field(part.key, qdrant.MatchValue(value))
        case FilterOperator.IN:
            return _field(part.key, qdrant.MatchAny(many))
        case FilterOperator.NE | FilterOperator.NIN:
            return _field(part.key, qdrant.MatchExcept(many))
        case FilterOperator.GT | FilterOperator.GTE | FilterOperator.LT | FilterOperator.LTE:
            return _range(part.key, **{part.operator.name.lower(): value})
        case FilterOperator.IS_EMPTY:
            return qdrant.IsEmptyCondition(part.key)
    raise ValueError(f"a filter with {part.operator.value!r} is not supported")


def _field(key: str, match: Any) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(key, match=match)


def _range(key: str, **limits: float) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(key, range=qdrant.RangeFloat(**limits))
