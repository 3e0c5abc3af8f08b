"""Records cut, embedded and calibrated as sync does, with the ways to rank them, and what is asked of them."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from asked import SHARED, Messages, everyday, lines, messages, model, pieces

from citator import gating
from citator.gating import Candidate, Vectors
from citator.pieces import PieceSplitter, document
from citator.records import Record

DRAWS = 8
RANKED = 50
REPOSITORIES = ("JabRef__jabref", "apache__james-project", "eclipse-sirius__sirius-web", "alphagov__gsp")

Ranking = dict[int, float]
"""Records with their scores, best first."""


class Collection:
    """Pieces by record; `own` messages count among the everyday ones."""

    def __init__(self, texts: list[str], owners: Sequence[int], vectors: Vectors, name: str, own: Messages | None = None) -> None:
        self.texts, self.owners, self.vectors, self.name = texts, np.array(owners), vectors, name
        shown, told = everyday(name), own or messages([], name=name)
        self.calibration = gating.calibrate(
            vectors,
            texts,
            ["records"] * len(texts),
            [*shown.texts, *told.texts],
            np.vstack([shown.vectors, told.vectors]),
            fingerprint="",
            digest="",
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
    def of(cls, records: Sequence[Record], name: str = "minilm") -> "Collection":
        splitter = PieceSplitter(model(name).window, model(name).count_tokens)
        nodes = [(at, node.text) for at, record in enumerate(records) for node in splitter.split(document(record, "", ""))]
        texts = [text for _, text in nodes]
        return cls(texts, [at for at, _ in nodes], pieces(texts, name), name)

    def part(self, records: Sequence[int]) -> "Collection":
        rows = [row for row, owner in enumerate(self.owners) if owner in set(records)]
        return Collection([self.texts[row] for row in rows], self.owners[rows].tolist(), self.vectors[rows], self.name)

    def with_background(self, own: Sequence[str]) -> "Collection":
        return Collection(self.texts, self.owners.tolist(), self.vectors, self.name, messages(own, name=self.name))

    def ranked(self, scores: Vectors) -> Ranking:
        best: Ranking = {}
        for row in np.argsort(-scores):
            best.setdefault(int(self.owners[row]), float(scores[row]))
            if len(best) == RANKED:
                break
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

    def grep(self, text: str, _: Vectors) -> Ranking:
        """By how many of the message's longer words are in the record."""
        counts: Counter[int] = Counter(int(owner) for word in sorted(self.telling(text)) for owner in self.having(word))
        return {record: float(count) for record, count in counts.most_common(RANKED)}

    def telling(self, text: str) -> set[str]:
        """The words of a message that somebody would search for: of four letters and in at most a tenth of the records."""
        asked = {word for word in gating._WORDS.findall(text.lower()) if len(word) > 3}
        return {word for word in asked if len(self.having(word)) <= max(1, len(set(self.owners.tolist())) // 10)}

    def having(self, word: str) -> set[int]:
        return set(self.owners[self.places[word][0].astype(int)].tolist()) if word in self.places else set()

    def gate(self, text: str, vector: Vectors) -> Ranking:
        rows = np.argsort(-(self.vectors @ vector))[:64]
        candidates = [Candidate(str(self.owners[row]), "records", self.texts[row], self.vectors[row]) for row in rows]
        return {int(record): value for record, value in gating.standings(self.calibration, text, vector, candidates).items()}


@dataclass(frozen=True)
class Trial:
    """One collection with everything that is asked of it: what it answers, and questions on something else."""

    name: str
    collection: Collection
    questions: Messages
    other: Messages


@cache
def corpora() -> dict[str, Trial]:
    pep_questions, faq_questions = pep_messages("en"), faq_messages("en")
    pep, answers = Collection.of(pep_records()), Collection.of(faq_records("en"))
    return {"PEP": Trial("PEP", pep, pep_questions, faq_questions), "FAQ": Trial("FAQ", answers, faq_questions, pep_questions)}


def pep_records() -> list[Record]:
    return [Record(record["id"], "decision", record["title"], record["text"]) for record in lines("peps.jsonl")]


def pep_messages(language: str, name: str = "minilm") -> Messages:
    numbers = {record["id"]: at for at, record in enumerate(lines("peps.jsonl"))}
    asked = lines(f"pep-questions.{language}.jsonl")
    return messages([line["query"] for line in asked], [{numbers[gold] for gold in line["gold"]} for line in asked], name)


def faq_records(language: str, both: bool = False) -> list[Record]:
    return [Record(record["id"], "memory", "", record[f"answer_{language}"]) for record in _faq(both)]


def faq_messages(language: str, name: str = "minilm", both: bool = False) -> Messages:
    asked = [record[f"question_{language}"] for record in _faq(both)]
    return messages(asked, [{at} for at in range(len(asked))], name)


def _faq(both: bool) -> list[dict[str, str]]:
    return [record for record in lines("faq.jsonl") if not both or (record.get("question_ja") and record.get("answer_ja"))]


@cache
def decisions() -> dict[str, Trial]:
    """Decisions of some repositories; a question is the first sentence of one, which is taken out of it.

    What is asked beside is what the next repository's sentences say.
    """
    made = {}
    for repository in REPOSITORIES:
        asked, records = [], []
        for file in sorted((SHARED / "adr" / "corpora" / repository).rglob("*")):
            if file.suffix in (".md", ".adoc") and (found := _first_sentence(file)):
                asked.append(found[1])
                records.append(Record(file.name, "decision", found[0], found[2]))
        made[repository] = Collection.of(records), messages(asked, [{at} for at in range(len(asked))])
    next_one = dict(zip(REPOSITORIES, [*REPOSITORIES[1:], REPOSITORIES[0]], strict=True))
    return {
        name: Trial(name.partition("__")[2], collection, asked, made[next_one[name]][1])
        for name, (collection, asked) in made.items()
    }


def _first_sentence(file: Path) -> tuple[str, str, str] | None:
    """A decision's title, the first sentence of its prose, and its text without both."""
    text = file.read_text("utf-8", "replace")
    heading = re.search(r"^(?:#|=) +(.+)$", text, re.M)
    body = text[heading.end() :] if heading else text
    for paragraph in re.findall(r"^[A-Z][^\n]*(?:\n[^\n]+)*", body, re.M):
        sentence = re.match(r"(.{40,300}?[.!?])\s", " ".join(paragraph.split()) + " ")
        if sentence:
            rest = " ".join(paragraph.split())[sentence.end() :]
            return heading[1] if heading else "", sentence[1], body.replace(paragraph, rest, 1)[:4000]
    return None


def small(whole: Trial, size: int) -> list[Trial]:
    """Random parts of a corpus, of records that questions are about."""
    trials = []
    for seed in range(DRAWS):
        about = sorted(set().union(*whole.questions.right))
        chosen = {int(record) for record in np.random.default_rng(seed).choice(about, size, replace=False)}
        rows = [row for row, right in enumerate(whole.questions.right) if right & chosen]
        kept = whole.questions.part(rows)
        questions = Messages(kept.texts, kept.vectors, [right & chosen for right in kept.right])
        trials.append(Trial(f"{whole.name}, {size} of them", whole.collection.part(sorted(chosen)), questions, whole.other))
    return trials


def pieces_apart(whole: Trial) -> Trial:
    """The same pieces, each a record of its own: the largest collection of real texts that there is here."""
    owners = whole.collection.owners
    collection = Collection(whole.collection.texts, list(range(len(owners))), whole.collection.vectors, "minilm")
    right = [{row for row, owner in enumerate(owners.tolist()) if owner in golds} for golds in whole.questions.right]
    questions = Messages(whole.questions.texts, whole.questions.vectors, right)
    return Trial(f"{whole.name}, its {len(owners):,} pieces", collection, questions, whole.other)
