"""A small real embedding model for tests that are not about meaning: the words of a text, hashed into a vector."""

import re
import zlib

from llama_index.core.base.embeddings.base import BaseEmbedding

from citator.embedding import Model

DIMENSION = 128


class WordsEmbedding(BaseEmbedding):
    """Two texts are as near as the words they share."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * DIMENSION
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % DIMENSION] += 1.0
        length = sum(x * x for x in vector) ** 0.5 or 1.0
        return [x / length for x in vector]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def words_model() -> Model:
    """The model with a window of 200 words."""
    return Model(WordsEmbedding(), "words-1", DIMENSION, 200, lambda text: len(text.split()))
