"""The model that `words` loads."""

import re
import zlib

from llama_index.core.base.embeddings.base import BaseEmbedding


class WordsEmbedding(BaseEmbedding):
    """A vector with a number for each word, more or less: words are hashed into so many places."""

    dimension: int

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            vector[zlib.crc32(word.encode()) % self.dimension] += 1.0
        length = sum(number * number for number in vector) ** 0.5 or 1.0
        return [number / length for number in vector]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)
