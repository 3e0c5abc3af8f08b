"""What everything but the client knows of the daemon: how it is called, asked, started and stopped."""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import platformdirs

from citator import client
from citator.errors import CitatorError, DaemonError

Verb = Literal["event", "recall", "project", "status", "stop"]

STATUSLINE = "citator.cli.statusline"

SECONDS = 60.0
"""How long a command waits for an answer: the daemon may be loading a model."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sends: `deadline` is a time of the monotonic clock, or endless; `body` an event or a message."""

    version: str
    verb: str
    deadline: float
    agent: str
    folder: str
    environment: Mapping[str, str]
    body: bytes

    @classmethod
    def parse(cls, sent: bytes) -> "Request":
        """Raises ValueError for anything but a whole request in this protocol."""
        line, end, rest = sent.partition(b"\n")
        protocol, *sizes = line.split()
        if protocol != client.PROTOCOL:
            raise ValueError(f"speaks {protocol[:20]!r}, not {client.PROTOCOL!r}")
        fields, body = map(int, sizes)
        if not end or len(rest) != fields + body:
            raise ValueError("the request is not whole")
        version, verb, deadline, agent, folder, *given = os.fsdecode(rest[:fields]).split("\0")
        pairs = (pair.partition("=") for pair in given)
        return cls(version, verb, float(deadline), agent, folder, {key: value for key, _, value in pairs}, rest[fields:])


def client_command(agent: str) -> list[str]:
    """What an agent runs for each event.

    Not the file itself: where that is gone, Python exits with 2, which makes Claude Code throw the message away.
    """
    code = f"import sys; sys.path.append({str(Path(client.__file__).parent)!r}); import client; client.main()"
    return [sys.executable, "-I", "-S", "-c", code, agent]


def statusline_command() -> list[str]:
    """What an agent runs for its status line."""
    return [sys.executable, "-E", "-P", "-m", STATUSLINE]


def folders() -> list[Path]:
    """The folders that are citator's own in this home: store and models, ledger and log, cache."""
    return [platformdirs.user_data_path("citator"), state_folder(), platformdirs.user_cache_path("citator")]


def state_folder() -> Path:
    """Where the ledger and the daemon's log are."""
    return platformdirs.user_state_path("citator")


def log_file() -> Path:
    """The daemon's log; older parts of it end in .1 and .2."""
    return state_folder() / "daemon.log"


def ask(verb: Verb, body: str = "", folder: Path | None = None, seconds: float = SECONDS) -> dict[str, Any] | None:
    """What the daemon says, or None where there is none of this version; raises DaemonError where it cannot answer."""
    given = [f"{key}={os.environ[key]}" for key in client.PASSED_ON if key in os.environ]
    sent = client.request(
        verb, [repr(float("inf")), "", str(folder.absolute()) if folder else "", *given], body.encode("utf-8", "replace")
    )
    try:
        answer: dict[str, Any] = json.loads(client.exchange(f"{client.name()}.sock", sent, seconds))
    except TimeoutError as error:
        raise DaemonError(
            f"the daemon does not answer; citator daemon restart ends it and starts another (process {pid()})"
        ) from error
    except OSError:
        return None
    except client.Trouble as error:
        raise DaemonError(str(error)) from error
    return answer


def recall(message: str, folder: Path, file: Path | None = None) -> dict[str, Any]:
    """What an agent here would be handed, as `Recall.as_json` gives it: by the daemon where it runs, else in this process."""
    if file is None and (answer := ask("recall", message, folder)) is not None:
        return answer
    from citator.pipeline import Pipeline

    pipeline = Pipeline.open(folder, file)
    made: dict[str, Any] = pipeline.recall(message).as_json()
    return {**made, "problems": [*pipeline.notices, *made["problems"]]}


def project_state(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """What a project's pipeline has, as `state.pipeline_state` gives it: by the daemon where it runs, else in this process."""
    if file is None and (answer := ask("project", folder=folder)) is not None:
        return answer
    from citator.pipeline import Pipeline
    from citator.state import pipeline_state

    return pipeline_state(Pipeline.open(folder, file))


def daemon_file(ending: str) -> Path:
    """A file of this user-and-home's daemon; raises DaemonError where its folder is not for this user alone."""
    try:
        return Path(f"{client.name()}.{ending}")
    except client.Trouble as error:
        raise DaemonError(str(error)) from error


def remove_daemon_files() -> list[Path]:
    """Removes the files of a daemon that has ended, and their folder unless daemons of other homes have files there."""
    files = [file for file in map(daemon_file, ("sock", "lock", "err")) if file.exists()]
    for file in files:
        file.unlink()
    with suppress(OSError):
        daemon_file("sock").parent.rmdir()
    return files


def pid() -> int | None:
    """The process that holds the daemon's lock, or None; 0 where it has not said which it is."""
    if not _is_locked():
        return None
    number = daemon_file("lock").read_text("ascii", "replace")
    return int(number) if number.isdigit() else 0


def start(seconds: float = SECONDS) -> dict[str, Any]:
    """The status of the daemon, which is started where it does not run; waits until it answers."""
    with suppress(client.Trouble, OSError):
        if (status := ask("status")) is not None:
            return status
    with suppress(FileNotFoundError):
        os.truncate(daemon_file("lock"), 0)
    try:
        client.start(client.name(), str(Path.cwd()))
    except client.Trouble as error:
        trouble = str(error)
    else:
        trouble = "it ended before it could answer"
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (status := ask("status")) is not None:
            return status
        time.sleep(0.05)
    raise DaemonError(f"the daemon cannot be started: {trouble}; see citator daemon logs")


def stop(seconds: float = 5.0) -> bool:
    """Ends the daemon, by force where it does not answer in time; whether there was one."""
    running = pid()
    if running is None:
        return False
    told = False  # one that only just begins has no socket yet, and has not written its number
    for by_force in (False, True):
        running = pid() or running
        if by_force and running:
            os.kill(running, signal.SIGKILL)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not _is_locked():
                return True
            with suppress(CitatorError):
                told = told or ask("stop", seconds=seconds) is not None
            time.sleep(0.02)
    raise DaemonError(f"the daemon does not end{f'; it is process {running}' if running else ''}")


def _is_locked() -> bool:
    import fcntl

    try:
        with daemon_file("lock").open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False
