"""A second look at the nearest records: a cross-encoder reads the message and each of them together."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from citator.api import Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor


class Rerank(Postprocessor):
    """Puts the nearest records in the order of a cross-encoder, which takes time; stands before `marks` and `gate`."""

    model: str
    """A cross-encoder of sentence-transformers: a folder, or a name on the hub, which is downloaded if it is not there."""

    top_n: int = Field(default=10, ge=2, le=50)
    """How many of the nearest records it reads."""

    milliseconds: int = Field(default=150, ge=1)
    """How long it may take for a message; after that, the order stays as it was."""

    def build(self, view: View) -> "BaseNodePostprocessor":
        """Loads the model, which takes some seconds; raises EmbeddingError where there is none."""
        from citator_plugins._reranking import Reranked

        return Reranked(self.model, self.top_n, self.milliseconds)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `rerank`."""
    return {"rerank": Rerank}
