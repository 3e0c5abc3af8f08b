"""Setting an agent's hooks in its own settings, and taking them out again byte for byte.

What was written, and what was there before, is remembered in the data folder: `installed.json` and `backups/`. A file that still
reads as it was written gets its former bytes back; from one that was edited since, only our own entries are taken out.
"""

import difflib
import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import BaseModel, TypeAdapter, ValidationError

from citator import jsontext
from citator.agents import Agent, Target, filled
from citator.errors import ConfigError
from citator.project import worktree_of
from citator.runtime import STATUSLINE, client_command, statusline_command

Scope = Literal["user", "project"]
CALL = "import client; client.main()"
"""Stands in every command of ours, whichever interpreter and installation it names."""


class Entry(BaseModel):
    """What is remembered of a file that was written for an agent."""

    agent: str
    file: Path
    after: str
    """SHA-256 of what was written."""

    backup: str = ""
    """The name in backups/ of what was there before; empty where there was nothing."""

    folders: list[Path] = []
    """The folders that were made for it, the innermost first."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; contents are None where there is no file. `before` is what an uninstall gives back."""

    agent: str
    file: Path
    now: bytes | None
    then: bytes | None
    before: bytes | None
    installs: bool
    executable: bool = False

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = ("/dev/null" if content is None else str(self.file) for content in (self.now, self.then))
        now, then = ((content or b"").decode("utf-8", "replace").splitlines(keepends=True) for content in (self.now, self.then))
        lines = difflib.unified_diff(now, then, old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def planned(agent: Agent, scope: Scope, folder: Path, *, statusline: bool = False) -> list[Change]:
    """What installing would do, file by file; none where all is in place. ConfigError where a file cannot be changed safely."""
    if statusline and not any(target.statusline for target in agent.install):
        raise ConfigError(f"{agent.title} has no status line that citator could set; leave out --statusline")
    known = {entry.file: entry for entry in _manifest() if entry.agent == agent.name}
    changes = [_installed(agent, target, file, known.get(file), statusline) for target, file in _targets(agent, scope, folder)]
    if not changes:
        raise _no_scope(agent, scope)
    return [change for change in changes if change.now != change.then]


def planned_removal(agent: Agent, folder: Path, scope: Scope | None = None) -> list[Change]:
    """What uninstalling would do: in every file that was written for the agent, and where its hooks stand all the same.

    With a scope, only in that one's files; ConfigError where the agent has none.
    """
    known = {entry.file: entry for entry in _manifest() if entry.agent == agent.name}
    targets = {file: target for own in scopes(agent) if scope in (None, own) for target, file in _targets(agent, own, folder)}
    if not targets:
        raise _no_scope(agent, scope)
    files = targets if scope else {**known, **targets}
    changes = [_removed(agent, targets.get(file), file, known.get(file)) for file in files]
    return [change for change in changes if change.now != change.then or change.file in known]


def scopes(agent: Agent) -> list[Scope]:
    """The scopes that an agent has settings for."""
    every: tuple[Scope, ...] = ("user", "project")
    return [scope for scope in every if any(getattr(target, scope) for target in agent.install)]


def _no_scope(agent: Agent, scope: Scope | None) -> ConfigError:
    return ConfigError(f"{agent.title} has no {scope} scope; it has: {', '.join(scopes(agent))}")


def wired(agent: Agent, folder: Path | None = None) -> list[Path]:
    """The settings files, the user's and those of the project around `folder`, in which our hooks for this agent stand now."""
    files = [file for scope in scopes(agent) for _, file in _targets(agent, scope, folder or Path.cwd())]
    return [file for file in files if _is_ours(agent.name).search((_read(file) or b"").decode("utf-8", "replace"))]


def installed() -> list[Entry]:
    """Everything that was written and not yet taken out, for whichever agent."""
    return _manifest()


def apply(change: Change) -> None:
    """Makes one change: the backup and what has to be remembered first, then the file, which is replaced at once."""
    if _read(change.file) != change.now:
        raise ConfigError(f"{change.file}: was changed by something else just now; say it again")
    known = _manifest()
    others = [entry for entry in known if (entry.agent, entry.file) != (change.agent, change.file)]
    made = list(dict.fromkeys(folder for entry in known for folder in entry.folders if folder in change.file.parents))
    try:
        if change.installs and change.then is not None:
            made = [folder for folder in change.file.parents if not folder.exists()] or made
            entry = Entry(agent=change.agent, file=change.file, after=_hash(change.then), folders=made)
            if change.before is not None:
                entry.backup = f"{_hash(os.fsencode(change.file))[:12]}-{change.agent}-{change.file.name}"
                _replace(_data() / "backups" / entry.backup, change.before, 0o600)
            _remember([*others, entry])
            _replace(change.file, change.then, _mode(change), executable=change.executable)
            return
        if change.then is None:
            change.file.unlink(missing_ok=True)
        elif change.then != change.now:
            _replace(change.file, change.then, _mode(change))
        _remember(others)
    except OSError as error:
        raise ConfigError(f"{change.file}: cannot be written: {error.strerror or error}") from error
    for folder in made:
        with suppress(OSError):
            folder.rmdir()


def _installed(agent: Agent, target: Target, file: Path, entry: Entry | None, statusline: bool) -> Change:
    now = _read(file)
    base = _without_ours(agent, target, file, now, entry)
    values: dict[str, object] = {
        "$command": shlex.join(client_command(agent.name)),
        "$argv": json.dumps(client_command(agent.name)),
        "$statusline": shlex.join(statusline_command()),
    }
    if target.template:
        if base is not None:
            raise ConfigError(f"{file}: is there already and is not citator's; move it away first")
        text = (agent.files[0].parent / target.template).read_text("utf-8")
        then = re.sub(r"\$(?:command|argv)\b", lambda found: str(values[found[0]]), text)
    else:
        was_there = STATUSLINE.encode() in (now or b"") and STATUSLINE.encode() not in (base or b"")
        own = target.statusline if statusline or was_there else {}
        addition = {key: filled(value, values) for key, value in {**target.add, **own}.items()}
        before = _decoded(file, base)
        bom, text = ("\ufeff", before[1:]) if before.startswith("\ufeff") else ("", before)
        text = text if text.strip() else "{}\n"
        try:
            _refuse_theirs(file, jsontext.parse(text, comments=target.comments).value, own)
            then = bom + jsontext.merge(text, addition, comments=target.comments)
        except ValueError as error:
            raise ConfigError(f"{file}: {error}; nothing was changed") from error
    return Change(agent.name, file, now, then.encode(), base, installs=True, executable=target.executable)


def _refuse_theirs(file: Path, there: object, own: Mapping[str, object]) -> None:
    if isinstance(there, dict) and (theirs := sorted(there.keys() & own.keys())):
        raise ConfigError(f"{file}: has a {theirs[0]} already, which stays; leave out --statusline, or take that out first")


def _removed(agent: Agent, target: Target | None, file: Path, entry: Entry | None) -> Change:
    now = _read(file)
    base = _without_ours(agent, target, file, now, entry)
    return Change(agent.name, file, now, base, base, installs=False)


def _without_ours(agent: Agent, target: Target | None, file: Path, now: bytes | None, entry: Entry | None) -> bytes | None:
    """The content as it would be without our entries."""
    backup = _read(_data() / "backups" / entry.backup) if entry and entry.backup else None
    if now is None:
        return None
    if entry and _hash(now) == entry.after and (backup is not None or not entry.backup):
        return backup
    ours = _is_ours(agent.name)
    if not ours.search(now.decode("utf-8", "replace")):
        return now
    text = _decoded(file, now)
    if target is not None and target.template:
        return None
    comments = target is None or target.comments
    bom, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    try:
        former = jsontext.parse(_decoded(file, backup).removeprefix("\ufeff"), comments=comments).value if backup else None
        return (bom + jsontext.without(text, lambda value: bool(ours.search(value)), former, comments=comments)).encode()
    except ValueError as error:
        raise ConfigError(f"{file}: {error}; nothing was changed") from error


def _targets(agent: Agent, scope: Scope, folder: Path) -> Iterator[tuple[Target, Path]]:
    """The files of a scope, symbolic links followed: the link stays, and what it leads to is written."""
    for target in agent.install:
        if path := getattr(target, scope):
            named = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: os.environ.get(found[1]) or found[2], path)
            base = worktree_of(folder) if scope == "project" else Path.home()
            yield target, Path(os.path.realpath(base / Path(named).expanduser()))


