"""Which of the approaches that a record weighed it took, by their own marks and by what its outcome says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citator.api import telling
from citator.expressions import expression
from citator_plugins.adr.weighed import Weighed, plain
from citator_plugins.adr.weighing import NOT_TAKEN, OPTION

_THING = r"(?:options?|alternatives?|solutions?|approach(?:es)?|variants?|option|variante|lösung|opción|opção|alternativa)"
_CHOSEN = expression(
    rf"(?:\b(?:chosen|selected|preferred|gewählte|ausgewählte)\s+{_THING}\b|\b{_THING}\s+(?:choisie|retenue|elegida|escolhida)\b|"
    r"選択した(?:選択肢|案)|採用(?:した)?案|选择的方案)[*_\s]*(?:is|are|was|ist)?[*_\s]*[:：]?\s*(?P<named>.+?)"
    r"(?:,?\s+(?:because|since|as it|as they|as this|due to|for the|comes out|in order|weil|car|porque)\b|"
    r",\s|\.\s|\s[—–]\s|[。\n]\s*\n|$)|"
    r"\bwe(?:'ll)?\s+(?:have\s+)?"
    r"(?:chose|choose|decided?|will|opt(?:ed)?|go|went|selected|settled|adopt(?:ed)?|picked?|use|took|take)\b"
    r"\s*(?:to|for|on|with|use|adopt)*\s*(?P<told>.+?)(?:[.。;\n]|\s[—–]\s|,?\s+because\b|$)",
    re.I | re.S,
)
_INSTEAD = expression(
    r"\b(?:instead of|rather than|over|and not|but not|not|anstatt|statt|plutôt que|en lugar de|em vez de)\b", re.I
)
_QUOTED = expression(r"[\"“„«](.+)[\"”“»]", re.S)
_STRESSED = expression(r"^\W*(?:\*\*|__|`)(.+?)(?:\*\*|__|`)")
_ONE = r"\(?(?:\d+[a-z]?|[a-z]|[ivx]+)\b\)?"
_NUMBERS = expression(rf"\b{OPTION}({_ONE}(?:\s*(?:,|&|\+|and|und|et|y|e)\s*{_ONE})*)|\((\d{{1,2}}|[A-Za-z])\)", re.I)
_NUMBER_FIRST = expression(r"^\W*(\d{1,2}|[A-Z])(?=\W*$|\s*[(—–:.)-])")
_SENTENCE = expression(r"\s*(.+?)(?:(?<=[^\W\d_])[.!?](?=\s|$)|[。！？]|\n\s*\n|$)", re.S)
_NEAR, _APART = 0.6, 0.3
_FEW_WORDS = 3


def decided(options: Sequence[Weighed], outcome: str, others: Sequence[Weighed] = ()) -> list[Weighed]:
    """The options with `chosen` filled in, by the outcome and by marks of their own.

    `others` are all that are weighed elsewhere in the record: what was taken may be there only. Where the two disagree none is
    given; where neither tells what was taken, those that say themselves that they were not.
    """
    if not options:
        return []
    marked = {at for at, option in enumerate(options) if option.chosen}
    refused = {at for at, option in enumerate(options) if option.chosen is False}
    told = said_in(options, outcome)
    if told & refused or (told and marked and not told & marked):
        return []
    taken = told | marked or _first_said(options, outcome) - refused or _standing_out(options) - refused
    if taken or (len(others) > len(options) and said_in(others, outcome)):
        return [replace(option, chosen=at in taken) for at, option in enumerate(options)]
    return [option for option in options if option.chosen is False]


def said_in(options: Sequence[Weighed], outcome: str) -> set[int]:
    """The places of the options that an outcome says were taken, in so many words ("Chosen option: …", "We will use …")."""
    for match in _CHOSEN.finditer(outcome):
        for said in _readings(match["named"] or match["told"]):
            if found := _meant(options, said):
                return found if match["named"] or len(found) == 1 or _numbered(options, said) else set()
    return set()


def _readings(phrase: str) -> Iterator[str]:
    """What may be the name in a phrase, the likeliest first."""
    phrase = _INSTEAD.split(phrase, maxsplit=1)[0]
    stressed, quoted = _STRESSED.match(phrase), _QUOTED.search(plain(phrase))
    yield from dict.fromkeys(filter(None, (quoted[1] if quoted else "", plain(stressed[1]) if stressed else "", plain(phrase))))


def _first_said(options: Sequence[Weighed], outcome: str) -> set[int]:
    """The one option that the first sentence of an outcome names, where it turns nothing down."""
    first = _SENTENCE.match(plain(outcome))
    said = _INSTEAD.split(first[1], maxsplit=1)[0] if first else ""
    if not first or re.search(NOT_TAKEN, first[1], re.I):
        return set()
    words = telling(said)
    found = _numbered(options, said) or _held(options, words) or _nearest(options, words, _NEAR, _APART)
    if not found and len(words) <= _FEW_WORDS:
        found = {at for at, option in enumerate(options) if words and words <= telling(option.name)}
    return found if len(found) == 1 else set()


def _meant(options: Sequence[Weighed], said: str) -> set[int]:
    if by_number := _numbered(options, said):
        return by_number
    if held := _held(options, telling(said)):
        return held if len(held) < len(options) or len(options) == 1 else set()
    return _nearest(options, telling(said), 0.5, 0.0)


def _numbered(options: Sequence[Weighed], said: str) -> set[int]:
    named = (match[1] or match[2] for match in _NUMBERS.finditer(said))
    numbers = {number for some in named for number in re.findall(r"[^\W_]+", some.casefold())}
    if first := _NUMBER_FIRST.match(said):
        numbers.add(first[1].casefold())
    return {at for at, option in enumerate(options) if option.number in numbers and option.number}


def _held(options: Sequence[Weighed], words: frozenset[str]) -> set[int]:
    """The options whose names are within these words; "Redis" is not meant where "Redis Streams" is."""
    names = [telling(option.name) for option in options]
    held = {at for at, mine in enumerate(names) if mine and mine <= words}
    return held - {at for at in held for other in held if names[at] < names[other]}


def _nearest(options: Sequence[Weighed], words: frozenset[str], least: float, apart: float) -> set[int]:
    """The one option that shares so much with these words, and so much more than any other."""
    near = [
        (len(mine & words) / (min(len(mine), len(words)) if not apart else len(mine)), at)
        for at, option in enumerate(options)
        if (mine := telling(option.name)) and words
    ]
    best = max(near, default=(0.0, -1))
    second = max((score for score, at in near if at != best[1]), default=0.0)
    return {best[1]} if best[0] >= least and best[0] - second > apart else set()


def _standing_out(options: Sequence[Weighed]) -> set[int]:
    """The only one in bold among several that are not."""
    bold = {at for at, option in enumerate(options) if option.bold}
    return bold if len(bold) == 1 and len(options) > 2 else set()
