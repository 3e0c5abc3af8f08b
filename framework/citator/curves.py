"""What everyday messages and the titles of a pipeline's own records reach by the gate's measure, and what a rate lets through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from llama_index.core.schema import QueryBundle

from citator import background
from citator.errors import StoreError
from citator.gating import Calibration, between, standings, threshold
from citator.pipeline import Pipeline
from citator.postprocessors import candidates_of

TITLES = 200
"""How many records are asked for by their title; more would only take longer."""

RATES = (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1)


@dataclass(frozen=True, slots=True)
class Curves:
    """The best standing of each message: of everyday ones by language, and of the records' titles as messages."""

    everyday: Mapping[str, Sequence[float]]
    titles: Sequence[float]

    @property
    def background(self) -> list[float]:
        """The everyday messages' standings, all languages together."""
        return [value for spoken in self.everyday.values() for value in spoken]


@dataclass(frozen=True, slots=True)
class Passed:
    """How many of some messages a rate lets through; `low` to `high` is where the true share is 19 times in 20 (Wilson)."""

    count: int
    of: int
    low: float
    high: float

    @classmethod
    def by(cls, rate: float, reached: Sequence[float]) -> "Passed":
        """Of messages with these standings, at least one."""
        limit, of = threshold(rate), len(reached)
        count = sum(value >= limit for value in reached)
        return cls(count, of, *between(count, of))

    @property
    def share(self) -> float:
        """The share that was counted."""
        return self.count / self.of


def measure(pipeline: Pipeline) -> Curves:
    """Asks for the records by each everyday message and by some of the titles; raises StoreError without a calibration."""
    calibration = pipeline.calibrations.current()
    if calibration is None:
        raise StoreError("the gate has no background to compare with; say: citator sync")
    everyday: dict[str, list[float]] = {}
    with pipeline.store:
        for message, vector in zip(background.messages(), pipeline.calibrations.everyday().tolist(), strict=True):
            spoken = everyday.setdefault(background.language(message), [])
            spoken.append(_best(pipeline, calibration, message, vector))
        titles = [record["title"] for record in pipeline.store.records(pipeline.sources)]
        asked = list(islice(titles, 0, None, max(1, len(titles) // TITLES)))
        vectors = map(pipeline.model.embed.get_query_embedding, asked)
        named = [_best(pipeline, calibration, title, vector) for title, vector in zip(asked, vectors, strict=True)]
    return Curves(everyday, named)


def _best(pipeline: Pipeline, calibration: Calibration, message: str, vector: list[float]) -> float:
    found = pipeline.retriever.retrieve(QueryBundle(message, embedding=vector))
    pieces = [candidate for node in found for candidate in candidates_of(node)]
    return max(standings(calibration, message, vector, pieces).values())
