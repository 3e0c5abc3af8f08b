"""Folders on the command line -> their records with verdicts, and names as people write them -> records."""

import argparse
import gc
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import notice
from citator.errors import CitatorError, SourceError
from citator.files import place

if TYPE_CHECKING:
    from citator.records import Document, Verdict
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
        return Project().resolver(self.root, self.dialect)

    def file(self, path: str) -> Path:
        """The file of the record at `path`."""
        return place(self.root, self.standings.documents[path].file)

    def shown(self, path: str) -> str:
        """A path below the folder as it is reached from here."""
        file = self.root.resolve() / path  # a link is shown where it is, not where it leads
        return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)


@dataclass(frozen=True)
class Entry:
    """One record with its verdict, and the folder that it is in."""

    folder: Folder
    document: "Document"
    verdict: "Verdict"


def add_folders(parser: argparse.ArgumentParser) -> None:
    """Adds the folders that a command reads."""
    parser.add_argument(
        "folders", nargs="*", default=[], type=Path, metavar="FOLDER", help="default: those found in this project"
    )


def open_folders(args: argparse.Namespace, *, as_of: str | None = None, whole: bool = False, again: bool = False) -> list[Folder]:
    """The folders that were named, or are this project's, with what could not be read told beside the output.

    `whole` is for those who need the declarations too, which are not kept; `again` for those who have told all that already.
    """
    gc.disable()  # hardly anything that is read goes in circles, and the collector would look through all of it again and again
    try:
        folders = _opened(args, as_of, fresh=as_of is not None or whole or args.verify)
    finally:
        gc.enable()
    if not again:
        for folder in folders:
            notice(f"{folder.root}/{problem}" for problem in folder.standings.reading.problems)
    return folders


def _opened(args: argparse.Namespace, as_of: str | None, fresh: bool) -> list[Folder]:
    project = cache(Project)  # which folders that were read before do without
    folders = [_open(project, root, args, as_of, fresh) for root in args.folders or project().folders()]
    beside = []
    if any(s.external and s.repository for f in folders for v in f.standings.verdicts.values() for s in v.successors):
        known = {os.path.realpath(folder.root) for folder in folders}
        others = [root for root in project().configured() if os.path.realpath(root) not in known]
        beside = [_open(project, root, args, None, fresh=False) for root in others]
    if len(folders) + len(beside) > 1:
        from citator.across import joined

        together = joined([folder.standings for folder in (*folders, *beside)])
        folders = [replace(folder, standings=standings) for folder, standings in zip(folders, together, strict=False)]
    return folders


def _open(project: "Callable[[], Project]", root: Path, args: argparse.Namespace, as_of: str | None, fresh: bool) -> Folder:
    from citator.keeping import kept
    from citator.project import worktree_of

    asked = f"{args.dialect or ''} {worktree_of(Path())}"  # the project's settings may say how a folder is read
    dialect, standings = (None if fresh else kept(root, asked)) or _read(project(), root, args.dialect, asked, as_of)
    return Folder(root, dialect, standings)


def _read(project: "Project", root: Path, dialect: str | None, asked: str, as_of: str | None) -> "tuple[str, Standings]":
    from citator.index import DecisionIndex
    from citator.keeping import keep, snapshot

    before = None
    with suppress(OSError):  # the index says what is wrong with the folder
        before = snapshot(root, project.wanted, project.settings)
    name = dialect or project.recognised(root)
    resolver = project.resolver(root, name)
    if as_of is not None:
        from citator.history import as_of as standings_of

        return name, standings_of(root, resolver, as_of)
    index = DecisionIndex(root, resolver)
    standings = index.standings()
    read = index.stamps()
    if before and read and before.settled and all(before.stamps.get(path) == stamp for path, stamp in read.items()):
        keep(root, asked, name, before, standings)
    return name, standings


