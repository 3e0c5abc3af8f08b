"""A LlamaIndex embedding made of two functions."""

from collections.abc import Callable, Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

Embed = Callable[[Sequence[str]], list[list[float]]]


class FromFunctions(BaseEmbedding):
    """Embeds messages by one function and pieces by another, each of which makes its own batches."""

    _messages: Embed = PrivateAttr()
    _pieces: Embed = PrivateAttr()

    def __init__(self, name: str, messages: Embed, pieces: Embed) -> None:
        super().__init__(model_name=name, embed_batch_size=2048)
        self._messages, self._pieces = messages, pieces

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._messages([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._pieces([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._pieces(texts)
