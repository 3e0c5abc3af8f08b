"""What the daemon looks at around itself: who asks, what is installed, and where something went wrong."""

import socket
import struct
import sys
from pathlib import Path

import citator
from citator import client


def peer(connection: socket.socket) -> int:
    """The user at the other end."""
    if sys.platform == "linux":
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    else:
        _, user = struct.unpack("2I", connection.getsockopt(0, 1, 8))  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred
    return int(user)


def newer(other: str) -> bool:
    """Whether a version is above ours; only a newer client ends a daemon, so that two versions do not take turns."""

    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(".") if part.isdecimal()]

    return numbers(other) > numbers(client.VERSION)


def installation() -> tuple[object, ...]:
    """What changes when citator or any package beside it is installed, upgraded or removed."""
    modules = sorted(Path(citator.__file__ or "").parent.rglob("*.py"))
    return tuple((str(path), _changed(path)) for path in [*map(Path, sys.path), *modules])


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def described(error: BaseException) -> str:
    """Type and place of an error, without its text, which may hold a message's."""
    places = []
    trace = error.__traceback__
    while trace:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' > '.join(places)}"
