"""The source `adr`: one record for each decision in a folder."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from citator.api import ConfigPath, Document, Found, Problems, Record, Source, StatusResolver, clean
from citator.files import content, decode
from citator_plugins._text import MOST_BYTES
from citator_plugins.adr.reading import readable
from citator_plugins.adr.resolver import AdrResolver

_GIST = 600
"""Characters of a rejected decision that tell what it would have decided."""


class Adr(Source):
    """The decision records of a folder and the folders in it."""

    default_status_resolver: ClassVar[str] = "adr"

    path: ConfigPath
    """The folder that holds the records."""

    kind: str = Field(default="decision", min_length=1, max_length=40)
    """What these records are called where they are shown."""

    @property
    def root(self) -> Path:
        """The folder."""
        return self.path

    def load(self, problems: Problems) -> Iterator[Record]:
        """One record for each document that the status resolver finds; its id is the document's path below the folder."""
        resolver: StatusResolver = self.status or AdrResolver(type=self.default_status_resolver)
        reading = resolver.read(self.path)
        for problem in reading.problems:
            path, _, reason = problem.partition(": ")
            problems.add(self.path / path, reason, path)
        for document in reversed([found for found in reading.documents if found.file not in reading.unread]):
            file = self.path / document.file
            try:
                data = content(self.path, document.file)
                text = decode(data)
            except (OSError, ValueError) as error:
                problems.add(file, getattr(error, "strerror", None) or error, document.path)
                continue
            if len(data) > MOST_BYTES and not document.anchor:
                size = f"has {len(data) / 1e6:.1f} MB, a record at most {MOST_BYTES // 10**6}"
                problems.add(file, f"{size}; it has its standing, but is not recalled: split it", document.path)
            else:
                yield self._record(document, file, text)

    def rejected(self) -> Iterator[Record]:
        """What the resolver finds; a rejected decision with what it would have decided."""
        for record in super().rejected():
            if record.kind == "decision":
                with suppress(OSError, ValueError):  # `load` tells of it
                    name = record.id.removesuffix("#rejected")
                    anchor = name.partition("#")[2]
                    body, gist = readable(name.partition("#")[0], decode(Path(record.path).read_bytes()), anchor)
                    record = replace(record, kind=self.kind, text=body[:_GIST], description=gist)
            yield record

    def _record(self, document: Document, file: Path, text: str) -> Record:
        body, gist = readable(document.file, text, document.anchor)
        return Record(
            id=document.path,
            kind=self.kind,
            title=clean(document.title),
            text=body,
            description=gist,
            label=clean(document.label),
            date=document.date,
            path=str(file),
        )

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """The folders in which decision records usually lie, in each package of a monorepo too."""
        for place, count in AdrResolver.folders(folder):
            yield Found({"path": place}, f"{count} decision record{'s' if count != 1 else ''} in {place}")
