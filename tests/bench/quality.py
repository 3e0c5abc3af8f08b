"""How well the gate tells messages with something to recall from those without, beside what is commonly done instead.

.venv/bin/python tests/bench/quality.py            all tables; the first run embeds for some five minutes
.venv/bin/python tests/bench/quality.py gates      one of: gates, ranking, languages, sizes, own, cost

Reads ../shared/quality: 736 Python enhancement proposals and 174 answers of Python's FAQ with questions on them, and everyday
messages. `kept`: of the questions with a right record in the top five, the share that brings something. `far`: of the everyday
messages, `mid`: of the other corpus' questions, `near`: of the questions whose own records were taken out, the share that does.
"""

import hashlib
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np

from citator import background, gating
from citator.embedding import Model
from citator.gating import Answer, Candidate, Vectors
from citator.pieces import PieceSplitter, document
from citator.records import Record

SHARED = Path(__file__).parents[3] / "shared" / "quality"
CACHE = Path(tempfile.gettempdir()) / "citator-bench-quality"
PIECES = 64
DRAWS = 8
RATES = (0.02, 0.03, 0.04)

Ranking = dict[int, float]
"""Records with their scores, best first."""


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SHARED / name).read_text(encoding="utf-8").splitlines()]


@cache
def model() -> Model:
    from citator_plugins.huggingface import MiniLM

    return MiniLM(type="minilm").load(indexing=True)


def embedded(texts: Sequence[str]) -> Vectors:
    file = CACHE / f"{hashlib.sha256(json.dumps(texts).encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.npy"
    if not file.exists():
        CACHE.mkdir(exist_ok=True)
        np.save(file, np.array(model().embed.get_text_embedding_batch(list(texts)), dtype=np.float32))
    vectors: Vectors = np.load(file)
    return vectors


@dataclass(frozen=True)
class Messages:
    texts: list[str]
    vectors: Vectors
    right: list[set[int]]

    def __iter__(self) -> Iterator[tuple[str, Vectors, set[int]]]:
        return iter(zip(self.texts, self.vectors, self.right, strict=True))


def messages(texts: Sequence[str], right: Sequence[set[int]] | None = None) -> Messages:
    return Messages(list(texts), embedded([text[:2000] for text in texts]), list(right or [set()] * len(texts)))


