"""Hands over the approaches near a message that the team weighed and turned down."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from citator.api import Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor


class Rejected(Postprocessor):
    """Adds rejected approaches: rejected decisions, options that were not chosen, notes of the type `rejected-approach`."""

    wants_approaches: ClassVar[bool] = True

    enabled: bool = True
    """`false` does what leaving the step out does, but keeps them in the store."""

    max: int = Field(default=3, ge=1, le=10)
    """The most that are added to a message."""

    min_similarity: Annotated[float, Field(ge=-1, le=1)] | Literal["calibrated"] = "calibrated"
    """What one has to reach: `calibrated` holds it against everyday messages as the gate does; a number is the raw similarity."""

    def build(self, view: View) -> "BaseNodePostprocessor":
        """The step over the rejected approaches of this pipeline's sources."""
        from citator.turned_down import TurnedDown

        least = None if self.min_similarity == "calibrated" else self.min_similarity
        return TurnedDown(view, self.max if self.enabled else 0, least)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `rejected`."""
    return {"rejected": Rejected}
