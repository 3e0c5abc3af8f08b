"""Which records a message names: "why did we drop ADR-46?" always brings ADR-0046."""

import re
from collections.abc import Iterable

from citator.records import Document

_NAME = re.compile(r"(?<![\w-])([^\W\d_]{2,10})[-_ #]{0,2}0*(\d{1,6})(?!\w)")

_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{1,2}|[^\W\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+")
"""A word of Chinese or Japanese is one or two letters."""

ENOUGH = 3
"""Words beside names from which on a message is about something."""

Name = tuple[str, int]


def names(message: str) -> set[Name]:
    """The record names in a message, as (prefix, number): `ADR-0046`, `adr 46` and `ADR46` are the same."""
    return {(word.casefold(), int(number)) for word, number in _NAME.findall(message)}


def named(asked: set[Name], documents: Iterable[Document]) -> list[str]:
    """The paths of the documents whose label is one of the names asked for."""
    return [document.path for document in documents if names(document.label) & asked]


def only_names(message: str, labels: Iterable[str]) -> bool:
    """Whether a message says next to nothing beside names of the kind that the labels have: "ADR-77?", not "Python 3 again"."""
    kinds = {word for label in labels for word, _ in names(label)}
    rest = _NAME.sub(lambda found: " " if found[1].casefold() in kinds else found[0], message)
    return rest != message and len(_WORD.findall(rest)) < ENOUGH
