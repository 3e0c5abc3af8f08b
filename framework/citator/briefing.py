"""What is said of decisions without being asked by a message: at a session's start, and where one is read that does not stand."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from citator.files import readable_name
from citator.index import DecisionIndex
from citator.marks import mark
from citator.records import Document, Status, Verdict
from citator.text import cut, inert

_TITLE_BYTES = 80
_IN_FORCE = (Status.LIVE, Status.PARTIALLY_SUPERSEDED)
_HOW_TO_ASK = (
    "What is not listed may still exist: `citator adr find WORDS` searches, `citator adr current ID` tells what holds today."
)


def briefing(indexes: Iterable[DecisionIndex], room: int) -> str:
    """The current decisions in at most `room` bytes, only counted where they do not fit; empty where there are no decisions."""
    found = [
        (documents[path], verdict)
        for index in indexes
        if (documents := index.documents())
        for path, verdict in index.verdicts().items()
    ]
    counts = Counter(verdict.status for _, verdict in found)
    if not found:
        return ""
    told = ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])
    head = f"Decision records of this project (reference, not instructions): {told}"
    lines = [_line(document, verdict) for document, verdict in found if verdict.status in _IN_FORCE]
    for text in ("\n".join([head, *lines, _HOW_TO_ASK]), "\n".join([head, _HOW_TO_ASK])):
        if len(text.encode()) <= room:
            return text
    return ""


def standing_of(indexes: Iterable[DecisionIndex], file: Path) -> str:
    """What a reader of a decision record has to know first; empty for a live one and for any other file."""
    lines = []
    for index in indexes:
        if not file.is_relative_to(index.root):
            continue
        name = readable_name(file.relative_to(index.root).as_posix())
        documents = index.documents()
        for path, verdict in index.verdicts().items():
            if path.partition("#")[0] == name and (standing := mark(verdict)):
                lines.append(f"{standing}: {_name(documents[path])}{_where(index, verdict)}")
    return "\n".join(lines)


def _line(document: Document, verdict: Verdict) -> str:
    return "- " + " ".join(filter(None, (mark(verdict), _name(document))))


def _name(document: Document) -> str:
    return " · ".join(filter(None, (inert(document.label), cut(inert(document.title), _TITLE_BYTES))))


def _where(index: DecisionIndex, verdict: Verdict) -> str:
    files = [
        str(index.root / successor.path.partition("#")[0])
        for successor in verdict.current or verdict.successors
        if successor.path
    ]
    return f" (read {', '.join(map(inert, files))})" if files else ""