class Collection:
    """Records cut and embedded as sync does, with the gate calibrated on them."""

    def __init__(self, texts: list[str], owners: list[int], vectors: Vectors, own: Sequence[str] = ()) -> None:
        self.texts, self.owners, self.vectors = texts, np.array(owners), vectors
        sources = ["records"] * len(texts)
        shown = [*background.messages(), *own]
        self.calibration = gating.calibrate(
            vectors, texts, sources, shown, embedded([text[:2000] for text in shown]), fingerprint="", digest=""
        )
        places: dict[str, list[tuple[int, float]]] = {}
        found = [Counter(gating._WORDS.findall(text.lower())) for text in texts]
        length = sum(counts.total() for counts in found) / len(texts)
        for row, counts in enumerate(found):
            for word, times in counts.items():
                saturated = times * 2.2 / (times + 1.2 * (0.25 + 0.75 * counts.total() / length))
                places.setdefault(word, []).append((row, saturated))
        self.places = {word: np.array(each).T for word, each in places.items()}

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Collection":
        splitter = PieceSplitter(model().window, model().count_tokens)
        nodes = [(at, node.text) for at, record in enumerate(records) for node in splitter.split(document(record, "", ""))]
        texts = [text for _, text in nodes]
        return cls(texts, [at for at, _ in nodes], embedded(texts))

    def part(self, records: Sequence[int]) -> "Collection":
        rows = [row for row, owner in enumerate(self.owners) if owner in set(records)]
        return Collection([self.texts[row] for row in rows], [int(self.owners[row]) for row in rows], self.vectors[rows])

    def with_background(self, own: Sequence[str]) -> "Collection":
        return Collection(self.texts, [int(owner) for owner in self.owners], self.vectors, own)

    def ranked(self, scores: Vectors) -> Ranking:
        best: Ranking = {}
        for row in np.argsort(-scores):
            best.setdefault(int(self.owners[row]), float(scores[row]))
        return best

    def dense(self, _: str, vector: Vectors) -> Ranking:
        return self.ranked(self.vectors @ vector)

    def bm25(self, text: str, _: Vectors) -> Ranking:
        scores = np.zeros(len(self.texts), dtype=np.float32)
        for word in set(gating._WORDS.findall(text.lower())) & self.places.keys():
            rows, saturated = self.places[word]
            rarity = math.log(1 + (len(self.texts) - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows.astype(int)] += rarity * saturated
        return self.ranked(scores)

    def gate(self, text: str, vector: Vectors) -> Ranking:
        return self._standings(text, vector, self.top(vector))

    def top(self, vector: Vectors) -> list[int]:
        return [int(row) for row in np.argsort(-(self.vectors @ vector))[:PIECES]]

    def _standings(self, text: str, vector: Vectors, rows: Sequence[int]) -> Ranking:
        candidates = [Candidate(str(self.owners[row]), "records", self.texts[row], self.vectors[row]) for row in rows]
        return {int(record): value for record, value in gating.standings(self.calibration, text, vector, candidates).items()}


def values(ranking: Ranking) -> list[float]:
    return sorted(ranking.values(), reverse=True)


def top(ranking: Ranking) -> float:
    return max(ranking.values(), default=-9.0)


def above_next(ranking: Ranking) -> float:
    scores = values(ranking)
    return scores[0] - scores[1]


def above_rest(ranking: Ranking) -> float:
    scores = values(ranking)
    return scores[0] - sum(scores[1:10]) / len(scores[1:10])


@dataclass(frozen=True)
class Trial:
    """One collection with everything that is asked of it."""

    name: str
    collection: Collection
    questions: Messages
    other: Messages


@cache
def corpora() -> dict[str, Trial]:
    peps, faq = lines("peps.jsonl"), lines("faq.jsonl")
    numbers = {record["id"]: at for at, record in enumerate(peps)}
    asked = lines("pep-questions.en.jsonl")
    pep_questions = messages([line["query"] for line in asked], [{numbers[gold] for gold in line["gold"]} for line in asked])
    faq_questions = messages([line["question_en"] for line in faq], [{at} for at in range(len(faq))])
    pep = Collection.of([Record(record["id"], "decision", record["title"], record["text"]) for record in peps])
    answers = Collection.of([Record(record["id"], "memory", "", record["answer_en"]) for record in faq])
    return {"PEP": Trial("PEP", pep, pep_questions, faq_questions), "FAQ": Trial("FAQ", answers, faq_questions, pep_questions)}


def small(whole: Trial, size: int) -> list[Trial]:
    """Random parts of a corpus, of records that questions are about."""
    trials = []
    for seed in range(DRAWS):
        about = sorted(set().union(*whole.questions.right))
        chosen = {int(record) for record in np.random.default_rng(seed).choice(about, size, replace=False)}
        rows = [row for row, right in enumerate(whole.questions.right) if right & chosen]
        questions = Messages(
            [whole.questions.texts[row] for row in rows],
            whole.questions.vectors[rows],
            [whole.questions.right[row] & chosen for row in rows],
        )
        trials.append(Trial(f"{whole.name}, {size} of them", whole.collection.part(sorted(chosen)), questions, whole.other))
    return trials


@dataclass(frozen=True)
class Outcome:
    """What one way of ranking and gating gives; `kept`, `far`, `mid`, `near` are gate values, each of one message."""

    first: list[bool]
    five: list[bool]
    kept: list[float]
    far: list[float]
    mid: list[float]
    near: list[float]


Rank = Callable[[Collection, str, Vectors], Ranking]
Value = Callable[[Ranking], float]


def outcome(trials: Sequence[Trial], rank: Rank, value: Value, far: Messages) -> Outcome:
    made = Outcome([], [], [], [], [], [])
    for trial in trials:
        for text, vector, right in trial.questions:
            ranking = rank(trial.collection, text, vector)
            made.first.append(bool(right & set(list(ranking)[:1])))
            made.five.append(bool(right & set(list(ranking)[:5])))
            if made.five[-1]:
                made.kept.append(value(ranking))
                made.near.append(value({record: score for record, score in ranking.items() if record not in right}))
        made.far.extend(value(rank(trial.collection, text, vector)) for text, vector, _ in far)
        made.mid.extend(value(rank(trial.collection, text, vector)) for text, vector, _ in trial.other)
    return made


def share(reached: Sequence[float], threshold: float) -> str:
    return f"{np.mean(np.array(reached) >= threshold):.3f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells: str) -> None:
    print()
    row(*cells)
    row(*["---"] * len(cells))


def trials() -> dict[str, list[Trial]]:
    made = [[trial] for trial in corpora().values()] + [small(trial, 8) for trial in corpora().values()]
    return {each[0].name: each for each in made}


def gates() -> None:
    """The gate at its own thresholds; the others at the one threshold that keeps 95 % of both corpora's questions."""
    far = messages([line["query"] for line in lines("unrelated.jsonl")])
    others: dict[str, tuple[Rank, Value]] = {
        "absolute": (Collection.dense, top),
        "top1 − top2": (Collection.dense, above_next),
        "top1 − mean(2..10)": (Collection.dense, above_rest),
        "BM25 alone": (Collection.bm25, top),
    }
    head("collection", "gate", "r@1", "r@5", "kept", "far", "mid", "near", "far where 95 % are kept")
    row("any", "none", "", "", "1.000", "1.000", "1.000", "1.000", "1.000")
    for name, (rank, value) in others.items():
        outcomes = {collection: outcome(each, rank, value, far) for collection, each in trials().items()}
        threshold = float(np.quantile([kept for corpus in corpora() for kept in outcomes[corpus].kept], 0.05))
        for collection, got in outcomes.items():
            report(collection, f"{name} ≥ {threshold:.2f}", got, threshold)
    for collection, each in trials().items():
        got = outcome(each, Collection.gate, top, far)
        for rate in RATES:
            report(collection, f"citator, {rate:.0%}", got, gating.threshold(rate))


def report(collection: str, gate: str, got: Outcome, threshold: float) -> None:
    lists = (got.kept, got.far, got.mid, got.near)
    best = share(got.far, float(np.quantile(got.kept, 0.05)))
    row(
        collection,
        gate,
        f"{np.mean(got.first):.3f}",
        f"{np.mean(got.five):.3f}",
        *(share(each, threshold) for each in lists),
        best,
    )


def ranking() -> None:
    """Order by raw similarity, by words alone, and by the gate's sum; and what of it is handed over."""
    ways: dict[str, Rank] = {
        "dense": Collection.dense,
        "BM25": Collection.bm25,
        "gate": Collection.gate,
    }
    head("corpus", "order", "r@1", "r@5")
    for corpus, trial in corpora().items():
        for name, rank in ways.items():
            got = outcome([trial], rank, top, messages([]))
            row(corpus, name, f"{np.mean(got.first):.3f}", f"{np.mean(got.five):.3f}")
    head("corpus", "messages", "nothing", "short list", "full list", "right record in the list", "records in a list, mean")
    far = messages([line["query"] for line in lines("unrelated.jsonl")])
    for corpus, trial in corpora().items():
        for name, asked in (("its questions", trial.questions), ("the other corpus'", trial.other), ("everyday", far)):
            made = [gating.decide(_named(trial.collection.gate(text, vector))) for text, vector, _ in asked]
            answers = Counter(decision.answer for decision in made)
            right = np.mean(
                [
                    bool({str(gold) for gold in golds} & set(each.records[: each.most]))
                    for each, golds in zip(made, asked.right, strict=True)
                ]
            )
            shares = [f"{answers[answer] / len(made):.3f}" for answer in Answer]
            length = np.mean([min(len(decision.records), decision.most) for decision in made if decision.records])
            row(corpus, name, *shares, f"{right:.3f}" if name == "its questions" else "", f"{length:.1f}")


def _named(ranking: Ranking) -> dict[str, float]:
    return {str(record): value for record, value in ranking.items()}


def languages() -> None:
    """Sentences of daily life and everyday messages that recall something with the packaged (English) model."""
    pairs = lines("pairs.en-ja.jsonl")
    sets = {f"pairs, {name}": [pair[name] for pair in pairs] for name in ("en", "ja")}
    unrelated = [line["query"] for line in lines("unrelated.jsonl")]
    for name in background.everyday():
        sets[f"unrelated, {name}"] = [text for text in unrelated if background.language(text) == name]
    head("messages", "number", *(f"recall something of {corpus}" for corpus in corpora()))
    for name, texts in sets.items():
        asked = messages(texts)
        passing = [
            share([top(trial.collection.gate(text, vector)) for text, vector, _ in asked], gating.threshold(0.03))
            for trial in corpora().values()
        ]
        row(name, len(texts), *passing)


def sizes() -> None:
    """The gate at its own rate on random parts of a corpus."""
    far = messages([line["query"] for line in lines("unrelated.jsonl")][::3])
    head("collection", "r@5", "kept", "far")
    for size in (8, 30, 100, 300):
        for trial in corpora().values():
            if size < len(set().union(*trial.questions.right)):
                got = outcome(small(trial, size), Collection.gate, top, far)
                reached = (share(each, gating.threshold(0.04)) for each in (got.kept, got.far))
                row(f"{trial.name}, {size} of them", f"{np.mean(got.five):.3f}", *reached)


def own() -> None:
    """The background with messages of the user's own in it, some of which records answer; measured on the others."""
    far = messages([line["query"] for line in lines("unrelated.jsonl")][::3])
    head("corpus", "background", "kept", "far", "mid")
    for corpus, trial in corpora().items():
        chance = np.random.default_rng(0)
        other, asked = (chance.permutation(len(each.texts)) for each in (trial.other, trial.questions))
        half = Trial(corpus, trial.collection, part(trial.questions, asked[100:]), part(trial.other, other[100:]))
        for answered in (None, 0, 50, 100):
            name = "shipped" if answered is None else f"and 100 of the other corpus', {answered} of its own questions"
            chosen = [] if answered is None else [trial.other.texts[row] for row in other[:100]]
            chosen += [trial.questions.texts[row] for row in asked[: answered or 0]]
            got = outcome([replace(half, collection=trial.collection.with_background(chosen))], Collection.gate, top, far)
            row(corpus, name, *(share(each, gating.threshold(0.04)) for each in (got.kept, got.far, got.mid)))


def part(whole: Messages, rows: Sequence[int]) -> Messages:
    return Messages([whole.texts[row] for row in rows], whole.vectors[rows], [whole.right[row] for row in rows])


def cost() -> None:
    """Calibration of 10,000 records of two pieces, and one message on it."""
    whole = corpora()["PEP"].collection
    chosen = np.random.default_rng(0).integers(0, len(whole.texts), 20_000)
    noise = np.random.default_rng(1).standard_normal((20_000, whole.vectors.shape[1])).astype(np.float32)
    vectors = whole.vectors[chosen] + 0.02 * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts, shown = [whole.texts[row] for row in chosen], background.messages()
    begin = perf_counter()
    calibration = gating.calibrate(
        vectors, texts, ["records"] * len(texts), shown, embedded([text[:2000] for text in shown]), fingerprint="", digest=""
    )
    head("what", "cost")
    row("calibration of 20,000 pieces", f"{perf_counter() - begin:.1f} s")
    row("its file", f"{len(calibration.to_json()) / 1000:.0f} kB")
    calibration = gating.Calibration.from_json(calibration.to_json())
    times = []
    for text, vector, _ in corpora()["PEP"].questions:
        rows = np.argsort(-(vectors @ vector))[:PIECES]
        candidates = [Candidate(str(row), "records", texts[row], vectors[row].tolist()) for row in rows]
        begin = perf_counter()
        gating.decide(gating.standings(calibration, text, vector.tolist(), candidates))
        times.append(1000 * (perf_counter() - begin))
    row(
        "one message, 64 pieces",
        f"{np.median(times):.1f} ms at the median, {np.quantile(times, 0.95):.1f} ms at the 95th percentile",
    )


TABLES = {"gates": gates, "ranking": ranking, "languages": languages, "sizes": sizes, "own": own, "cost": cost}

if __name__ == "__main__":
    if not SHARED.is_dir():
        sys.exit(f"{SHARED}: not there; the question sets lie beside the checkout")
    for table in sys.argv[1:] or TABLES:
        print(f"\n## {table}\n\n{TABLES[table].__doc__}")
        TABLES[table]()
