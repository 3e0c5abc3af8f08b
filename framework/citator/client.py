"""The agent's side: passes an agent's event to the daemon and its answer back, or nothing, with the standard library alone.

It runs before every message, in an interpreter without site-packages (`python -I -S`), so it is one file that imports next to
nothing: `_socket` and `_signal` are what `socket` and `signal` are made of, and save half of the time that Python takes to start.
"""

import os
import sys
from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket
from binascii import crc32
from time import monotonic, time

VERSION = "0.1.0"
"""Of the distribution; a daemon that is older than a client makes room for a new one."""

PROTOCOL = b"citator/1"
SECONDS = 0.3
"""From the client's start until it gives up; the agent waits for it."""

RETRY_SECONDS = 15.0
"""How long no daemon is started after one that ended before it could answer."""

PASSED_ON = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "USER_PROMPT", "CURSOR_VERSION")
"""The environment variables that tell where an agent keeps its things, or who called; nothing else of the environment is sent."""

GUARD = "CITATOR_SELF"
"""Set for every process that citator starts, so that none of them can ask citator for a recall in turn."""

_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
_LONGEST = 100 - len("/00000000.sock")
"""Bytes of a folder: a socket's path has at most 103 (macOS)."""


class Trouble(Exception):  # noqa: N818 - mostly it is no error
    """Why nothing is handed over; told only with `--verbose`."""


def folder() -> str:
    """The private folder of sockets and locks: in the user's runtime folder on Linux, else in a temporary one."""
    user = os.getuid()
    own = (
        [os.environ.get("XDG_RUNTIME_DIR") or "", f"/run/user/{user}"]
        if sys.platform == "linux"
        else [os.environ.get("TMPDIR") or ""]
    )
    for parent in own:
        path = os.path.join(parent, "citator")
        if os.path.isabs(parent) and len(os.fsencode(path)) <= _LONGEST and _is_mine(parent):
            break
    else:
        path = f"/tmp/citator-{user}"  # noqa: S108 - checked below, since anybody may have made it
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    if not _is_mine(path):
        raise Trouble(f"{path}: is not a folder for this user alone")
    return path


def _is_mine(path: str) -> bool:
    try:
        found = os.lstat(path) if path.startswith("/tmp/") else os.stat(path)  # noqa: S108
    except OSError:
        return False
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000


def name() -> str:
    """The path of the daemon's files without their endings: another home has other records, and so its own daemon."""
    return f"{folder()}/{crc32(os.fsencode(chr(0).join(os.environ.get(key, '') for key in _HOMES))):08x}"


def request(verb: str, fields: "list[str]", body: bytes) -> bytes:
    """What is sent: a line with the protocol and the bytes of what follows, then the fields, divided by NUL, then the body."""
    head = b"\0".join(map(os.fsencode, [VERSION, verb, *fields]))
    return b"%b %d %d\n%b%b" % (PROTOCOL, len(head), len(body), head, body)


def exchange(path: str, sent: bytes, seconds: "float | None" = None) -> bytes:
    """What the daemon answers; raises Trouble where that is a reason or not whole, OSError where nobody answers."""
    connection = socket(AF_UNIX, SOCK_STREAM)
    parts = []
    try:
        connection.settimeout(seconds)
        connection.connect(path)
        connection.sendall(sent)
        connection.shutdown(SHUT_WR)
        while part := connection.recv(65536):
            parts.append(part)
    finally:
        connection.close()
    head, _, content = b"".join(parts).partition(b"\n")
    if head == b"+%d" % len(content):
        return content
    if head == b"!":
        raise ConnectionRefusedError("the daemon was older and makes room for a new one")
    raise Trouble(head[1:].decode("utf-8", "replace") if head[:1] == b"-" else "the daemon ended before its answer was whole")


def start(path: str, here: str) -> int:
    """Starts the daemon, detached, unless somebody else has; gives its process id. It begins with what the folder `here` needs.

    The new process inherits the lock that was taken for it and holds it for its whole life, so that there is never a second one.
    """
    import fcntl

    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Trouble("the daemon is being started, or is ending") from None
    found = os.fstat(lock)
    if found.st_size and 0 <= time() - found.st_mtime < RETRY_SECONDS:
        raise Trouble("a daemon was started just now and ended before it could answer; see citator daemon logs")
    os.truncate(lock, 0)
    os.write(lock, b"starting")
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        os.chdir("/")
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(os.open(f"{path}.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        os.dup2(lock, 3)
        os.set_inheritable(3, True)  # it may have been 3 before
        os.closerange(4, 65536)
        # Not -I: citator may be installed in the user's own site-packages.
        os.execve(sys.executable, [sys.executable, "-E", "-P", "-m", "citator.daemon", path, here], {**os.environ, GUARD: "1"})
    finally:
        os._exit(1)


def main() -> None:
    """Hands over what the daemon says of the event on standard input; whatever happens, the exit code is 0."""
    begin = monotonic()
    signal(SIGALRM, lambda *_: _end("no answer in time"))
    setitimer(ITIMER_REAL, SECONDS)
    why = ""
    try:
        _hand_over(begin)
    except BaseException as error:
        why = str(error) or type(error).__name__
    _end(why)


def _hand_over(begin: float) -> None:
    agent = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    if not agent:
        raise Trouble("usage: citator-client AGENT [--verbose]")
    if os.environ.get(GUARD):
        raise Trouble(f"called by citator itself ({GUARD} is set)")
    path = name()
    here = ""
    try:
        here = os.getcwd()
    except OSError:
        pass
    given = [f"{key}={os.environ[key]}" for key in PASSED_ON if key in os.environ]
    event = b""
    while part := os.read(0, 65536):
        event += part
    try:
        answer = exchange(f"{path}.sock", request("event", [repr(begin + SECONDS), agent, here, *given], event))
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise Trouble(f"no daemon was there ({error}); started one, process {start(path, here)}") from error
    setitimer(ITIMER_REAL, 0)
    while answer:
        answer = answer[os.write(1, answer) :]


def _end(why: str) -> None:
    if why and "--verbose" in sys.argv:
        os.write(2, f"citator: {why}\n".encode("utf-8", "replace"))
    os._exit(0)
