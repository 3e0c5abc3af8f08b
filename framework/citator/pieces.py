"""Records -> pieces: what is embedded, in LlamaIndex's nodes."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import BaseNode, Document, TextNode, TransformComponent
from pydantic import PrivateAttr

from citator.records import Record

PIECE_CHARACTERS = 700
TITLE_CHARACTERS = 200
VERSION = 1
"""Part of a collection's name; another number makes new pieces of everything."""

_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)\s*|[。！？]+|\n\s*|\Z)", re.DOTALL)


class PieceSplitter(TransformComponent):
    """Cuts each document at sentence ends into pieces that fit the model's window with the record's title in front.

    A piece has at most 700 characters besides the title; where that is more than `window` tokens it is cut further, for what
    lies beyond the window would silently not be embedded.
    """

    window: int
    _count: Callable[[str], int] = PrivateAttr()

    def __init__(self, window: int, count_tokens: Callable[[str], int]) -> None:
        super().__init__(window=window)
        self._count = count_tokens

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """The pieces of all documents, shortest first, so that a batch wastes little on padding."""
        made = [node for document in nodes for node in self.split(document)]
        return sorted(made, key=lambda node: len(node.text))

    def split(self, document: BaseNode) -> list[TextNode]:
        """The pieces of one document in order; each carries the document's metadata, its own number and how many there are."""
        title = self._fit_title(document.metadata["title"])
        texts = [_join(title, part) for part in self._parts(title, document.get_content())] or [title]
        return [self._node(document, text, number, len(texts)) for number, text in enumerate(texts)]

    def _node(self, document: BaseNode, text: str, number: int, count: int) -> TextNode:
        metadata = {**document.metadata, "piece": number, "pieces": count}
        return TextNode(text=text, metadata=metadata, excluded_embed_metadata_keys=list(metadata))

    def _fit_title(self, title: str) -> str:
        title = title[:TITLE_CHARACTERS]
        while title and self._count(title) > self.window // 2:
            title = title[: len(title) // 2]
        return title

    def _parts(self, title: str, text: str) -> list[str]:
        return [part for chunk in _cut(text, PIECE_CHARACTERS) for part in self._fit(title, chunk)]

    def _fit(self, title: str, chunk: str) -> list[str]:
        tokens = self._count(_join(title, chunk))
        if tokens <= self.window or len(chunk) == 1:
            return [chunk]
        size = min(len(chunk) - 1, max(1, len(chunk) * self.window * 9 // (tokens * 10)))
        return [part for smaller in _cut(chunk, size) for part in self._fit(title, smaller)]


def document(record: Record, source: str, project: str) -> Document:
    """A record as a LlamaIndex document, with all that the store keeps of it as metadata."""
    lead = record.description if record.description and record.description not in record.text else ""
    return Document(
        text=f"{lead}\n\n{record.text}".strip(),
        metadata={
            "source": source,
            "record": record.id,
            "kind": record.kind,
            "project": project,
            "hash": record.hash,
            "title": record.title,
            "description": record.description,
            "label": record.label,
            "date": record.date,
            "path": record.path,
            **({"edges": [[edge.kind.value, edge.end, edge.evidence] for edge in record.edges]} if record.edges else {}),
            **({"weight": record.weight} if record.weight != 1 else {}),
        },
    )


def _join(title: str, part: str) -> str:
    return f"{title}\n{part}" if title else part


def _cut(text: str, size: int) -> list[str]:
    if not text.strip():
        return []
    splitter = SentenceSplitter(
        chunk_size=size,
        chunk_overlap=0,
        tokenizer=str,
        chunking_tokenizer_fn=_SENTENCE.findall,
        paragraph_separator="\n\n",
    )
    return splitter.split_text(text)
