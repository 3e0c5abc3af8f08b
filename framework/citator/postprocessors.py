"""LlamaIndex node postprocessors: the marks on decisions, and the gate."""

from collections.abc import Callable, Mapping

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from citator.gating import FULL, Answer, Calibration, Candidate, decide, share, standings
from citator.marks import mark
from citator.records import Status, Verdict
from citator.retrieval import RecordNode

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


class Gate(BaseNodePostprocessor):
    """Hands over only the records that stand out from what everyday messages reach; mostly that is none.

    A node keeps its raw similarity as score and gets its `standing` and the reason (`why`) in its metadata. With a short list
    descriptions go; a record that the message names (`named` in its metadata) always stays.
    """

    false_injection: float
    full: float
    _calibration: Callable[[], Calibration | None] = PrivateAttr()

    def __init__(self, calibration: Callable[[], Calibration | None], false_injection: float, full: float) -> None:
        super().__init__(false_injection=false_injection, full=full)
        self._calibration = calibration

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "Gate"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        named = [node for node in nodes if node.node.metadata.get("named")]
        for node in named:
            node.node.metadata["why"] = "the message names it"
        others = [node for node in nodes if not node.node.metadata.get("named")]
        return [*named, *self._standing_out(others, query_bundle)][:FULL]

    def _standing_out(self, nodes: list[NodeWithScore], bundle: QueryBundle | None) -> list[NodeWithScore]:
        calibration = self._calibration()
        if bundle is None or bundle.embedding is None or calibration is None:
            for node in nodes:
                node.node.metadata["why"] = "the gate has no background to compare with; say: citator sync"
            return []
        by_id = {node.node.node_id: node for node in nodes}
        candidates = [candidate for node in nodes for candidate in _candidates(node)]
        standing = standings(calibration, bundle.query_str, bundle.embedding, candidates)
        decision = decide(standing, false_injection=self.false_injection, full=self.full)
        for key, value in standing.items():
            data = by_id[key].node.metadata
            data["standing"] = value
            data["why"] = (
                f"{_rate(share(value))} of everyday messages would bring it; the gate asks for {self.false_injection:.2%}"
            )
            if decision.answer is Answer.SHORT:
                data["description"] = ""
        return [by_id[key] for key in decision.records]


def _candidates(node: NodeWithScore) -> list[Candidate]:
    """All pieces of the record that were found, as they were embedded: without the mark."""
    stamp = node.node.metadata.get("mark")
    text = node.node.get_content()
    best = Candidate(node.node.node_id, text.removeprefix(f"{stamp} ") if stamp else text, node.node.get_embedding())
    others = node.node.others if isinstance(node.node, RecordNode) else []
    return [best, *(Candidate(best.record, piece.get_content(), piece.get_embedding()) for piece in others)]


def _rate(rate: float) -> str:
    return f"{rate:.2%}" if rate >= 0.0001 else "less than 0.01%"
