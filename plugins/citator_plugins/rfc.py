"""The status resolver `rfc`: the index of the Requests for Comments, one file that holds what is known of each."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from citator.api import Declaration, Document, Place, Reading, Status, StatusResolver, hookimpl
from citator.expressions import expression
from citator_plugins._series import Series, day

_WORDS = {
    "internet standard": Status.LIVE,
    "draft standard": Status.LIVE,
    "proposed standard": Status.LIVE,
    "best current practice": Status.LIVE,
    "informational": Status.LIVE,
}
"""All of these are published and in force; a "proposed standard" is the first level of maturity, not a proposal."""

_ENTRY = expression(r"^(\d{4,5})\s+(?!Not Issued)(\S.*(?:\n[^\S\n]+\S.*)*)", re.MULTILINE)
_FACT = expression(r"\((Obsoletes|Obsoleted\s+by|Updates|Updated\s+by|Status:)\s+([^()]*)\)")


class Rfc(Series):
    """Reads `rfc-index.txt`."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)rfc-index\.txt$")

    own_words: ClassVar[Mapping[str, Status]] = _WORDS

    def parse(self, path: str, text: str) -> Reading:
        """Every RFC of the index that was issued."""
        documents: list[Document] = []
        declarations: list[Declaration] = []
        line, counted = 1, 0
        for entry in _ENTRY.finditer(text):
            line, counted = line + text.count("\n", counted, entry.start()), entry.start()
            number = str(int(entry[1]))
            documents.append(_document(path, number, entry[2]))
            declarations += _declarations(f"{path}#rfc{number}", entry[2], line)
        return Reading(tuple(documents), tuple(declarations))


def _document(path: str, number: str, entry: str) -> Document:
    """What stands before the facts in brackets: the title up to the first author's initials, the authors and the date."""
    citation = " ".join(re.split(r"\s\((?:Format|Obsolete|Update|Also|Status)", entry, maxsplit=1)[0].split())
    title = re.split(r"\.\s+(?=(?:[A-Z]\.-?\s?)+|[A-Z][^.]*\.\s+\w+ \d{4}\.$)", citation, maxsplit=1)[0]
    anchor = f"rfc{number}"
    return Document(f"{path}#{anchor}", title.rstrip("."), f"RFC {number}", day(citation[len(title) :]), (number,), anchor)


def _declarations(path: str, entry: str, line: int) -> Iterator[Declaration]:
    for fact in _FACT.finditer(entry):
        field = " ".join(fact[1].lower().rstrip(":").split())
        yield Declaration(path, Place.HEADER, field, fact[2], line + entry.count("\n", 0, fact.start()))


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `rfc`."""
    return {"rfc": Rfc}
