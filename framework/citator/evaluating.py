"""Messages with known answers -> how well a pipeline recalls for them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from citator.errors import CitatorError
from citator.messages import worded
from citator.pipeline import Pipeline

TOP = 5
"""How far down a right record counts as found."""

Key = tuple[str, str]
"""A record's source and id."""


@dataclass(frozen=True, slots=True)
class Case:
    """A message and the records that answer it, by id, path, title or label; none where nothing should be recalled."""

    line: int
    message: str
    records: tuple[str, ...]
    id: str = ""
    language: str = ""
    kind: str = ""

    @classmethod
    def parse(cls, line: int, text: str) -> "Case":
        """Raises ValueError, whose text says what is wrong and the fix."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise ValueError(f"not JSON: {error}; each line is an object of its own") from error
        if not isinstance(data, dict):
            raise ValueError('not an object; a line is {"message": "…", "records": ["…"]}')
        message, records = data.get("message"), data.get("records")
        if not isinstance(message, str) or not message.strip():
            raise ValueError("message: missing; it is the text that a person would write")
        if not isinstance(records, list) or not all(isinstance(name, str) and name for name in records):
            raise ValueError("records: missing; a list of ids, paths or titles, [] where nothing should be recalled")
        said = {key: str(data[key]) for key in ("id", "language", "kind") if data.get(key) is not None}
        return cls(line, message, tuple(records), **said)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case: `rank` of its first right record from 1, 0 where none was found.

    `right` says whether such a record was handed over, `bytes` how much was in all (0: nothing was).
    """

    case: Case
    rank: int
    right: bool
    bytes: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Measures:
    """The counts and shares over some outcomes; a share of nothing is None.

    `kept` is the share handed something, of the answerable with a right record in the top five; `right` the share of the same
    that is handed such a record; `false_silence` the share of all answerable that is handed nothing; `false_injection` the share
    of the unrelated that is handed something; `bytes_median` is of the messages that are handed something.
    """

    answerable: int
    recall_at_1: float | None
    recall_at_5: float | None
    mrr: float | None
    kept: float | None
    right: float | None
    false_silence: float | None
    unrelated: int
    false_injection: float | None
    bytes_median: float | None
    milliseconds: Mapping[str, float]

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Measures":
        """Those of the outcomes, at least one."""
        answerable = [outcome for outcome in outcomes if outcome.case.records]
        unrelated = [outcome for outcome in outcomes if not outcome.case.records]
        found = [outcome for outcome in answerable if 1 <= outcome.rank <= TOP]
        sizes = [outcome.bytes for outcome in outcomes if outcome.bytes]
        times = sorted(outcome.milliseconds for outcome in outcomes)
        return cls(
            len(answerable),
            _mean(outcome.rank == 1 for outcome in answerable),
            _mean(1 <= outcome.rank <= TOP for outcome in answerable),
            _mean(1 / outcome.rank if outcome.rank else 0.0 for outcome in answerable),
            _mean(outcome.bytes > 0 for outcome in found),
            _mean(outcome.right for outcome in found),
            _mean(not outcome.bytes for outcome in answerable),
            len(unrelated),
            _mean(outcome.bytes > 0 for outcome in unrelated),
            median(sizes) if sizes else None,
            {f"p{share}": round(times[min(len(times) - 1, len(times) * share // 100)], 1) for share in (50, 95)},
        )


def read_cases(text: str, name: str) -> tuple[list[Case], list[str]]:
    """The cases of a file's text, one a line, and a line for each that is none."""
    cases, problems = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                cases.append(Case.parse(number, line))
            except ValueError as error:
                problems.append(f"{name}:{number}: {error}")
    if not cases:
        raise CitatorError("\n".join([*problems, f"{name}: holds no case"]))
    return cases, problems


def evaluate(pipeline: Pipeline, cases: Sequence[Case], problem: Callable[[str], None]) -> list[Outcome]:
    """Recalls for each message as an agent's would be; `problem` is told of records that are not there, which count as missed."""
    known = _Names(pipeline)
    with pipeline.store:
        return [_outcome(pipeline, case, known.right(case, problem)) for case in cases]


def grouped(outcomes: Sequence[Outcome], field: str) -> dict[str, Measures]:
    """The measures by `language` or `kind`, of the cases that say theirs."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if value := getattr(outcome.case, field):
            groups.setdefault(value, []).append(outcome)
    return {value: Measures.of(group) for value, group in sorted(groups.items())}


def _outcome(pipeline: Pipeline, case: Case, right: set[Key]) -> Outcome:
    silent = pipeline.why_silent(case.message)
    recall = pipeline.recall(worded(case.message) or case.message)
    ranked = [(candidate.hit.source, candidate.hit.record.id) for candidate in recall.ranked()]
    rank = next((at for at, key in enumerate(ranked, 1) if key in right), 0)
    handed = set() if silent else {(hit.source, hit.record.id) for hit in recall.hits}
    size = 0 if silent else len(recall.block.encode())
    return Outcome(case, rank, bool(handed & right), size, sum(recall.milliseconds.values()))


class _Names:
    """What the records of a pipeline can be called."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._called: dict[str, set[Key]] = {}
        self._paths: list[tuple[str, Key]] = []
        for data in pipeline.store.records(pipeline.sources):
            key = (data["source"], data["record"])
            self._paths.append((data["path"], key))
            for name in (data["record"], data["title"], data["label"], data["path"]):
                self._called.setdefault(name.casefold(), set()).add(key)

    def right(self, case: Case, problem: Callable[[str], None]) -> set[Key]:
        found: set[Key] = set()
        for name in case.records:
            here = self._called.get(name.casefold()) or {key for path, key in self._paths if path.endswith(f"/{name}")}
            if not here:
                problem(f"{case.line}: no record {name!r} in this pipeline; counted as missed")
            found |= here
        return found


def _mean(values: Iterable[float]) -> float | None:
    several = list(values)
    return round(sum(several) / len(several), 4) if several else None
