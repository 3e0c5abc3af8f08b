"""LlamaIndex' SentenceTransformerRerank within a limit of time."""

from concurrent.futures import Future, ThreadPoolExecutor

from llama_index.core.postprocessor import SentenceTransformerRerank
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from citator.api import EmbeddingError
from citator.gating import MESSAGE_CHARACTERS
from citator_plugins._models import content, located, one_line, quiet

EXAMPLE = "cross-encoder/ms-marco-MiniLM-L6-v2"


class Reranked(BaseNodePostprocessor):
    """Gives the first nodes in the reranker's order, and `rank` in their metadata, which the gate's list keeps to.

    Scores stay the raw similarities. Where it is not ready in time, or still at the message before, nothing changes.
    """

    _rerank: SentenceTransformerRerank = PrivateAttr()
    _seconds: float = PrivateAttr()
    _worker: ThreadPoolExecutor = PrivateAttr()
    _latest: "Future[list[NodeWithScore]] | None" = PrivateAttr(default=None)

    def __init__(self, model: str, top_n: int, milliseconds: int) -> None:
        super().__init__()
        folder, _ = located(model, None)
        architectures = content(folder / "config.json").get("architectures") or ["none"]
        if not any(str(name).endswith("ForSequenceClassification") for name in architectures):
            raise EmbeddingError(
                f"{folder}: cannot be used as a cross-encoder: its config.json has to name a …ForSequenceClassification"
                f" and names {', '.join(map(str, architectures))}; give a cross-encoder, such as {EXAMPLE}"
            )
        quiet()
        try:
            self._rerank = SentenceTransformerRerank(model=str(folder), top_n=top_n, trust_remote_code=False)
            self._rerank.postprocess_nodes([NodeWithScore(node=TextNode(text="a record"))], query_str="a message")
        except Exception as error:
            raise EmbeddingError(f"{folder}: cannot be used as a cross-encoder: {one_line(error)}") from error
        self._seconds = milliseconds / 1000
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="citator-rerank")

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "Reranked"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        if query_bundle is None or (self._latest and not self._latest.done()):
            return nodes
        first, rest = nodes[: self._rerank.top_n], nodes[self._rerank.top_n :]
        copies = [NodeWithScore(node=node.node.model_copy(), score=node.score) for node in first]
        message = QueryBundle(query_bundle.query_str[:MESSAGE_CHARACTERS])
        self._latest = self._worker.submit(self._rerank.postprocess_nodes, copies, query_bundle=message)
        try:
            order = self._latest.result(self._seconds)
        except TimeoutError:
            return nodes
        by_id = {node.node.node_id: node for node in first}
        ordered = [by_id[node.node.node_id] for node in order]
        for rank, node in enumerate(ordered):
            node.node.metadata["rank"] = rank
        return [*ordered, *rest]
