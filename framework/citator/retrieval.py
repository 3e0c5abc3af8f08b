"""Message -> records, by meaning: a LlamaIndex retriever over the store."""

from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from pydantic import Field

from citator.gating import MESSAGE_CHARACTERS

PIECES = 64
ENOUGH = 10
APPROACHES = 24
"""How many rejected approaches are looked at, each of which is one piece."""


class RecordNode(TextNode):
    """A record by its best piece; `others` are the further pieces of it that were found, best first."""

    others: list[TextNode] = Field(default_factory=list, exclude=True)


class RecordRetriever(BaseRetriever):
    """Gives one node for each record, with its best piece as text and that piece's raw similarity as score, best first.

    Only records of the given sources (their keys) are found. The message's vector is left in `query_bundle.embedding` for the
    postprocessors.
    """

    def __init__(
        self, store: BasePydanticVectorStore, embed: BaseEmbedding, sources: Sequence[str], pieces: int = PIECES
    ) -> None:
        super().__init__()
        self._store, self._embed, self._sources, self._pieces = store, embed, list(sources), pieces

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._records(query_bundle, _one_of("source", self._sources)) if self._sources else []

    def records(self, query_bundle: QueryBundle, sources: Sequence[str], records: Sequence[str]) -> list[NodeWithScore]:
        """The same nodes for these records of these sources alone, however far they are from the message."""
        return self._records(query_bundle, _one_of("source", sources), _one_of("record", records))

    def beginnings(self, query_bundle: QueryBundle, sources: Sequence[str], records: Sequence[str]) -> list[NodeWithScore]:
        """A node for each of these records that is there, by its first piece alone, which is quick however long they are."""
        if not sources:
            return []
        first = MetadataFilter(key="piece", value=0, operator=FilterOperator.EQ)
        found = self._search(
            query_bundle, len(records) * len(sources), [_one_of("source", sources), _one_of("record", records), first]
        )
        return [_record([node]) for node in found]

    def _records(self, bundle: QueryBundle, *filters: MetadataFilter) -> list[NodeWithScore]:
        wanted = self._pieces
        while True:
            pieces = self._search(bundle, wanted, filters)
            by_record: dict[tuple[str, str], list[NodeWithScore]] = {}
            for piece in pieces:
                by_record.setdefault((piece.node.metadata["source"], piece.node.metadata["record"]), []).append(piece)
            if len(by_record) >= ENOUGH or len(pieces) < wanted:
                return [_record(found) for found in by_record.values()]
            wanted *= 4

    def _search(self, bundle: QueryBundle, wanted: int, filters: Sequence[MetadataFilter]) -> list[NodeWithScore]:
        if bundle.embedding is None:
            bundle.embedding = self._embed.get_query_embedding(bundle.query_str[:MESSAGE_CHARACTERS])
        query = VectorStoreQuery(
            query_str=bundle.query_str,
            query_embedding=bundle.embedding,
            similarity_top_k=wanted,
            filters=MetadataFilters(filters=list(filters)),
        )
        result = self._store.query(query)
        nodes = self._with_vectors([node for node in result.nodes or [] if isinstance(node, TextNode)])
        return [NodeWithScore(node=node, score=score) for node, score in zip(nodes, result.similarities or [], strict=True)]

    def _with_vectors(self, nodes: list[TextNode]) -> list[TextNode]:
        """The same nodes with their embeddings, which some stores give only when asked for the nodes themselves."""
        if any(node.embedding is None for node in nodes):
            whole = {node.node_id: node for node in self._store.get_nodes([node.node_id for node in nodes])}
            for node in nodes:
                node.embedding = whole[node.node_id].embedding
        return nodes


def _record(pieces: list[NodeWithScore]) -> NodeWithScore:
    best, *others = pieces
    # Checking the vectors of a node that was checked would take as long as the search.
    node = RecordNode.model_construct(
        **dict(best.node), others=[piece.node for piece in others if isinstance(piece.node, TextNode)]
    )
    return NodeWithScore.model_construct(node=node, score=best.score)


def _one_of(key: str, values: Sequence[str]) -> MetadataFilter:
    return MetadataFilter(key=key, value=list(values), operator=FilterOperator.IN)
