"""Which approaches a folder's decisions turned down, and still do. Pure."""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from citator.records import Document, Edge, Option, Reading, Rejection, Status, Verdict
from citator.text import telling

_IN_FORCE = (Status.LIVE, Status.PARTIALLY_SUPERSEDED)


def rejections(reading: Reading, verdicts: Mapping[str, Verdict], edges: Mapping[str, tuple[Edge, ...]]) -> tuple[Rejection, ...]:
    """The decisions that were rejected, and the options that those in force did not choose.

    An option that a later decision in force took is left out: one that has its name, or that is connected with the decision
    which turned it down and has all the words of its name in its title or in what it chose.
    """
    return tuple(_Folder(reading, verdicts, edges).rejections())


class _Folder:
    def __init__(self, reading: Reading, verdicts: Mapping[str, Verdict], edges: Mapping[str, tuple[Edge, ...]]) -> None:
        self.documents = {document.path: document for document in reading.documents}
        self.verdicts, self.edges = verdicts, edges
        self.options = {path: list(some) for path, some in groupby(reading.options, lambda option: option.path)}
        self.order = {path: (document.date, at) for at, (path, document) in enumerate(self.documents.items())}
        self.taken: dict[frozenset[str], list[str]] = {}
        for path in self.documents:
            if self._in_force(path):
                for name in self._names(path):
                    self.taken.setdefault(telling(name), []).append(path)

    def rejections(self) -> Iterator[Rejection]:
        for path, document in self.documents.items():
            if self.verdicts[path].status is Status.REJECTED:
                yield Rejection(f"{path}#rejected", path, document.title, "", "", self.verdicts[path].evidence)
            elif self._in_force(path):
                yield from self._options(document)

    def _options(self, document: Document) -> Iterator[Rejection]:
        options = self.options.get(document.path, [])
        instead = " and ".join(option.name for option in options if option.chosen) or document.title
        ids: set[str] = set()
        for option in options:
            if not option.chosen and not self._was_taken(option):
                name = re.sub(r"[^\w]+", "-", option.name.casefold()).strip("-")[:60] or str(option.line)
                own = f"{document.path}#rejected:{name}"
                own = own if own not in ids else f"{own}-{option.line}"
                ids.add(own)
                where = f"{document.file}:{option.line}"
                yield Rejection(own, document.path, option.name, option.reason, instead, where)

    def _in_force(self, path: str) -> bool:
        return self.verdicts[path].status in _IN_FORCE

    def _names(self, path: str) -> list[str]:
        """What a decision took, as it is called."""
        chosen = (option.name for option in self.options.get(path, []) if option.chosen)
        return [self.documents[path].title, *chosen]

    def _was_taken(self, option: Option) -> bool:
        words = telling(option.name)
        if not words:
            return False
        if any(self._is_later(path, option.path) for path in self.taken.get(words, [])):
            return True
        near = {edge.end for edge in self.edges.get(option.path, ())}
        return any(
            words <= telling(name)
            for path in near
            if self._in_force(path) and self._is_later(path, option.path)
            for name in self._names(path)
        )

    def _is_later(self, path: str, other: str) -> bool:
        (day, at), (other_day, other_at) = self.order[path], self.order[other]
        return path != other and ((day, at) > (other_day, other_at) if day and other_day else at > other_at)