def _is_ours(agent: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(CALL)}\W{{1,8}}{re.escape(agent)}(?![\w-])|{re.escape(STATUSLINE)}(?![\w.-])")


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from error


def _decoded(file: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is not UTF-8; nothing was changed") from error


def _mode(change: Change) -> int | None:
    if change.now is not None:
        return change.file.stat().st_mode & 0o7777
    return None


def _replace(file: Path, content: bytes, mode: int | None, *, executable: bool = False) -> None:
    """Writes beside the file and renames, so that there is never half a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.citator-{os.getpid()}")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777 if executable else 0o666), "wb") as written:
            if mode is not None:
                os.fchmod(written.fileno(), mode)
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _data() -> Path:
    return platformdirs.user_data_path("citator")


_ENTRIES = TypeAdapter(list[Entry])


def _manifest() -> list[Entry]:
    """What was written; nothing where the list is lost or damaged: our entries are then known by their command alone."""
    try:
        return _ENTRIES.validate_json((_data() / "installed.json").read_bytes())
    except (OSError, ValidationError):
        return []


def _remember(entries: list[Entry]) -> None:
    """Keeps the list and its backups; leaves no trace where nothing is installed any more."""
    backups, kept = _data() / "backups", {entry.backup for entry in entries}
    for file in backups.glob("*"):
        if file.name not in kept:
            file.unlink()
    if entries:
        _replace(_data() / "installed.json", _ENTRIES.dump_json(entries, indent=1), 0o600)
        return
    (_data() / "installed.json").unlink(missing_ok=True)
    for folder in (backups, _data()):
        with suppress(OSError):
            folder.rmdir()
