"""The source `markdown`: a folder of Markdown documents, such as the rules that several projects share."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from citator.api import ConfigPath, Found, Problems, Record, Source, SourceError, clean, hookimpl, weight_of
from citator_plugins._folder import files_below, matcher, pages_of, printable
from citator_plugins._links import connected, is_rejected
from citator_plugins._text import Page, day

INCLUDED = ("*.md", "*.markdown")
OFFERED = {
    "rules": "rule",
    "guidelines": "rule",
    "standards": "rule",
    "conventions": "rule",
    "runbooks": "runbook",
    "notes": "note",
}
"""Folders of a project, or of its docs, that are worth offering, with the kind of their records."""


class Markdown(Source):
    """One record for each Markdown file of a folder and the folders in it."""

    path: ConfigPath
    """The folder."""

    kind: str = Field(default="note", min_length=1, max_length=40)
    """What these records are called where they are shown, as in `rule` or `runbook`."""

    include: tuple[str, ...] = INCLUDED
    """Globs of the files to read, relative to the folder; one without `/` counts at any depth."""

    exclude: tuple[str, ...] = ()
    """Globs of files and folders to leave out."""

    @property
    def root(self) -> Path:
        """The folder."""
        return self.path

    def load(self, problems: Problems) -> Iterator[Record]:
        """One record for each file; an empty file has none."""
        for page, path, name, found in connected(self._pages(problems)):
            yield replace(self._record(page, path, name), edges=found, weight=weight_of(page.value("weight", "metadata.weight")))

    def rejected(self) -> Iterator[Record]:
        """The documents of the type `rejected-approach`."""
        for page, path, name in self._pages(Problems()):
            if is_rejected(page):
                yield replace(self._record(page, path, name), id=f"{name}#rejected")

    def _pages(self, problems: Problems) -> Iterator[tuple[Page, Path, str]]:
        """Each document with its path and id."""
        return pages_of(files_below(self.path, matcher(self.include), matcher(self.exclude)), self.path, problems)

    def _record(self, page: Page, path: Path, name: str) -> Record:
        return Record(
            id=name,
            kind=self.kind,
            title=clean(page.value("title", "name") or page.heading) or clean(printable(path.stem)),
            text=page.body,
            description=clean(page.value("description", "summary")),
            date=day(page.value("updated", "modified", "last_modified", "date", "created")),
            path=printable(path),
        )

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """The folders of rules and runbooks that lie where teams keep them."""
        for name, kind in OFFERED.items():
            for place in (folder / name, folder / "docs" / name):
                if count := _count(place):
                    path = str(place.relative_to(folder))
                    yield Found({"path": path, "kind": kind}, f"Markdown files in {path}: {count}")


def _count(folder: Path) -> int:
    count = 0
    with suppress(SourceError):  # one that cannot be listed to its end is worth offering too; its sync says why
        for _ in files_below(folder, matcher(INCLUDED), matcher(())):
            count += 1
    return count


@hookimpl
def register_sources() -> dict[str, type[Source]]:
    """Offers `markdown`."""
    return {"markdown": Markdown}
