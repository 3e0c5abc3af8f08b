"""Whether a message is about any of the records, and how much to hand over; pure.

Never the top against the second (two records that agree look like none that stands out), but the top against what messages
that have nothing to do with the records reach among them. For a message and a piece

    score = cosine(message − everyday, piece − (4 pieces + everyday) / 5) / reach + 2 overlap

where *everyday* is the mean vector of the everyday messages in the message's language, *pieces* that of all pieces, *reach* the
best cosine of an everyday message, in the mean, and *overlap* the share of the message's words that the piece has, rare words
weighing more. A record scores by its best piece. Its *standing* is how many standard deviations its score is above the mean of
the best scores of everyday messages among the records of its source: a scale that does not depend on the model, the language,
the number of records or their length. With many sources the best of everyday messages' standings grow: so they are measured too.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from citator.background import language

Vectors = NDArray[np.float32]

VERSION = 3
"""Changes with the formula: a calibration of another version is damaged goods."""

MESSAGE_CHARACTERS = 2000
"""What is read of a message: its beginning says what it is about, and a longer one would only cost time."""

SHORT, FULL = 2, 5
"""How many records a short and a full list have at most."""

_PIECES_SHARE = 0.8
_OVERLAP_WEIGHT = 2.0

SAME, COPY = 0.9, 0.8
"""From which likeness on two notes say the same, and a note what a decision says: copies that were cut at other places have
0.81 or more in 19 of 20 cases, different decisions of one team 0.71 at most."""

_RAREST = 1000
_ENOUGH_MESSAGES = 20
_WORDS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+|[^\W\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+")


class Scale(NamedTuple):
    """The normal distribution of what everyday messages reach at best."""

    mean: float
    deviation: float

    def of(self, value: float) -> float:
        """A value in standard deviations above the mean."""
        return (value - self.mean) / self.deviation


@dataclass(frozen=True, slots=True)
class Everyday:
    """What `count` everyday messages of one language reach.

    `centre` is their mean vector, `reach` the mean of their best cosines; `sources` has the scale of their best scores in each
    source, `all` that of the best of these over all sources.
    """

    centre: tuple[float, ...]
    reach: float
    sources: Mapping[str, Scale]
    all: Scale
    count: int

    def standing(self, source: str, score: float) -> float:
        """How unusual a score is, in standard deviations of a normal distribution; fewer messages measured make it less so.

        A source that was not measured has the scale of the one where everyday messages reach most.
        """
        scale = self.sources.get(source) or max(self.sources.values())
        off, freedom = self.all.of(scale.of(score)), self.count / 2
        return off * (1 - 1 / (4 * freedom)) / math.sqrt(1 + off * off / (2 * freedom))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """As `asdict` gives it."""
        scales = {source: Scale(*scale) for source, scale in data["sources"].items()}
        return cls(tuple(data["centre"]), data["reach"], scales, Scale(*data["all"]), data["count"])


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured on the pieces of a view.

    How many there are, their mean vector, in how many of them each word is, and by language what everyday messages reach;
    `highest` are the standings of the highest twentieth of all of these, the highest first.
    """

    fingerprint: str
    digest: str
    pieces: int
    centre: tuple[float, ...]
    words: Mapping[str, int]
    everyday: Mapping[str, Everyday]
    highest: tuple[float, ...] = ()
    version: int = VERSION

    def fits(self, fingerprint: str, digest: str) -> bool:
        """Whether it was made with this model and on these records."""
        return (self.fingerprint, self.digest) == (fingerprint, digest)

    def spoken(self, message: str) -> Everyday:
        """The everyday messages in the language of this one; where none were measured, those of which there were most."""
        return self.everyday.get(language(message)) or max(self.everyday.values(), key=lambda measured: measured.count)

    def limit(self, most: float) -> float:
        """The standing that no more than this share of everyday messages reaches, 19 times in 20, as it was measured.

        With few records the best of everyday messages are spread wider than a normal distribution would have it.
        """
        asked = sum(measured.count for measured in self.everyday.values())
        for place in reversed(range(len(self.highest))):
            if between(place, asked)[1] <= most:
                return max(threshold(most), math.nextafter(self.highest[place], math.inf))
        return max(threshold(most), *self.highest[:1])

    def to_json(self) -> str:
        """As `from_json` reads it."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises ValueError where the text is damaged or of another version; it has to be made anew then."""
        try:
            data = json.loads(text)
            if data["version"] != VERSION:
                raise ValueError(f"a calibration of version {data['version']}, not {VERSION}")
            everyday = {name: Everyday.from_dict(spoken) for name, spoken in data["everyday"].items()}
            made = {"centre": tuple(data["centre"]), "highest": tuple(data["highest"]), "everyday": everyday}
            return cls(**{**data, **made})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"a damaged calibration: {error}") from error


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece that was retrieved: its record (any key), its source, its text as it was embedded, and its vector."""

    record: str
    source: str
    text: str
    vector: Sequence[float]


class Answer(StrEnum):
    """How much is handed over."""

    NOTHING = "nothing"
    SHORT = "a short list"
    FULL = "a full list"


@dataclass(frozen=True, slots=True)
class Decision:
    """How much to hand over, and the records that are worth it, best first; the list has room for the first `most`."""

    answer: Answer
    records: tuple[str, ...] = ()

    @property
    def most(self) -> int:
        """Two, by their titles only, in a short list; five in a full one."""
        return SHORT if self.answer is Answer.SHORT else FULL


def words(text: str) -> set[str]:
    """The words of a text in lower case; of Chinese, Japanese and Korean the pairs of characters."""
    found: set[str] = set()
    for word in _WORDS.findall(text.lower()):
        if "\u3040" <= word[0] <= "\ud7a3" and len(word) > 1:
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        else:
            found.add(word)
    return found


def calibrate(
    vectors: Vectors,
    texts: Sequence[str],
    sources: Sequence[str],
    messages: Sequence[str],
    message_vectors: Vectors,
    *,
    fingerprint: str,
    digest: str,
) -> Calibration:
    """Measures everyday messages on the pieces of a view: `vectors` has a row for each text, at least one, `sources` its source.

    Messages are embedded as the ones to be judged will be. Languages with fewer than 20 messages are left out; where
    none has as many, a ValueError is raised.
    """
    asked = [words(message[:MESSAGE_CHARACTERS]) for message in messages]
    counts: Counter[str] = Counter()
    places: dict[str, list[int]] = {word: [] for word in set().union(*asked)}
    for at, text in enumerate(texts):
        found = words(text)
        counts.update(found)
        for word in found & places.keys():
            places[word].append(at)
    kept = {word: count for word, count in counts.items() if count > _rare(len(texts))}
    rows_of = {word: np.array(rows, dtype=np.intp) for word, rows in places.items()}
    parts = {source: np.array([at for at, own in enumerate(sources) if own == source], dtype=np.intp) for source in set(sources)}
    centre = _rounded(vectors.mean(axis=0))

    reached: list[float] = []

    def measured(chosen: list[int]) -> Everyday:
        home = _rounded(message_vectors[chosen].mean(axis=0))
        cosines = _cosines(message_vectors[chosen], vectors, home, centre)
        reach = max(float(cosines.max(axis=1).mean()), 1e-3)
        overlaps = (_overlaps(_weights(asked[row], kept, len(texts)), rows_of, len(texts)) for row in chosen)
        scores = [near / reach + _OVERLAP_WEIGHT * overlap for near, overlap in zip(cosines, overlaps, strict=True)]
        best = {source: [float(each[rows].max()) for each in scores] for source, rows in sorted(parts.items())}
        scales = {source: _normal(reached) for source, reached in best.items()}
        highest = [max(scales[source].of(best[source][at]) for source in scales) for at in range(len(chosen))]
        made = Everyday(home, reach, scales, _normal(highest), len(chosen))
        reached.extend(max(made.standing(source, best[source][at]) for source in scales) for at in range(len(chosen)))
        return made

    spoken: dict[str, list[int]] = {}
    for row, message in enumerate(messages):
        spoken.setdefault(language(message), []).append(row)
    enough = {name: rows for name, rows in spoken.items() if len(rows) >= _ENOUGH_MESSAGES}
    if not enough:
        raise ValueError(f"a calibration takes at least {_ENOUGH_MESSAGES} messages of a language")
    everyday = {name: measured(rows) for name, rows in enough.items()}
    highest = sorted((round(standing, 4) for standing in reached), reverse=True)[: math.ceil(len(reached) / 20)]
    return Calibration(fingerprint, digest, len(texts), centre, kept, everyday, tuple(highest))


def standings(
    calibration: Calibration, message: str, vector: Sequence[float], candidates: Sequence[Candidate]
) -> dict[str, float]:
    """How far each record stands above everyday messages, best first; see `threshold` for what that is worth."""
    if not candidates:
        return {}
    everyday = calibration.spoken(message)
    pieces = np.asarray([candidate.vector for candidate in candidates], dtype=np.float32)
    cosines = _cosines(np.asarray([vector], dtype=np.float32), pieces, everyday.centre, calibration.centre)[0]
    weights = _weights(words(message[:MESSAGE_CHARACTERS]), calibration.words, calibration.pieces)
    found = [words(candidate.text) for candidate in candidates]
    places = {word: [at for at, piece in enumerate(found) if word in piece] for word in weights}
    scores = cosines / everyday.reach + _OVERLAP_WEIGHT * _overlaps(weights, places, len(candidates))
    standing = [everyday.standing(each.source, score) for each, score in zip(candidates, scores.tolist(), strict=True)]
    best: dict[str, float] = {}
    for candidate, value in sorted(zip(candidates, standing, strict=True), key=lambda pair: -pair[1]):
        best.setdefault(candidate.record, value)
    return best


def likeness(calibration: Calibration, message: str, records: Sequence[Vectors]) -> Vectors:
    """How near two records come to each other (a row for each piece that was found): a square of cosines.

    The nearest two pieces count, since another source may have cut the same text at other places.
    """
    middle = _middle(calibration.spoken(message).centre, calibration.centre)
    units = _unit(np.concatenate(records) - middle)
    begins = np.cumsum([0, *(len(pieces) for pieces in records[:-1])])
    nearest: Vectors = np.maximum.reduceat(np.maximum.reduceat(units @ units.T, begins, axis=0), begins, axis=1)
    return nearest


def threshold(rate: float) -> float:
    """The standing that this share of everyday messages reaches."""
    return NormalDist().inv_cdf(1 - rate)


def share(standing: float) -> float:
    """The share of everyday messages that reach a standing, the inverse of `threshold`."""
    return 1 - NormalDist().cdf(standing)


def between(count: int, of: int) -> tuple[float, float]:
    """Where the true share is 19 times in 20, of which so many were counted (Wilson)."""
    share, z = count / of, 1.96
    middle, spread = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    whole = 1 + z * z / of
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def decide(standing: Mapping[str, float], *, false_injection: float = 0.04, full: float = 0.004) -> Decision:
    """What to hand over of these records: those that this share of everyday messages, or fewer, would bring.

    The list is full where the best of them would be brought by a share of `full` or less.
    """
    above = [
        record
        for record in sorted(standing, key=lambda record: -standing[record])
        if standing[record] >= threshold(false_injection)
    ]
    if not above:
        return Decision(Answer.NOTHING)
    return Decision(Answer.FULL if standing[above[0]] >= threshold(full) else Answer.SHORT, tuple(above))


def _rare(pieces: int) -> int:
    """Words in no more pieces than this weigh the same, which keeps the table of words small."""
    return max(1, pieces // _RAREST)


def _weights(asked: Iterable[str], counts: Mapping[str, int], pieces: int) -> dict[str, float]:
    """The words of a message, the rarer in the pieces the heavier.

    The empty one is a word that no piece has, so that a message of a single word proves little.
    """
    rare = _rare(pieces)
    return {word: math.log(1 + pieces / counts.get(word, rare)) for word in (*asked, "")}


def _overlaps(weights: Mapping[str, float], places: Mapping[str, Sequence[int] | NDArray[np.intp]], pieces: int) -> Vectors:
    overlaps = np.zeros(pieces, dtype=np.float32)
    for word, weight in weights.items():
        if word in places:
            overlaps[places[word]] += weight
    overlaps /= sum(weights.values())
    return overlaps


def _cosines(messages: Vectors, pieces: Vectors, everyday: ArrayLike, centre: ArrayLike) -> Vectors:
    home = np.asarray(everyday, dtype=np.float32)
    cosines: Vectors = _unit(messages - home) @ _unit(pieces - _middle(home, centre)).T
    return cosines


def _middle(everyday: ArrayLike, centre: ArrayLike) -> Vectors:
    home, pieces = np.asarray(everyday, dtype=np.float32), np.asarray(centre, dtype=np.float32)
    middle: Vectors = _PIECES_SHARE * pieces + (1 - _PIECES_SHARE) * home
    return middle


def _unit(vectors: Vectors) -> Vectors:
    units: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return units


def _normal(scores: Sequence[float]) -> Scale:
    """Mean and standard deviation of the normal distribution that fits the upper half of the scores.

    The highest twentieth is left out: even of everyday messages a few are about something that is in the records.
    """
    count = len(scores)
    upper = slice(count // 2, count - count // 20)
    ranks = [NormalDist().inv_cdf((at + 0.5) / count) for at in range(count)]
    deviation, mean = np.polyfit(ranks[upper], sorted(scores)[upper], 1)
    return Scale(float(mean), max(float(deviation), 1e-3))


def _rounded(vector: Vectors) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in vector)
