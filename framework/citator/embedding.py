"""The base class of the plugins that bring an embedding model."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.options import Options

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with what the store has to know of it.

    `fingerprint` is a digest of all that changes a vector (weights, dimension, window, pooling, normalisation, prompts; not
    dtype, not threads); `window` counts tokens; `count_tokens` counts those of a text to be stored, prompt and special tokens
    included, truncation off. `embed_messages` does for many what `embed.get_query_embedding` does for one; None where the model
    has no quicker way.
    """

    embed: "BaseEmbedding"
    fingerprint: str
    dimension: int
    window: int
    count_tokens: Callable[[str], int]
    embed_messages: Callable[[list[str]], list[list[float]]] | None = None


class Embedding(Options, ABC):
    """Loads an embedding model; its vectors have length 1 and are compared by dot product."""

    @abstractmethod
    def load(self, *, indexing: bool) -> Model:
        """Loads the model into this process, tuned for many pieces or for one message at a time.

        Raises EmbeddingError where it is missing, damaged or does not fit.
        """
