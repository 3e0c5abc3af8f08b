"""Which records a message names: "why did we drop ADR-46?" always brings ADR-0046."""

import re
from collections.abc import Iterable

from citator.records import Document

_NAME = re.compile(r"(?<![\w-])([^\W\d_]{2,10})[-_ #]{0,2}0*(\d{1,6})(?!\w)")

Name = tuple[str, int]


def names(message: str) -> set[Name]:
    """The record names in a message, as (prefix, number): `ADR-0046`, `adr 46` and `ADR46` are the same."""
    return {(word.casefold(), int(number)) for word, number in _NAME.findall(message)}


def named(asked: set[Name], documents: Iterable[Document]) -> list[str]:
    """The paths of the documents whose label is one of the names asked for."""
    return [document.path for document in documents if names(document.label) & asked]
