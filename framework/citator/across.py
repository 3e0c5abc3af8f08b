"""Several folders side by side: a successor in another repository is found in the folder that holds that repository's records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from citator.prose import Reference
from citator.records import Document, Status, Successor, Verdict
from citator.references import Library
from citator.standings import Standings


def joined(folders: Sequence[Standings]) -> list[Standings]:
    """The same folders, with each external successor that one of them holds named as that record, and its live ends."""
    shelf = _Shelf(folders)
    return [replace(folder, verdicts=shelf.resolved(folder)) for folder in folders]


class _Shelf:
    def __init__(self, folders: Iterable[Standings]) -> None:
        self.folders = [folder for folder in folders if folder.reading.repository]
        self.libraries: list[Library] | None = None

    def resolved(self, folder: Standings) -> Mapping[str, Verdict]:
        return {
            path: self._verdict(verdict, folder) if any(s.external for s in verdict.successors) else verdict
            for path, verdict in folder.verdicts.items()
        }

    def _verdict(self, verdict: Verdict, home: Standings) -> Verdict:
        successors = []
        current = dict.fromkeys(verdict.current)
        found_any = False
        for successor in verdict.successors:
            found = self._find(successor, home)
            successors.append(_named(*found, successor.external) if found else successor)
            if found:
                found_any = True
                current |= dict.fromkeys(_live_ends(*found, successor.external))
        return replace(verdict, successors=tuple(successors), current=tuple(current)) if found_any else verdict

    def _find(self, successor: Successor, home: Standings) -> tuple[Standings, Document] | None:
        """The record that an address means; where folders of one repository overlap, any of them is as good."""
        if not successor.external or not successor.repository:
            return None
        if self.libraries is None:
            self.libraries = [Library(folder.reading.documents, folder.reading.repository) for folder in self.folders]
        for folder, library in zip(self.folders, self.libraries, strict=True):
            if folder is home or folder.reading.repository.casefold() != successor.repository.casefold():
                continue
            if len(paths := library.find(Reference(successor.external, successor.external), "").paths) == 1:
                return folder, library.documents[paths[0]]
        return None


def _named(folder: Standings, document: Document, address: str) -> Successor:
    return Successor(label=document.label, title=document.title, external=address, repository=folder.reading.repository)


def _live_ends(folder: Standings, document: Document, address: str) -> Iterator[Successor]:
    """The records in force at the end of the chain that goes on in another folder, with their addresses there."""
    verdict = folder.verdicts[document.path]
    if verdict.status in (Status.LIVE, Status.PARTIALLY_SUPERSEDED):
        yield _named(folder, document, address)
        return
    at = address.find(document.path)
    for end in verdict.current:
        there = address[:at] + end.path if at >= 0 and end.path else end.external or address
        yield Successor(label=end.label, title=end.title, external=there, repository=folder.reading.repository)
