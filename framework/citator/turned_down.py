"""The approaches near a message that were weighed and turned down: a LlamaIndex node postprocessor."""

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from citator.gating import standings
from citator.marks import rejected_mark
from citator.postprocessing import View
from citator.postprocessors import candidates_of
from citator.records import Part, Rejection
from citator.redaction import redact
from citator.sources import REJECTED

FALSE_REJECTIONS = 0.015
"""The share of everyday messages that may bring a rejected approach at most, where the threshold is the calibrated one."""


class TurnedDown(BaseNodePostprocessor):
    """Adds the rejected approaches that are near enough to the message, the nearest first, marked with what was chosen instead.

    Near enough is a raw similarity, or else what `FALSE_REJECTIONS` of everyday messages reach at most. What is no longer
    rejected, as its folder reads now, is left out, and so is a rejected decision that is among the headlines. A note among the
    headlines, which has no mark there, is moved.
    """

    most: int
    min_similarity: float | None
    _view: View = PrivateAttr()

    def __init__(self, view: View, most: int, min_similarity: float | None) -> None:
        super().__init__(most=most, min_similarity=min_similarity)
        self._view = view

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "TurnedDown"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        if query_bundle is None or query_bundle.embedding is None or not self.most:
            return nodes
        there = {(node.node.metadata["source"], node.node.metadata["record"]): node for node in nodes}
        kept: list[NodeWithScore] = []
        for node in self._near(query_bundle, self._view.approaches(query_bundle)):
            data = node.node.metadata
            source, decision = data["source"].removesuffix(REJECTED), data["record"].removesuffix(REJECTED)
            rejection = self._rejection(source, data["record"])
            if rejection is None:
                data["why"] = "is not rejected any more"
            elif (source, decision) in there and self._view.standings(source) is not None:
                data["why"] = "is among the headlines"
            elif len(kept) >= self.most:
                data["why"] += f"; at most {self.most} are shown"
            else:
                if headline := there.pop((source, decision), None):
                    headline.node.metadata["why"] = "is among the rejected approaches"
                data["part"], data["mark"] = Part.REJECTED.value, rejected_mark(redact(rejection.instead))
                data["why"] += f"; turned down at {rejection.evidence}" if rejection.evidence else ""
                kept.append(node)
        return [*there.values(), *kept]

    def _near(self, bundle: QueryBundle, found: list[NodeWithScore]) -> list[NodeWithScore]:
        """Those near enough, the nearest first; the others get the reason why they are not."""
        if self.min_similarity is not None:
            for node in found:
                node.node.metadata["why"] = f"has a similarity of {node.score or 0.0:.3f}, of at least {self.min_similarity:.3f}"
            return [node for node in found if (node.score or 0.0) >= self.min_similarity]
        calibration = self._view.approaches_calibration()
        if calibration is None or bundle.embedding is None:
            return []
        by_id = {node.node.node_id: node for node in found}
        candidates = [candidate for node in found for candidate in candidates_of(node)]
        reached = standings(calibration, bundle.query_str, bundle.embedding, candidates)
        least = calibration.limit(FALSE_REJECTIONS)
        for key, value in reached.items():
            by_id[key].node.metadata["why"] = f"stands {value:.2f} deviations above everyday messages; {least:.2f} are asked for"
        return [by_id[key] for key, value in reached.items() if value >= least]

    def _rejection(self, source: str, record: str) -> Rejection | None:
        """What the folder says now; a note says it by its type, which only the next sync reads again."""
        standings_now = self._view.standings(source)
        if standings_now is None:
            return Rejection(record, record, "", "", "", "")
        return standings_now.rejected.get(record)
