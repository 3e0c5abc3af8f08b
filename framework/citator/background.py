"""Everyday messages to agents, which have nothing to do with anybody's records: what the gate holds a message against."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise

_SCRIPTS = {"ja": r"[\u3040-\u30ff]", "ko": r"[\uac00-\ud7a3]", "zh": r"[\u4e00-\u9fff]", "ru": r"[\u0400-\u04ff]"}
_READ = 600
_NEVER = 1e-4
_DOUBT = 3.0


@cache
def everyday() -> Mapping[str, tuple[str, ...]]:
    """The messages that citator ships, by language (ISO 639-1): everyday/LANGUAGE.jsonl has a JSON string on each line."""
    shipped = {file.name: file.read_text(encoding="utf-8") for file in files("citator").joinpath("everyday").iterdir()}
    return {
        name.removesuffix(".jsonl"): tuple(json.loads(line) for line in text.splitlines())
        for name, text in sorted(shipped.items())
    }


def messages() -> tuple[str, ...]:
    """All of them, always in the same order."""
    return tuple(message for spoken in everyday().values() for message in spoken)


@cache
def digest() -> str:
    """Changes with any of the messages."""
    return hashlib.sha256("\n".join(messages()).encode()).hexdigest()[:8]


def language(message: str) -> str:
    """The language of `everyday` that is nearest to the message's: by script, and in Latin script by the pairs of letters.

    English where the others are hardly likelier: terms of programming are, in all languages.
    """
    for name, script in _SCRIPTS.items():
        if re.search(script, message):
            return name
    pairs = _pairs([message])
    likely = {name: sum(count * shares[pair] for pair, count in pairs.items()) for name, shares in _latin().items()}
    best = max(likely, key=likely.__getitem__)
    return best if likely[best] > likely["en"] + _DOUBT else "en"


def _pairs(texts: Iterable[str]) -> Counter[str]:
    letters = re.sub(r"[\W\d_]+", " ", " ".join(["", *(text[:_READ].lower() for text in texts), ""]))
    return Counter(first + second for first, second in pairwise(letters))


class _Shares(dict[str, float]):
    """The logarithm of each pair's share in a language; a pair that is never there counts the same in all of them."""

    def __init__(self, counts: Counter[str]) -> None:
        super().__init__({pair: math.log(count / counts.total() + _NEVER) for pair, count in counts.items()})

    def __missing__(self, pair: str) -> float:
        return math.log(_NEVER)


@cache
def _latin() -> Mapping[str, _Shares]:
    return {name: _Shares(_pairs(spoken)) for name, spoken in everyday().items() if name not in _SCRIPTS}