class Project:
    """What is installed, and configured for the project that one is in."""

    def __init__(self) -> None:
        from citator.plugins import Plugins
        from citator.project import worktree_of
        from citator.settings import settings

        self.here = worktree_of(Path())
        self.plugins = Plugins.load(kinds=["status resolver"])
        self.settings = settings(self.here)

    @cached_property
    def _resolvers(self) -> Mapping[str, "StatusResolver"]:
        """How the configuration has each of its folders read; a configuration with a mistake in it is told and left out."""
        if not any(file.is_file() for file in self.settings[:2]):
            return {}
        from citator.config import config_of
        from citator.errors import ConfigError

        try:
            config = config_of(Path())
        except ConfigError as error:
            notice(error.problems)
            return {}
        notice(config.notices)
        return {os.path.realpath(source.root): source.status for source in config.sources if source.status}

    def configured(self) -> list[Path]:
        """The folders of records that the configuration names."""
        return [Path(root) for root in self._resolvers]

    def folders(self) -> list[Path]:
        """Those that are found in the project and those that are configured; raises SourceError where there is none."""
        dialects = [self.plugins.get("status resolver", name) for name in self.plugins.names("status resolver")]
        found = [self.here / path for dialect in dialects for path, _ in dialect.folders(self.here)]
        known = {os.path.realpath(root) for root in found}
        folders = [*found, *(root for root in self.configured() if str(root) not in known)]
        if not folders:
            raise SourceError(f"{self.here}: no folder of decision records was found; name one: citator adr list FOLDER")
        return folders

    def wanted(self, path: str) -> bool:
        """Whether any dialect reads a file of this path."""
        return any(resolver.wants(path) for resolver in self._all)

    @cached_property
    def _all(self) -> "list[StatusResolver]":
        return [self._plain(name) for name in self.plugins.names("status resolver")]

    def resolver(self, root: Path, dialect: str) -> "StatusResolver":
        """Who reads a folder in a dialect: as it is configured, or else with the defaults."""
        configured = self._resolvers.get(os.path.realpath(root))
        return configured if configured and configured.type == dialect else self._plain(dialect)

    def _plain(self, dialect: str) -> "StatusResolver":
        resolver: StatusResolver = self.plugins.get("status resolver", dialect)(type=dialect)
        return resolver

    def recognised(self, root: Path) -> str:
        """The dialect that is configured for a folder, or else the one that takes most of its files for its records.

        The default one takes any numbered file, so that a dialect which knows the form of half of those knows the folder better.
        """
        configured = self._resolvers.get(os.path.realpath(root))
        if configured and configured != self._plain(DEFAULT):
            return configured.type
        counts: dict[str, int] = {}
        for name in self.plugins.names("status resolver"):
            try:
                counts[name] = self.plugins.get("status resolver", name).recognise(root) * (1 if name == DEFAULT else 2)
            except OSError:
                return DEFAULT  # its listing says what is wrong with the folder
        best = max(counts, key=lambda name: (counts[name], name == DEFAULT))
        return best if counts[best] else DEFAULT


def entries(folders: Sequence[Folder]) -> list[Entry]:
    """Every record of the folders."""
    return [Entry(folder, document, verdict) for folder in folders for document, verdict in folder.standings.entries()]


def find_entry(name: str, folders: Sequence[Folder]) -> Entry:
    """The one record that a name, or the beginning of a file's, means; raises CitatorError on none, or on several with these."""
    found = [] if name.startswith("-") else [(folder, path) for folder in folders for path in _paths(name, folder)]
    if not found and len(name) > 3:
        beginning = name.casefold()
        known = ((folder, path) for folder in folders for path in folder.standings.documents)
        found = [(folder, path) for folder, path in known if path.rpartition("/")[2].casefold().startswith(beginning)]
    if not found:
        raise CitatorError(f"no record is called {name!r}; citator adr list shows them")
    if len(found) > 1:
        candidates = ", ".join(str(folder.root / path) for folder, path in found)
        raise CitatorError(f"{name!r} may be any of {candidates}; name its path")
    [(folder, path)] = found
    return Entry(folder, folder.standings.documents[path], folder.standings.verdicts[path])


def _paths(name: str, folder: Folder) -> Sequence[str]:
    from citator.prose import Reference

    file, hash_, fragment = name.partition("#")
    inside = _inside(Path(file), folder.root) + hash_ + fragment
    if inside in folder.standings.documents:
        return [inside]
    target = file if "/" in file or "." in file else ""
    return folder.standings.library.find(Reference(name, target), "").paths


def _inside(file: Path, root: Path) -> str:
    try:
        return file.resolve().relative_to(root.resolve()).as_posix() if file.exists() else str(file)
    except ValueError:
        return str(file)
