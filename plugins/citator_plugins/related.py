"""Hands over what is declared to be connected with the records handed over."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citator.api import EdgeKind, Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

Weight = Annotated[float, Field(ge=0, le=100)]

WEIGHTS: Mapping[EdgeKind, float] = {
    EdgeKind.SUPERSEDED_BY: 1.0,
    EdgeKind.INVALIDATED_BY: 0.9,
    EdgeKind.AMENDED_BY: 0.9,
    EdgeKind.CONFLICTS_WITH: 0.9,
    EdgeKind.DECIDED_BY: 0.8,
    EdgeKind.DEPENDS_ON: 0.8,
    EdgeKind.CLARIFIED_BY: 0.8,
    EdgeKind.DECISION_FOR: 0.7,
    EdgeKind.AMENDS: 0.7,
    EdgeKind.CLARIFIES: 0.6,
    EdgeKind.AFFECTED_BY: 0.6,
    EdgeKind.AFFECTS: 0.6,
    EdgeKind.NEEDED_BY: 0.5,
    EdgeKind.DOCUMENTED_BY: 0.5,
    EdgeKind.RELATES_TO: 0.5,
    EdgeKind.DOCUMENTS: 0.4,
    EdgeKind.INVALIDATES: 0.4,
    EdgeKind.SUPERSEDES: 0.3,
    EdgeKind.COMES_FROM: 0.3,
    EdgeKind.LINK: 0.3,
    EdgeKind.ORIGIN_OF: 0.2,
}


class Related(Postprocessor):
    """Adds the records that are one declared connection away, the heaviest connection first."""

    enabled: bool = True
    """`false` does what leaving the step out does."""

    max: int = Field(default=5, ge=1, le=10)
    """The most records that are added to a message."""

    weights: Mapping[EdgeKind, Weight] = {}
    """How much a kind of connection counts, beside the defaults; 0 leaves it out."""

    notes: bool = False
    """Whether it starts from notes too, and not from decisions only."""

    cites: bool = False
    """Whether a note that links to a superseded decision says so, by the decision's verdict."""

    def build(self, view: View) -> "BaseNodePostprocessor":
        """The expansion over what the sources of this pipeline declare."""
        from citator.expansion import Expansion

        most = self.max if self.enabled else 0
        return Expansion(view, most, {**WEIGHTS, **self.weights}, self.notes, self.cites and self.enabled)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `related`."""
    return {"related": Related}
