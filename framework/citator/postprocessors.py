"""LlamaIndex node postprocessors: the marks on decisions, and the gate."""

from collections.abc import Callable, Mapping

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from citator.marks import mark
from citator.records import Status, Verdict

Verdicts = Callable[[str], Mapping[str, Verdict] | None]
"""Source key -> verdicts by record id, or None for a source whose records have no standing."""


class StatusMarks(BaseNodePostprocessor):
    """Stamps each decision with its real standing: `status` and `mark` in its metadata, the mark in front of its text.

    Order and number of nodes stay: a superseded record is marked, never hidden or pushed down.
    """

    _verdicts: Verdicts = PrivateAttr()

    def __init__(self, verdicts: Verdicts) -> None:
        super().__init__()
        self._verdicts = verdicts

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "StatusMarks"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        for node in nodes:
            data = node.node.metadata
            verdicts = self._verdicts(data["source"])
            if verdicts is None:
                continue
            verdict = verdicts.get(data["record"], Verdict(data["record"], Status.UNKNOWN))
            data["status"], data["mark"] = verdict.status.value, mark(verdict)
            if data["mark"] and isinstance(node.node, TextNode):
                node.node.text = f"{data['mark']} {node.node.text}"
        return nodes
