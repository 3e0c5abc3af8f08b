"""The status rule, and the base class of the plugins that read what records declare."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citator.options import Options
from citator.records import Declaration, Document, Status, Verdict


@dataclass(frozen=True, slots=True)
class Reading:
    """What a dialect found in a folder; `problems` has one line for each file that could not be read."""

    documents: tuple[Document, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    problems: tuple[str, ...] = ()


class StatusResolver(Options, ABC):
    """Reads what the records of one dialect declare; it never decides anything itself."""

    default_status: Status | None = None
    """The status of a record that declares none, always shown as "(by default)"; left out, such a record is `unknown`."""

    words: Mapping[str, Status] = {}
    """More status words of this team; a word of the fixed vocabulary keeps its meaning."""

    @abstractmethod
    def read(self, root: Path) -> Reading:
        """Everything that the records below `root` declare; paths are relative to it, with `/`."""


def decide(
    documents: Iterable[Document],
    declarations: Iterable[Declaration],
    words: Mapping[str, Status],
    default_status: Status | None = None,
) -> dict[str, Verdict]:
    """One verdict for each document's path; pure."""
    raise NotImplementedError
