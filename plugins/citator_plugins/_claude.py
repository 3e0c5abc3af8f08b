"""Where Claude Code keeps what belongs to a project: one folder below `projects` for each folder that it was run in."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Annotated

from pydantic import AfterValidator, Field

from citator.api import ConfigPath, Source, SourceError
from citator.project import belongs, project_of
from citator_plugins._folder import is_folder, is_folder_at
from citator_plugins._transcripts import Transcript

_LONGEST_SLUG = 200
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl", re.IGNORECASE)


def slug(path: str) -> str:
    """The name of a path's folder: each UTF-16 unit but ASCII letters and digits is a dash, so that paths may share one."""
    return re.sub(r"[^A-Za-z0-9]", lambda found: "--" if found[0] > "\uffff" else "-", path)


def is_slug_of(name: str, path: str) -> bool:
    """Whether a folder's name may come from this path; a long one is cut and gets a hash, which differs between builds."""
    whole = slug(path)
    return name == whole if len(whole) <= _LONGEST_SLUG else name.startswith(f"{whole[:_LONGEST_SLUG]}-")


def claude_folder() -> Path:
    """Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, or `~/.claude`."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser().absolute()


class Owner:
    """Tells what is a project's, for one run: each folder is looked at once."""

    def __init__(self, project: Path | None) -> None:
        self._project = project
        self._known: dict[str, bool] = {}

    def owns(self, name: str, *ran_in: str) -> bool:
        """Whether what lies in a folder of this name is the project's, given the folders that its sessions were run in.

        A name says little: it is asked only where the sessions tell nothing that still holds.
        """
        folders = set(filter(None, ran_in))
        if self._project is None or any(map(self._is_inside, folders)):
            return True
        told = any(is_slug_of(name, folder) or _may_be_there(folder) for folder in folders)
        return not told and is_slug_of(name, str(self._project))

    def _is_inside(self, folder: str) -> bool:
        if folder not in self._known:
            path = Path(folder)
            self._known[folder] = self._project is not None and path.is_absolute() and belongs(path, self._project)
        return self._known[folder]


class ClaudeSource(Source):
    """Reads what Claude Code keeps of one project."""

    path: ConfigPath = Field(default_factory=claude_folder)
    """Claude Code's folder, or the `projects` folder in it; `$CLAUDE_CONFIG_DIR` or else `~/.claude` where it is left out."""

    project: Annotated[ConfigPath, AfterValidator(project_of)] | None = None
    """The project whose records these are; all projects where there is none."""

    @property
    def root(self) -> Path:
        """The `projects` folder."""
        return self.path if self.path.name == "projects" else self.path / "projects"

    def folders(self) -> list[Path]:
        """Claude Code's folders of all projects; raises SourceError."""
        return [Path(entry.path) for entry in _listed(self.root, "run Claude Code once, or correct `path:`") if is_folder(entry)]

    def own_folders(self, inside: str = "") -> Iterator[Path]:
        """Those that are the project's and have a folder `inside`; raises SourceError at the end if one cannot be told."""
        owner = Owner(self.project)
        prefix = slug(str(self.project))[:_LONGEST_SLUG]
        incomplete: SourceError | None = None
        for folder in self.folders():
            # Sessions of several projects meet under one name only where the name may be this project's.
            most = None if folder.name.startswith(prefix) else 1
            try:
                if is_folder_at(folder / inside) and owner.owns(folder.name, *islice(_ran_in(folder), most)):
                    yield folder
            except SourceError as error:
                incomplete = incomplete or error
            except OSError as error:
                incomplete = incomplete or SourceError(f"{folder}: cannot be entered ({error.strerror}); make it readable")
        if incomplete:
            raise incomplete


def sessions(folder: Path) -> list[tuple[int, Path]]:
    """(modification time, transcript) of each session in one of Claude Code's folders, newest first; subagents are none."""
    found = []
    for entry in _listed(folder, "make it readable"):
        if _SESSION.fullmatch(entry.name):
            with suppress(OSError):  # gone again
                stat = entry.stat()
                if S_ISREG(stat.st_mode):
                    found.append((stat.st_mtime_ns, Path(entry.path)))
    return sorted(found, reverse=True)


def _may_be_there(folder: str) -> bool:
    try:
        return is_folder_at(Path(folder))
    except ValueError:  # no folder has such a name
        return False
    except OSError:
        return True


def _ran_in(folder: Path) -> Iterator[str]:
    for _, path in sessions(folder):
        with suppress(OSError), path.open("rb") as file:
            transcript = Transcript()
            transcript.read_on(file, lambda _cwd: False)
            if transcript.cwd:
                yield transcript.cwd


def _listed(folder: Path, fix: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise SourceError(f"{folder}: cannot be listed ({error.strerror}); {fix}") from error
