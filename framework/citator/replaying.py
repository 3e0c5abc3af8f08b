"""The user's own past messages -> what would have been handed over for each, in memory."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

from citator.messages import worded
from citator.pipeline import Pipeline
from citator.records import Hit
from citator.sources import Said


@dataclass(frozen=True, slots=True)
class Replayed:
    """What would have been handed over for a message: nothing where the block is empty."""

    message: str
    block: str
    hits: tuple[Hit, ...]
    milliseconds: float

    def as_json(self) -> dict[str, object]:
        """The message and the records, for programs."""
        records = [hit.record.id for hit in self.hits]
        return {"message": self.message, "records": records, "bytes": len(self.block.encode()), "milliseconds": self.milliseconds}

    def case(self, records: Sequence[str]) -> str:
        """A line for `citator eval`: the message and the records that answer it."""
        return json.dumps({"message": self.message, "records": list(records), "kind": "replayed"}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Totals:
    """Over all replayed messages; bytes are of those that were handed something."""

    messages: int
    silent: int
    bytes_median: float | None
    milliseconds_median: float | None

    @classmethod
    def of(cls, replayed: Sequence[Replayed]) -> "Totals":
        """Counts them."""
        sizes = [len(each.block.encode()) for each in replayed if each.block]
        times = [each.milliseconds for each in replayed if each.milliseconds]
        silent = len(replayed) - len(sizes)
        return cls(len(replayed), silent, median(sizes) if sizes else None, median(times) if times else None)


def replay(pipeline: Pipeline, last: int) -> Iterator[Replayed]:
    """The latest messages of this project's transcripts, in the order in which they were written."""
    said = [message for source in pipeline.sources.values() for message in islice(source.messages(), last)]
    shown: dict[str, _Shown] = {}
    with pipeline.store:
        for message in reversed(said[:last]):
            session = shown.setdefault(message.session, _Shown(pipeline.config.session.repeat_after))
            yield _replayed(pipeline, message, session)


def _replayed(pipeline: Pipeline, said: Said, shown: "_Shown") -> Replayed:
    if pipeline.why_silent(said.text):
        return Replayed(said.text, "", (), 0.0)

    def drop(hit: Hit) -> str:
        return "is this session itself" if hit.record.id == said.session else shown.why_not_again(hit)

    shown.messages += 1
    recall = pipeline.recall(worded(said.text), drop)
    shown.add(recall.hits)
    return Replayed(said.text, recall.block, tuple(recall.hits), round(sum(recall.milliseconds.values()), 1))


class _Shown:
    """What a session was shown: its records are not shown again for some messages, unless their standing changed."""

    def __init__(self, repeat_after: int) -> None:
        self._repeat_after, self.messages = repeat_after, 0
        self._last: dict[tuple[str, str, str], int] = {}

    def why_not_again(self, hit: Hit) -> str:
        last = self._last.get((hit.source, hit.record.id, hit.mark))
        return "was shown just now" if last is not None and self.messages - last < self._repeat_after else ""

    def add(self, hits: Sequence[Hit]) -> None:
        self._last |= {(hit.source, hit.record.id, hit.mark): self.messages for hit in hits}
