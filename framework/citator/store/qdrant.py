"""The stores of type `server` and `local`: LlamaIndex's own Qdrant store, over a connection or qdrant-client's local mode."""

import json
import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import MetadataFilters, VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.qdrant import QdrantVectorStore
from pydantic import PrivateAttr
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from citator.errors import StoreError
from citator.options import StoreOptions
from citator.store.base import Store
from citator.store.folder import Folder
from citator.store.schema import DENSE, INDEXED, LEXICAL, Row, Where

if TYPE_CHECKING:
    from qdrant_edge import Bm25

_PAGE = 500

_NODE = "_node_content"
"""Where LlamaIndex's store keeps the whole node as JSON, its text included."""


class QdrantStore(Store):
    """A collection behind a Qdrant client; LlamaIndex's store does what its interface has, the client the rest."""

    _name: str = PrivateAttr()
    _inner: QdrantVectorStore | None = PrivateAttr(default=None)

    @abstractmethod
    def _connect(self) -> QdrantClient: ...

    @property
    def client(self) -> QdrantClient:
        """The client, only while the store is held."""
        return self._opened.client  # type: ignore[no-any-return]

    @property
    def _opened(self) -> QdrantVectorStore:
        if self._inner is None:
            raise StoreError(f"{self.place}: not open; hold it with `with store:`")
        return self._inner

    def _open(self) -> None:
        if self._inner is None:
            client = self._connect()
            try:
                self._prepare(client)
                self._inner = QdrantVectorStore(
                    self._name,
                    client=client,
                    enable_hybrid=True,
                    sparse_doc_fn=_documents,
                    sparse_query_fn=_query,
                    dense_vector_name=DENSE,
                    sparse_vector_name=LEXICAL,
                )
            except BaseException:
                client.close()
                raise

    def _prepare(self, client: QdrantClient) -> None:
        """Makes the collection, or what is missing of it after a crash."""
        if not client.collection_exists(self._name):
            client.create_collection(
                self._name,
                vectors_config={DENSE: models.VectorParams(size=self.dimension, distance=models.Distance.DOT)},
                sparse_vectors_config={LEXICAL: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )
        info = client.get_collection(self._name)
        vectors = info.config.params.vectors
        size = vectors[DENSE].size if isinstance(vectors, dict) and DENSE in vectors else None
        if size != self.dimension:
            raise StoreError(f"{self.place}: holds vectors of {size} dimensions, not of this model's {self.dimension}")
        if self._folder is None:
            for key in INDEXED:
                if key not in info.payload_schema:
                    client.create_payload_index(self._name, key, models.PayloadSchemaType.KEYWORD)

    def _write(self, nodes: Sequence[BaseNode]) -> None:
        self._opened.add(list(nodes))

    def _delete(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> None:
        self._opened.delete_nodes(list(ids) if ids is not None else None, _nested(filters))

    def _query(self, query: VectorStoreQuery) -> VectorStoreQueryResult:
        return self._opened.query(query)

    def _nodes(self, ids: Sequence[str] | None, filters: MetadataFilters | None) -> list[BaseNode]:
        return self._opened.get_nodes(list(ids) if ids is not None else None, _nested(filters), limit=max(1, self._count({})))

    def _scan(self, where: Where, keys: Sequence[str], vectors: bool = False) -> Iterator[Row]:
        wanted = [_NODE if key == "text" else key for key in keys]
        offset: Any = None
        while True:
            found, offset = self.client.scroll(
                self._name,
                scroll_filter=_where(where),
                limit=_PAGE,
                offset=offset,
                with_payload=wanted or False,
                with_vectors=[DENSE] if vectors else False,
            )
            for point in found:
                payload, vector = point.payload or {}, cast(dict[str, list[float]], point.vector)
                if _NODE in payload:
                    payload["text"] = json.loads(payload.pop(_NODE))["text"]
                yield Row(payload, vector[DENSE] if vectors else [])
            if offset is None:
                return

    def _count(self, where: Where) -> int:
        return self.client.count(self._name, count_filter=_where(where), exact=True).count

    def _facet(self, key: str) -> dict[str, int]:
        found = self.client.facet(self._name, key, limit=2**31 - 1, exact=True)
        return {str(hit.value): hit.count for hit in found.hits if hit.count}


class ServerStore(QdrantStore):
    """A collection on a Qdrant server; it needs no lock and stays connected."""

    _options: StoreOptions = PrivateAttr()

    def __init__(self, options: StoreOptions, name: str, dimension: int) -> None:
        super().__init__(dimension=dimension)
        self._options, self._name = options, name

    @property
    def place(self) -> str:
        """The server's address."""
        return str(self._options.url)

    def _connect(self) -> QdrantClient:
        variable = self._options.api_key_env
        if variable and not os.environ.get(variable):
            raise StoreError(f"{self.place}: the API key is missing: the environment variable {variable} is not set")
        key = os.environ[variable] if variable else None
        return QdrantClient(url=self._options.url, api_key=key, check_compatibility=False, timeout=10)

    def _close(self) -> None:
        """Keeps the connection."""

    def _explain(self, error: BaseException, text: str) -> str:
        if isinstance(error, ResponseHandlingException):
            return f"{self.place}: the Qdrant server cannot be reached: {text}; start it, or correct store.url"
        if isinstance(error, UnexpectedResponse) and error.status_code in (401, 403):
            return f"{self.place}: the Qdrant server refuses the API key; name the variable that holds it in store.api_key_env"
        return f"{self.place}: the Qdrant server refused: {text}"


class LocalStore(QdrantStore):
    """A collection in a folder by qdrant-client's own local mode, which reads all of it into memory at each opening."""

    _folder: Folder = PrivateAttr()

    def __init__(self, path: Path, dimension: int, wait: float) -> None:
        super().__init__(dimension=dimension)
        self._folder, self._name = Folder(path, wait), "pieces"

    @property
    def place(self) -> str:
        """The collection's folder."""
        return str(self._folder.path)

    def _connect(self) -> QdrantClient:
        return QdrantClient(path=self.place)

    def _close(self) -> None:
        if self._inner is not None:
            client, self._inner = self.client, None
            client.close()

    def _explain(self, error: BaseException, text: str) -> str:
        return (
            f"{self.place}: cannot be used: {text}; "
            "if that stays so, citator sync --rebuild builds it anew and keeps this folder aside"
        )


@cache
def _bm25() -> "Bm25 | None":
    """Qdrant's word vectors come with Edge; without it pieces are stored without them, and found by meaning alone."""
    try:
        import qdrant_edge
    except ImportError:
        return None
    return qdrant_edge.Bm25()


def _documents(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    model = _bm25()
    made = [model.embed_document(text) for text in texts] if model else []
    return [vector.indices for vector in made], [vector.values for vector in made]


def _query(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
    model = _bm25()
    if model is None:
        raise StoreError("search by words needs qdrant-edge-py, which cannot be loaded here")
    made = [model.embed_query(text) for text in texts]
    return [vector.indices for vector in made], [vector.values for vector in made]


def _where(where: Where) -> models.Filter:
    return models.Filter(
        must=[models.FieldCondition(key=key, match=models.MatchAny(any=list(values))) for key, values in where.items()]
    )


def _nested(filters: MetadataFilters | None) -> MetadataFilters | None:
    """LlamaIndex's store mixes ids into a filter's own "or"; one level deeper they stay apart."""
    return filters and MetadataFilters(filters=[filters])
