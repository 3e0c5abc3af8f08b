"""Notes -> what they declare to be connected with: links, front matter, the conversation that they come from."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from citator.api import Edge, EdgeKind, SourceError, clean
from citator_plugins._folder import printable
from citator_plugins._text import Page

REJECTED_TYPE = "rejected-approach"

_WIKI = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]*)?\]\]")
_LINK = re.compile(r"(?<!!)\[[^\[\]\n]*\]\(<?([^()<>\s]{1,300})>?(?:\s+\"[^\"\n]*\")?\)")
_FIELDS = {
    "related": EdgeKind.RELATES_TO,
    "affects": EdgeKind.AFFECTS,
    "depends_on": EdgeKind.DEPENDS_ON,
    "documents": EdgeKind.DOCUMENTS,
    "conflicts_with": EdgeKind.CONFLICTS_WITH,
    "clarifies": EdgeKind.CLARIFIES,
    "decision_for": EdgeKind.DECISION_FOR,
    "invalidated_by": EdgeKind.INVALIDATED_BY,
    "originSessionId": EdgeKind.COMES_FROM,
}
_MOST = 50
"""Links of one note that are kept."""


def is_rejected(page: Page) -> bool:
    """Whether a note is about an approach that was turned down."""
    return page.value("type", "metadata.type", "kind").strip().lower() == REJECTED_TYPE


def connected(notes: Iterable[tuple[Page, Path, str]]) -> Iterator[tuple[Page, Path, str, tuple[Edge, ...]]]:
    """Each note with its file, its id and what it is connected with; raises SourceError behind those that could be found."""
    found: list[tuple[Page, Path, str]] = []
    unlisted: SourceError | None = None
    try:
        found.extend(notes)
    except SourceError as error:
        unlisted = error
    names: dict[str, str] = {}
    for page, path, record in found:
        for called in filter(None, (record, printable(path.stem).casefold(), page.value("name", "title").casefold())):
            names.setdefault(called, record)
    for page, path, record in found:
        yield page, path, record, _edges(page, record, printable(path), names)
    if unlisted:
        raise unlisted


def _edges(page: Page, record: str, file: str, names: Mapping[str, str]) -> tuple[Edge, ...]:
    """What a note is connected with, once each; `names` are the ids of the source's records by what notes call them."""
    found: dict[str, Edge] = {}
    for kind, said in _said(page):
        end = _end(said, record, names)
        if end and end != record and len(found) < _MOST:
            found.setdefault(end, Edge(record, kind, end, f"{file}:{page.line_of(said)}"))
    return tuple(found.values())


def _said(page: Page) -> Iterator[tuple[EdgeKind, str]]:
    inner = page.front.get("metadata")
    for name, kind in _FIELDS.items():
        for place in (page.front, inner if isinstance(inner, dict) else {}):
            value = place.get(name, place.get(name.replace("_", "-")))
            for said in value if isinstance(value, list) else re.split(r"[,\n]", value) if isinstance(value, str) else ():
                if isinstance(said, str) and (bare := said.strip(" []\"'")):
                    yield kind, bare
    for found in (*_WIKI.finditer(page.body), *_LINK.finditer(page.body)):
        if "://" not in found[1] and not found[1].startswith(("#", "mailto:")):
            yield EdgeKind.LINK, found[1]


def _end(said: str, record: str, names: Mapping[str, str]) -> str:
    """The id of the record that is meant, else what the note calls it, for others to know."""
    target = unquote(said.partition("#")[0]).strip()
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(record), target))
    return names.get(beside) or names.get(target.casefold()) or clean(target)
