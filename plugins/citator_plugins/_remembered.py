"""What was read of each transcript, kept between runs, since they are only ever appended to; safe to delete at any time."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, Self

import platformdirs

from citator_plugins._transcripts import Transcript

VERSION = 1
"""Part of the file's name; another number reads everything again."""

Stamp = tuple[int, int, int]
"""Inode, size, modification time: nothing was appended as long as all of them stand still."""

_HEAD = 4096
_NOTHING: tuple[Stamp, str] = ((0, 0, 0), "")


class Remembered:
    """The transcripts of one `projects` folder as far as they were read; what was read is kept when the context ends."""

    def __init__(self, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        self._file = platformdirs.user_cache_path("citator") / f"transcripts-{VERSION}-{name}.json"
        self._root = root
        self._old: dict[str, tuple[Stamp, str, Transcript]] = {}
        self._new: dict[str, tuple[Stamp, str, Transcript]] = {}

    def __enter__(self) -> Self:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            for name, (stamp, head, fields) in json.loads(self._file.read_bytes()).items():
                self._old[name] = tuple(stamp), head, Transcript(**fields)
        return self

    def __exit__(self, *_: object) -> None:
        if self._new == self._old:
            return
        beside = self._file.with_suffix(f".{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            beside.touch(mode=0o600)  # it holds titles
            beside.write_text(json.dumps({name: (*known[:2], asdict(known[2])) for name, known in self._new.items()}))
            beside.replace(self._file)
        except OSError:  # without it the next run only takes longer
            with suppress(OSError):
                beside.unlink()

    def read(self, path: Path, wanted: Callable[[str], bool]) -> Transcript:
        """The transcript as it is now; only what is new is read, and little of one whose folder is not wanted; raises OSError."""
        name = str(path.relative_to(self._root))
        stat = path.stat()
        stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        known, head, transcript = self._old.get(name, (*_NOTHING, Transcript()))
        same = known[0] == stamp[0]
        if known != stamp and not (same and _is_foreign(transcript, wanted)):
            with path.open("rb") as file:
                if not (same and transcript.offset <= stamp[1] and _head(file, transcript.offset) == head):
                    transcript = Transcript()
                transcript.read_on(file, wanted)
                head = _head(file, transcript.offset)
        if _is_foreign(transcript, wanted):
            stamp = (stamp[0], 0, 0)  # not read to its end: another project may want it
        self._new[name] = stamp, head, transcript
        return transcript


def _is_foreign(transcript: Transcript, wanted: Callable[[str], bool]) -> bool:
    return bool(transcript.cwd) and not wanted(transcript.cwd)


def _head(file: BinaryIO, offset: int) -> str:
    file.seek(0)
    return hashlib.sha256(file.read(min(offset, _HEAD))).hexdigest()[:16]
