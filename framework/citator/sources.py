"""The base class of the plugins that bring records in."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pydantic import SerializeAsAny

from citator.index import judge
from citator.options import Options
from citator.records import Document, Record, Rejection
from citator.status import StatusResolver
from citator.text import clean


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a source type could read for a project: its YAML `options` and, in a few words, what is there."""

    options: Mapping[str, Any]
    what: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message that the user once wrote to an agent; `session` is the id of the record of its conversation."""

    session: str
    text: str


@dataclass(slots=True)
class Problems:
    """Collects what could not be read while the rest goes on: one line each, naming the file, what is wrong and the fix."""

    lines: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Ids of records that are there but could not be read: what the store has of them stays."""

    def add(self, path: object, problem: object, record_id: str = "") -> None:
        """Notes one file that is left out of this run, and the record that it holds."""
        self.lines.append(f"{path}: {problem}")
        if record_id:
            self.kept.add(record_id)


REJECTED = "#rejected"
"""What the key of a source has behind it where its rejected approaches are meant, and so has the id of such a record."""


def small_record(rejection: Rejection, document: Document, root: Path) -> Record:
    """A rejected approach of a decision as a record to be found by meaning: its name, the question, and the reason."""
    own = rejection.id == f"{rejection.path}{REJECTED}"
    return Record(
        id=rejection.id,
        kind="decision" if own else "option",
        title=clean(rejection.name),
        text="\n".join(filter(None, ("" if own else document.title, rejection.reason))),
        description=": ".join(filter(None, (rejection.evidence, rejection.reason))),
        label=clean(document.label),
        date=document.date,
        path=str(root / document.file),
    )


class Source(Options, ABC):
    """A place that holds records; a subclass adds its options as fields.

    A subclass whose records belong to one project declares a field `project: Path | None = None`; it is filled with the
    project that citator runs for, and becomes part of the key.
    """

    keep_gone: ClassVar[bool] = False
    """True where a record that is gone from the source stays in the store."""

    derived: ClassVar[bool] = False
    """True where the records are made from another source's, so that all may go at once."""

    default_status_resolver: ClassVar[str] = ""
    """The offered name of the resolver that is used where the YAML has no `status:`."""

    status: SerializeAsAny[StatusResolver] | None = None
    """Who reads the standing of these records: the name of a status resolver, or a mapping with its `type` and options."""

    @property
    @abstractmethod
    def root(self) -> Path:
        """The folder or file that the records come from."""

    @abstractmethod
    def load(self, problems: Problems) -> Iterator[Record]:
        """The records, newest first where that can be told cheaply.

        Raises SourceError where the list is not complete (a missing root, a folder that cannot be listed): nothing is
        removed from the store then, and what was yielded before counts. One file that cannot be read goes to `problems` instead,
        with its record's id, so that the store keeps the record's old state.
        """

    def messages(self) -> Iterator[Said]:
        """What the user wrote in what this source reads, the latest first; nothing where it keeps no messages."""
        return iter(())

    def rejected(self) -> Iterator[Record]:
        """The approaches that its records turned down, each as a small record; raises SourceError as `load` does.

        What the status resolver finds, where there is one; a file that cannot be read is told by `load`.
        """
        if self.status:
            standings = judge(self.status.read(self.root), self.status)
            for rejection in standings.rejections:
                yield small_record(rejection, standings.documents[rejection.path], self.root)

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """What of this type is there for this user and the project checked out in `folder`; `citator init` offers it."""
        return iter(())

    @property
    def key(self) -> str:
        """Names this instance in the store: type, real path, digest of the options; equal sources are embedded once."""
        options = self.model_dump(mode="json", exclude={"type"})
        digest = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:8]
        return f"{self.type}:{self.root.resolve()}:{digest}"


class RejectedOf(Source):
    """The rejected approaches of another source: in the store under a key of their own, so that no headline comes from them."""

    type: str = "rejected"

    of: SerializeAsAny[Source]
    """The source whose records turned them down."""

    derived: ClassVar[bool] = True

    @property
    def root(self) -> Path:
        """Where the records are."""
        return self.of.root

    @property
    def key(self) -> str:
        """The other source's, with a suffix."""
        return f"{self.of.key}{REJECTED}"

    @property
    def project(self) -> Path | None:
        """The other source's, if it has one."""
        return getattr(self.of, "project", None)

    def load(self, problems: Problems) -> Iterator[Record]:
        """One small record for each of them."""
        return self.of.rejected()
