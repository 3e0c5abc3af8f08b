"""What the tables are made from: the question sets beside the checkout, embedded once and kept in the temporary folder."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from citator import background
from citator.embedding import Model
from citator.gating import MESSAGE_CHARACTERS, Vectors
from citator.models import embedding

SHARED = Path(__file__).parents[4] / "shared"
CACHE = Path(tempfile.gettempdir()) / "citator-bench-quality"


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SHARED / "quality" / name).read_text(encoding="utf-8").splitlines()]


@cache
def model(name: str) -> Model:
    return embedding({"type": name}).load(indexing=True)


def pieces(texts: Sequence[str], name: str) -> Vectors:
    return _kept("pieces", texts, name)


@dataclass(frozen=True)
class Messages:
    texts: list[str]
    vectors: Vectors
    right: list[set[int]]

    def __iter__(self) -> Iterator[tuple[str, Vectors, set[int]]]:
        return iter(zip(self.texts, self.vectors, self.right, strict=True))

    def part(self, rows: Sequence[int]) -> "Messages":
        return Messages([self.texts[row] for row in rows], self.vectors[rows], [self.right[row] for row in rows])


def messages(texts: Sequence[str], right: Sequence[set[int]] | None = None, name: str = "minilm") -> Messages:
    read = [text[:MESSAGE_CHARACTERS] for text in texts]
    return Messages(list(texts), _kept("messages", read, name), list(right or [set()] * len(texts)))


def unrelated(name: str = "minilm") -> Messages:
    return messages([line["query"] for line in lines("unrelated.jsonl")], name=name)


def everyday(name: str) -> Messages:
    return messages(background.messages(), name=name)


def _kept(kind: str, texts: Sequence[str], name: str) -> Vectors:
    loaded = model(name)
    made = json.dumps([loaded.fingerprint, kind, list(texts)]).encode("utf-8", "surrogatepass")
    file = CACHE / f"{hashlib.sha256(made).hexdigest()[:24]}.npy"
    if not file.exists():
        CACHE.mkdir(exist_ok=True)
        batch = loaded.embed.get_text_embedding_batch if kind == "pieces" else loaded.embed_messages
        assert batch
        np.save(file, np.array(batch(list(texts)), dtype=np.float32).reshape(-1, loaded.dimension))
    vectors: Vectors = np.load(file)
    return vectors
