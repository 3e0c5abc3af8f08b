"""The step that `newest` builds."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle


class NewestFirst(BaseNodePostprocessor):
    """Orders the nodes by their record's date, the latest first."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        return sorted(nodes, key=lambda node: str(node.node.metadata["date"]), reverse=True)
