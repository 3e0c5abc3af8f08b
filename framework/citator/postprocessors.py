"""LlamaIndex node postprocessors: the marks on decisions, and the gates."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping

import numpy as np
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from citator.gating import COPY, FULL, SAME, Answer, Calibration, Candidate, decide, likeness, share, standings
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
            stamp(node, verdicts.get(data["record"]))
        return nodes


def stamp(node: NodeWithScore, verdict: Verdict | None) -> None:
    """Puts a decision's standing into its node; one that the rule has no verdict on is unknown."""
    data = node.node.metadata
    verdict = verdict or Verdict(data["record"], Status.UNKNOWN)
    data["status"], data["mark"] = verdict.status.value, mark(verdict)
    if data["mark"] and isinstance(node.node, TextNode):
        node.node.text = f"{data['mark']} {node.node.text}"


class _Gate(BaseNodePostprocessor):
    """A record that the message names (`named` in its metadata) always stays; of the others those that `_chosen` gives."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        named = [node for node in nodes if node.node.metadata.get("named")]
        for node in named:
            node.node.metadata["why"] = "the message names it"
        others = [node for node in nodes if not node.node.metadata.get("named")]
        return [*named, *self._chosen(others, named, query_bundle)][:FULL]

    @abstractmethod
    def _chosen(
        self, nodes: list[NodeWithScore], named: list[NodeWithScore], bundle: QueryBundle | None
    ) -> list[NodeWithScore]: ...


class Gate(_Gate):
    """Hands over only the records that stand out from what everyday messages reach; mostly that is none.

    A node keeps its raw similarity as score and gets its `standing` and the reason (`why`) in its metadata. Those that a reranker
    gave a `rank` go first, in its order. With a short list descriptions go. `most` is the most records of a kind; of records of
    several sources that say the same one stays, but none for another with another standing.
    """

    false_injection: float
    full: float
    most: dict[str, int]
    _calibration: Callable[[], Calibration | None] = PrivateAttr()

    def __init__(
        self, calibration: Callable[[], Calibration | None], false_injection: float, full: float, most: Mapping[str, int]
    ) -> None:
        super().__init__(false_injection=false_injection, full=full, most=dict(most))
        self._calibration = calibration

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "Gate"

    def _chosen(self, nodes: list[NodeWithScore], named: list[NodeWithScore], bundle: QueryBundle | None) -> list[NodeWithScore]:
        calibration = self._calibration()
        if bundle is None or bundle.embedding is None or calibration is None:
            for node in nodes:
                node.node.metadata["why"] = "the gate has no background to compare with; say: citator sync"
            return []
        by_id = {node.node.node_id: node for node in nodes}
        candidates = [candidate for node in nodes for candidate in candidates_of(node)]
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
        above = sorted((by_id[key] for key in decision.records), key=lambda node: node.node.metadata.get("rank", math.inf))
        return self._listed(_without_twins(above, named, calibration, bundle.query_str), decision.most)

    def _listed(self, above: list[NodeWithScore], count: int) -> list[NodeWithScore]:
        """The first of these, as many as the list has places, no kind too often."""
        listed: list[NodeWithScore] = []
        for node in above:
            kind = node.node.metadata["kind"]
            most = self.most.get(kind, count)
            if sum(other.node.metadata["kind"] == kind for other in listed) >= most:
                node.node.metadata["why"] = f"the list already has {most} of the kind {kind}"
            elif len(listed) < count:
                listed.append(node)
            else:
                node.node.metadata["why"] += f", but the list has its {count} records already"
        return listed


def _without_twins(
    above: list[NodeWithScore], named: list[NodeWithScore], calibration: Calibration, message: str
) -> list[NodeWithScore]:
    """Those that say what none of another source says; of twins a decision stays, in the first one's place."""
    if not above:
        return []
    nodes = [*named, *above]
    found = [np.array([piece.vector for piece in candidates_of(node)], dtype=np.float32) for node in nodes]
    near = likeness(calibration, message, found)
    places = {at: at for at in range(len(named))}
    for at in sorted(range(len(named), len(nodes)), key=lambda at: "status" not in nodes[at].node.metadata):
        twin = next((to for to in places if _may_stand_for(nodes[to], nodes[at], near[at, to])), None)
        if twin is None:
            places[at] = at
        else:
            places[twin] = min(places[twin], at)
            nodes[at].node.metadata["why"] = f"says the same as {nodes[twin].node.metadata['title']}"
    return [nodes[at] for at in sorted(places, key=places.__getitem__) if at >= len(named)]


def _may_stand_for(one: NodeWithScore, other: NodeWithScore, near: float) -> bool:
    """Whether nothing is lost with the other: it says the same, and has no standing of its own or the same."""
    mine, its = one.node.metadata, other.node.metadata
    if mine["source"] == its["source"] or ("status" in its and mine["mark"] != its["mark"]):
        return False
    return near >= (COPY if "status" in mine and "status" not in its else SAME)


class MarginGate(_Gate):
    """Hands over the nearest five if the first is nearer than the mean of the next nine by `margin`; see `Gate` for a better one.

    Without a margin it always does.
    """

    margin: float | None

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "MarginGate"

    def _chosen(self, nodes: list[NodeWithScore], named: list[NodeWithScore], bundle: QueryBundle | None) -> list[NodeWithScore]:
        if self.margin is None or not nodes:
            return nodes
        first, *rest = sorted((node.score or 0.0 for node in nodes), reverse=True)[:10]
        above = first - sum(rest) / max(1, len(rest))
        for node in nodes:
            node.node.metadata["why"] = f"the nearest is {above:.3f} nearer than the next nine; the gate asks for {self.margin:g}"
        return nodes if above >= self.margin else []


def candidates_of(node: NodeWithScore) -> list[Candidate]:
    """All pieces of the record that were found, as they were embedded: without the mark."""
    stamp, source = node.node.metadata.get("mark"), node.node.metadata["source"]
    text = node.node.get_content()
    best = Candidate(node.node.node_id, source, text.removeprefix(f"{stamp} ") if stamp else text, node.node.get_embedding())
    others = node.node.others if isinstance(node.node, RecordNode) else []
    return [best, *(Candidate(best.record, source, piece.get_content(), piece.get_embedding()) for piece in others)]


def _rate(rate: float) -> str:
    return f"{rate:.2%}" if rate >= 0.0001 else "less than 0.01%"
