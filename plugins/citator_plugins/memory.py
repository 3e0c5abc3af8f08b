"""The source `memory`: the notes that Claude Code keeps for itself about a project."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from citator.api import Found, Problems, Record, Source, SourceError, clean, hookimpl, weight_of
from citator_plugins._claude import ClaudeSource
from citator_plugins._folder import files_below, matcher, pages_of, printable, record_id
from citator_plugins._links import connected, is_rejected
from citator_plugins._text import Page, UnreadableError, day, read_page

INDEX = "memory.md"
_NOTES = matcher(["*.md"])
_NO_NOTES = matcher([INDEX, "claude.md"])
"""The index, and what an agent has in its context anyway."""

_ENTRY = re.compile(r"^[ \t]*[-*+][ \t]+\[[^]\n]*\]\(<?([^)>\n]+)>?\)[ \t]*(?:[—–:-]+[ \t]+)?(.*)$", re.MULTILINE)


class Memory(ClaudeSource):
    """One record for each note; all worktrees and subfolders of a repository share them."""

    def load(self, problems: Problems) -> Iterator[Record]:
        """The notes of the project; what only the index says of a note counts as its description."""
        for folder in self._note_folders():
            hooks = _hooks(folder, problems)
            for page, path, name, found in connected(self._pages(folder, problems)):
                record = _record(page, path, name, hooks.get(record_id(path, folder), ""))
                yield replace(record, edges=found, weight=weight_of(page.value("metadata.weight", "weight")))

    def rejected(self) -> Iterator[Record]:
        """The notes of the type `rejected-approach`."""
        for folder in self._note_folders():
            for page, path, name in self._pages(folder, Problems()):
                if is_rejected(page):
                    yield replace(_record(page, path, name, ""), id=f"{name}#rejected")

    def _pages(self, folder: Path, problems: Problems) -> Iterator[tuple[Page, Path, str]]:
        """Each note with its path and id."""
        return pages_of(files_below(folder, _NOTES, _NO_NOTES), self.root, problems)

    def _note_folders(self) -> Iterator[Path]:
        """Where the notes are; the user may have told Claude Code to keep those of all projects in one place."""
        with suppress(OSError, ValueError, TypeError, LookupError):
            told = json.loads((self.root.parent / "settings.json").read_bytes())["autoMemoryDirectory"]
            if told and (path := Path(told).expanduser()).is_absolute():
                yield path
                return
        for folder in self.own_folders("memory"):
            yield folder / "memory"

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """Whether Claude Code has notes about this project."""
        source = cls(type="memory", project=folder)
        with suppress(SourceError):
            found = [path for notes in source._note_folders() for path in files_below(notes, _NOTES, _NO_NOTES)]
            if found:
                yield Found({}, f"notes of this project: {len(found)}")


def _record(page: Page, path: Path, name: str, hook: str) -> Record:
    return Record(
        id=name,
        kind="memory",
        title=clean(page.value("name", "title") or page.heading) or clean(printable(path.stem)),
        text=page.body,
        description=clean(page.value("description")) or hook,
        date=day(page.value("metadata.modified", "modified", "updated", "date", "created")) or f"{page.written}~",
        path=printable(path),
    )


def _hooks(folder: Path, problems: Problems) -> Mapping[str, str]:
    """What the index says of each file."""
    hooks: dict[str, str] = {}
    with suppress(SourceError):  # the notes' own listing tells it
        for index in files_below(folder, matcher([f"/{INDEX}"]), matcher([])):
            try:
                body = read_page(index).body
            except UnreadableError as error:
                problems.add(printable(index), error)
                continue
            hooks |= {posixpath.normpath(unquote(entry[1])): clean(entry[2]) for entry in _ENTRY.finditer(body)}
    return hooks


@hookimpl
def register_sources() -> dict[str, type[Source]]:
    """Offers `memory`."""
    return {"memory": Memory}
