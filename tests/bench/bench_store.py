"""What the embedded store costs at 1,000 and 10,000 pieces (or those given), and what optimising gives back.

.venv/bin/python tests/bench/bench_store.py [PIECES ...]
"""

import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode

from citator.store import Store, StoreOptions, open_store

DIMENSION = 384
chance, drawn = random.Random(3), np.random.default_rng(3)
WORDS = [f"word{number}" for number in range(5000)]


def batches(count: int, content: str, at_once: int = 100) -> Iterator[list[TextNode]]:
    """Pieces of about 700 characters, three to a record, spread over three sources."""
    for start in range(0, count, at_once):
        vectors = drawn.normal(size=(min(at_once, count - start), DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        yield [piece(start + offset, content, vector.tolist()) for offset, vector in enumerate(vectors)]


def piece(number: int, content: str, vector: list[float]) -> TextNode:
    record = number // 3
    metadata = {
        "source": f"memory:/home/somebody/notes/{record % 3}",
        "record": f"note-{record}.md",
        "hash": f"{content}-{record}",
        "piece": number % 3,
        "pieces": 3,
        "kind": "memory",
        "project": "/home/somebody/work",
        "title": f"Note {record} on {chance.choice(WORDS)}",
        "description": " ".join(chance.choices(WORDS, k=10)),
        "label": "",
        "date": "2026-01-01",
        "path": f"/home/somebody/notes/note-{record}.md",
    }
    text = " ".join(chance.choices(WORDS, k=85))
    return TextNode(text=text, metadata=metadata, excluded_embed_metadata_keys=list(metadata), embedding=vector)


def milliseconds(call: Callable[[], object], times: int = 9) -> float:
    """The median over some calls."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        call()
        taken.append((perf_counter() - start) * 1000)
    return median(taken)


def disk(folder: Path, under: str = "**/*") -> float:
    return sum(file.stat().st_blocks * 512 for file in folder.glob(under)) / 1e6


def measure(store: Store, folder: Path, count: int) -> None:
    made = list(batches(count, "first"))
    start = perf_counter()
    with store:
        for nodes in made:
            store.add(nodes)
    rate = count / (perf_counter() - start)
    two = sorted(store.sources())[:2]
    filters = MetadataFilters(filters=[MetadataFilter(key="source", value=list(two), operator=FilterOperator.IN)])
    near = VectorStoreQuery(query_embedding=made[0][0].embedding, similarity_top_k=64, filters=filters)
    words = VectorStoreQuery(
        query_str=made[0][0].text[:100], mode=VectorStoreQueryMode.SPARSE, similarity_top_k=64, filters=filters
    )
    took = {"open and close": milliseconds(store.count)}
    with store:
        took["64 nearest"] = milliseconds(lambda: store.query(near))
        took["64 by words"] = milliseconds(lambda: store.query(words))
        took["hashes of a source"] = milliseconds(lambda: store.hashes(two[0]))
        took["all texts and vectors"] = milliseconds(lambda: store.pieces(store.sources()), 3)
    print(f"{count:,} pieces: {rate:,.0f} added per second, {disk(folder):.0f} MB on disk")
    print("\n".join(f"    {name:24}{value:8.1f} ms" for name, value in took.items()))


def churn(store: Store, folder: Path, count: int = 2000, turns: int = 20) -> None:
    """All pieces replaced again and again, as by a long life of small syncs."""
    for turn in range(turns):
        with store:
            for nodes in batches(count, f"turn {turn}"):
                store.add(nodes)
                for record in {(node.metadata["source"], node.metadata["record"], node.metadata["hash"]) for node in nodes}:
                    store.delete_old(*record)
    before = disk(folder, "*/segments/**/*"), milliseconds(store.count)
    start = perf_counter()
    store.optimise()
    taken = perf_counter() - start
    after = disk(folder, "*/segments/**/*"), milliseconds(store.count)
    print(f"{count:,} pieces, replaced {turns} times, optimised in {taken:.1f} s:")
    print(f"    segments                {before[0]:5.0f} MB, then {after[0]:.0f} MB")
    print(f"    open and close          {before[1]:5.0f} ms, then {after[1]:.0f} ms")


if __name__ == "__main__":
    for size in [int(argument) for argument in sys.argv[1:]] or [1000, 10_000]:
        with tempfile.TemporaryDirectory() as made:
            measure(open_store(StoreOptions(), Path(made), "bench", DIMENSION), Path(made), size)
    with tempfile.TemporaryDirectory() as made:
        churn(open_store(StoreOptions(), Path(made), "bench", DIMENSION), Path(made))
