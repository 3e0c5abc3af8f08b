"""Clause -> bonds: the relations in it, each with the records that it names. Part of the status rule."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from citator.phrases import IN_PART, NAMES_FIRST, OF, SOME_OF_IT
from citator.prose import Marked, Reference, listed
from citator.relations import (
    BY_THIS,
    ENDS_THIS,
    NAME_FIRST,
    THIS_ENDS,
    VERB_FIRST,
    Relation,
    may_relate,
    may_replace,
)

_MOST = 20
"""Relations in one clause; a text with more is no prose."""


class Bond(NamedTuple):
    """A relation found in a clause: its verb, where that begins and ends, whom it names, whether a part is meant."""

    relation: Relation
    start: int
    end: int
    references: tuple[Reference, ...]
    partial: bool
    verb: str


def bonds(text: str, marked: Marked, *, loose: bool = False, sentence: bool = False) -> Iterator[Bond]:
    """Every relation in a clause with the records it names.

    `loose` takes any words after "superseded by" for a name; a `sentence` is only searched for what replaced what.
    """
    if not (may_replace(text) if sentence else may_relate(text)):
        return
    at = 0
    patterns = VERB_FIRST[:2] if sentence else VERB_FIRST
    for _ in range(_MOST):
        hits = [(match.start(), n, match) for n, (_, pattern) in enumerate(patterns) if (match := pattern.search(text, at))]
        if not hits:
            break
        _, n, match = min(hits, key=lambda hit: hit[:2])
        relation, at, rest = patterns[n][0], match.end(), text[match.end() :]
        found, part = listed(rest, marked, whole_value=loose and relation is Relation.ENDED_BY and may_replace(match[0]))
        if not found and relation is not Relation.ENDED_BY and (of := OF.match(rest)):
            found, part = listed(rest[of.end() :], marked)[0], True
        part = part or any(match.groupdict().values()) or _in_part(match[0], marked)
        yield Bond(relation, match.start(), at, found, part, match[0])
    named_first = NAME_FIRST if NAMES_FIRST.search(text) else ()
    for relation, pattern in (*named_first, (Relation.ENDED_BY, ENDS_THIS)) if loose else named_first:
        for match in pattern.finditer(text):
            yield _named_first(relation, match, marked, loose)


def _named_first(relation: Relation, match: re.Match[str], marked: Marked, loose: bool) -> Bond:
    name = next(group for key, group in match.groupdict().items() if group and "part" not in key).strip()
    some = SOME_OF_IT.match(name)
    name = re.sub(r"^(?:已|本?ADRは)\s*", "", name[some.end() if some else 0 :])
    found, part = listed(name, marked, whole_value=loose and relation is Relation.ENDED_BY)
    part = part or bool(some) or any(group for key, group in match.groupdict().items() if "part" in key)
    return Bond(relation, match.start(), match.end(), found, part, match[0])


def ended_by_this(text: str, marked: Marked) -> Iterator[Bond]:
    """The records of which a text says that this one ended them: "ADR-4 is superseded by this decision"."""
    for match in THIS_ENDS.finditer(text):
        said = BY_THIS.match(marked.asides[int(match["aside"])]) if match["aside"] else match
        found = listed(match["old"], marked)[0]
        if said and found:
            part = bool(said["part"] or said["after"])
            yield Bond(Relation.ENDS, match.start(), match.end(), found, part, "superseded by this")


def _in_part(verb: str, marked: Marked) -> bool:
    """Whether an aside within the verb says so: "superseded (in part) by"."""
    return any(IN_PART.search(marked.asides[int(aside)]) for aside in re.findall(r"\x02(\d+)\x02", verb))
