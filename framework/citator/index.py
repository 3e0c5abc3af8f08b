"""The decision index: which decisions of a folder are current, and what replaced what."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from citator.errors import SourceError, blamed
from citator.files import Stamp, is_settled
from citator.records import Document, Reading, Verdict
from citator.rejections import rejections
from citator.ruling import rule
from citator.standings import Standings
from citator.status import StatusResolver
from citator.testimony import Testimony


def judge(reading: Reading, resolver: StatusResolver) -> Standings:
    """The standings that a reading leads to, with the resolver's words and default status."""
    said = Testimony(reading.documents, reading.declarations, resolver.words, resolver.default_status, reading.repository)
    verdicts = rule(said, reading.unread)
    edges = said.edges(verdicts)
    return Standings(reading, verdicts, edges, rejections(reading, verdicts, edges))


_Pages = Mapping[str, tuple[Stamp | None, Reading]]


class DecisionIndex:
    """The verdicts on a folder's records, fresh on every call; only files that changed since the last call are read again.

    Safe to use from several threads. Every method raises SourceError where the folder cannot be listed.
    """

    def __init__(self, root: Path, resolver: StatusResolver) -> None:
        self.root = root
        self.resolver = resolver
        self._lock = Lock()
        self._pages: _Pages = {}
        self._standings = Standings(Reading(), {})

    def verdicts(self) -> Mapping[str, Verdict]:
        """One verdict for each record, by its path."""
        return self.standings().verdicts

    def documents(self) -> Mapping[str, Document]:
        """The records by their paths."""
        return {document.path: document for document in self.standings().reading.documents}

    def problems(self) -> Sequence[str]:
        """One line for each file that could not be read."""
        return self.standings().reading.problems

    def standings(self) -> Standings:
        """All records with their verdicts, as the files read now."""
        failed = f"{self.root}: the status resolver {self.resolver.type} failed"
        with self._lock, blamed(failed, SourceError):
            pages = {path: self._page(path, stamp) for path, stamp in self.resolver.files(self.root)}
            known = self._pages
            same = pages.keys() == known.keys() and all(page is known[path] for path, page in pages.items())
            if not same or not known:
                reading = self.resolver.collect(self.root, {path: page for path, (_, page) in pages.items()})
                self._standings = judge(reading, self.resolver)
                self._pages = pages
            return self._standings

    def stamps(self) -> Mapping[str, Stamp] | None:
        """What the files were when they were read for the last answer; None where one may have changed in the same moment."""
        with self._lock:
            stamps = {path: stamp for path, (stamp, _) in self._pages.items() if stamp}
            return stamps if len(stamps) == len(self._pages) else None

    def _page(self, path: str, stamp: Stamp) -> tuple[Stamp | None, Reading]:
        known = self._pages.get(path)
        if known and known[0] == stamp:
            return known
        return (stamp if is_settled(stamp) else None), self.resolver.read_file(self.root, path)
