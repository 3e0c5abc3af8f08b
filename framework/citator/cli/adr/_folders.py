"""Folders on the command line -> their records with verdicts, and names as people write them -> records."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import notice
from citator.errors import CitatorError, SourceError

if TYPE_CHECKING:
    from citator.plugins import Plugins
    from citator.records import Document, Verdict
    from citator.references import Library
    from citator.standings import Standings
    from citator.status import StatusResolver

DEFAULT = "adr"
"""The dialect that takes any folder of records; the others know the form of one series."""


@dataclass(frozen=True)
class Folder:
    """One folder of records, judged."""

    root: Path
    dialect: str
    standings: "Standings"

    @cached_property
    def resolver(self) -> "StatusResolver":
        """Who reads the folder."""
        from citator.plugins import Plugins

        return _resolver(Plugins.load(), self.dialect)

    @cached_property
    def library(self) -> "Library":
        """The folder's records, to be found by name."""
        from citator.references import Library

        return Library(self.standings.reading.documents, self.standings.reading.repository)

    def file(self, path: str) -> Path:
        """The file of the record at `path`."""
        return self.root / self.library.documents[path].file

    def shown(self, path: str) -> str:
        """A path below the folder as it is reached from here."""
        file = (self.root / path).resolve()
        return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


@dataclass(frozen=True)
class Entry:
    """One record with its verdict, and the folder that it is in."""

    folder: Folder
    document: "Document"
    verdict: "Verdict"


def add_folders(parser: argparse.ArgumentParser) -> None:
    """Adds the folders that a command reads."""
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="default: those found in this project")


def open_folders(args: argparse.Namespace, *, as_of: str = "", whole: bool = False) -> list[Folder]:
    """The folders that were named, or are found in this project, with what could not be read told beside the output.

    `whole` is for those who need the declarations too, which are not kept.
    """
    folders = []
    for root in args.folders or _found():
        dialect, standings = (None if as_of or whole or args.verify else _kept(root, args)) or _read(root, args, as_of)
        notice(f"{root}/{problem}" for problem in standings.reading.problems)
        folders.append(Folder(root, dialect, standings))
    if len(folders) == 1:
        return folders
    from citator.across import joined

    together = joined([folder.standings for folder in folders])
    return [replace(folder, standings=standings) for folder, standings in zip(folders, together, strict=True)]


def _kept(root: Path, args: argparse.Namespace) -> "tuple[str, Standings] | None":
    from citator.keeping import kept

    return kept(root, args.dialect or "")


def _read(root: Path, args: argparse.Namespace, as_of: str) -> "tuple[str, Standings]":
    from citator.index import DecisionIndex
    from citator.keeping import keep, snapshot
    from citator.plugins import Plugins

    plugins = Plugins.load()
    before = None
    with suppress(OSError):  # the index says what is wrong with the folder
        resolvers = [_resolver(plugins, name) for name in plugins.names("status resolver")]
        before = snapshot(root, lambda path: any(resolver.wants(path) for resolver in resolvers))
    dialect = args.dialect or _recognised(plugins, root)
    resolver = _resolver(plugins, dialect)
    if as_of:
        from citator.history import as_of as standings_of

        return dialect, standings_of(root, resolver, as_of)
    index = DecisionIndex(root, resolver)
    standings = index.standings()
    read = index.stamps()
    if before and read and before.settled and all(before.stamps.get(path) == stamp for path, stamp in read.items()):
        keep(root, args.dialect or "", dialect, before, standings)
    return dialect, standings


def _resolver(plugins: "Plugins", dialect: str) -> "StatusResolver":
    resolver: StatusResolver = plugins.get("status resolver", dialect)(type=dialect)
    return resolver


def entries(folders: Sequence[Folder]) -> list[Entry]:
    """Every record of the folders."""
    return [Entry(folder, document, verdict) for folder in folders for document, verdict in folder.standings.entries()]


def find_entry(name: str, folders: Sequence[Folder]) -> Entry:
    """The one record that a name means; raises CitatorError where there is none or several, with these."""
    found = [(folder, path) for folder in folders for path in _paths(name, folder)]
    if not found:
        raise CitatorError(f"no record is called {name!r}; citator adr list shows them")
    if len(found) > 1:
        candidates = ", ".join(str(folder.root / path) for folder, path in found)
        raise CitatorError(f"{name!r} may be any of {candidates}; name its path")
    [(folder, path)] = found
    return Entry(folder, folder.library.documents[path], folder.standings.verdicts[path])


def _paths(name: str, folder: Folder) -> Sequence[str]:
    from citator.prose import Reference

    file, hash_, fragment = name.partition("#")
    inside = _inside(Path(file), folder.root) + hash_ + fragment
    if inside in folder.library.documents:
        return [inside]
    target = file if "/" in file or "." in file else ""
    return folder.library.find(Reference(name, target), "").paths


def _inside(file: Path, root: Path) -> str:
    try:
        return file.resolve().relative_to(root.resolve()).as_posix() if file.exists() else str(file)
    except ValueError:
        return str(file)


def _found() -> list[Path]:
    from citator.plugins import Plugins
    from citator.project import worktree_of

    plugins = Plugins.load()
    here = worktree_of(Path())
    folders = [here / str(found.options["path"]) for found in plugins.get("source", DEFAULT).discover(here)]
    if not folders:
        raise SourceError(f"{here}: no folder of decision records was found; name one: citator adr list FOLDER")
    return folders


def _recognised(plugins: "Plugins", root: Path) -> str:
    """The dialect that takes most of the folder's files for its records.

    The default one takes any numbered file, so that a dialect which knows the form of half of those knows the folder better.
    """
    counts: dict[str, int] = {}
    for name in plugins.names("status resolver"):
        try:
            counts[name] = plugins.get("status resolver", name).recognise(root) * (1 if name == DEFAULT else 2)
        except OSError:
            return DEFAULT  # its listing says what is wrong with the folder
    best = max(counts, key=lambda name: (counts[name], name == DEFAULT))
    return best if counts[best] else DEFAULT
