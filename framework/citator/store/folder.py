"""A collection's folder on disk: held by one process at a time, private, written only where there is room."""

import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from citator.errors import StoreError

HEADROOM = 64 * 2**20
"""Bytes that writing leaves free: the engine writes through memory maps, and a full disk would kill the process."""

OPENING = 16 * 2**20
"""Bytes that must be free to open a collection where it is: the engine writes even to read, and is killed where it cannot."""

_POLL = 0.02


class _Umask:
    """The process's umask, tightened while any thread is inside: each restoring what it found would undo the others'."""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = Lock(), 0, 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = os.umask(0o077)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                os.umask(self._before)


private = _Umask()
"""Files made inside `with private:` are for this user only."""


class Folder:
    """The folder of one collection and the lock file beside it, which holds the PID of the process that works in it.

    The kernel lets go of a lock when its process ends, however that ends. The lock files stay: removing one would let two in.
    """

    def __init__(self, path: Path, wait: float) -> None:
        self.path, self.wait = path, wait
        self._lock = path.with_name(f"{path.name}.lock")
        self._door = path.with_name(f"{path.name}.door")
        self._file: BinaryIO | None = None

    @property
    def new(self) -> Path:
        """Where the collection is made, so that it appears at its path complete or not at all."""
        return self.path.with_name(f"{self.path.name}.new")

    def acquire(self, *, to_open: bool) -> None:
        """Takes the lock; raises StoreError naming the holder's PID after the wait, or at once where there is no room `to_open`.

        Nobody is made to let go for a process without room to work, since neither could open the collection again then.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if to_open:
                self._spare()
            # Whoever waits for the lock stands in the door, so that a holder who comes straight back has to queue.
            with closing(self._take(self._door, deadline := time.monotonic() + self.wait)):
                self._file = self._take(self._lock, deadline)
        except OSError as error:
            raise StoreError(f"{self.path.parent}: the store's folder cannot be used: {error.strerror}") from error
        with suppress(OSError):  # on a full disk the lock holds all the same
            self._file.truncate(0)
            os.pwrite(self._file.fileno(), str(os.getpid()).encode(), 0)

    def _take(self, path: Path, deadline: float) -> BinaryIO:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b", buffering=0)
        while not _flock(file):
            if time.monotonic() >= deadline:
                file.close()
                raise StoreError(
                    f"{self.path}: in use by {self._holder()} for more than {self.wait:g} s; "
                    "wait until it is done, or end it, and try again"
                )
            time.sleep(_POLL)
        return file

    def _holder(self) -> str:
        pid = self._lock.read_text("ascii", "replace") if self._lock.exists() else ""
        return f"process {pid}" if pid else "another process"

    def wanted(self) -> bool:
        """Whether another process stands in the door while this one works."""
        with self._door.open("ab") as door:
            return not _flock(door)

    def release(self) -> None:
        """Lets the next process in."""
        if self._file is not None:
            with suppress(OSError):
                self._file.truncate(0)
            self._file.close()
            self._file = None

    @contextmanager
    def readable(self) -> Iterator[Path]:
        """The collection where it can be opened: its own folder, or on a full disk a copy, which is gone afterwards.

        What was opened in the copy meanwhile stays readable. Raises StoreError where no disk has room for one.
        """
        spare = self._spare()
        if spare is None:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="citator-", dir=spare, ignore_cleanup_errors=True) as copy:
            try:
                shutil.copytree(self.path, copy, copy_function=_copy_sparse, dirs_exist_ok=True)
            except OSError as error:
                raise self._full(OPENING) from error
            yield Path(copy)

    def _spare(self) -> Path | None:
        """A folder on another disk with room for a copy, or None where the collection's own disk has room to open it there."""
        if _free(self.path.parent) >= OPENING:
            return None
        size = self.used() + OPENING
        # Python's own choice of a temporary folder fails where that is on the full disk.
        for folder in (os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("TMPDIR") or "/tmp", "/dev/shm"):  # noqa: S108
            if folder and os.access(folder, os.W_OK) and _free(Path(folder)) >= size:
                return Path(folder)
        raise self._full(OPENING)

    def need(self, size: int) -> None:
        """Raises StoreError where fewer than `size` bytes are free."""
        if _free(self.path.parent) < size:
            raise self._full(size)

    def _full(self, size: int) -> StoreError:
        return StoreError(
            f"{self.path.parent}: {_free(self.path.parent)} bytes free, {size} needed to work safely; "
            "free some space, or set store.path to another disk"
        )

    def used(self) -> int:
        """Bytes that the collection takes on disk; its files are sparse, so their lengths say nothing."""
        return sum(file.lstat().st_blocks * 512 for file in self.path.rglob("*"))

    def set_aside(self) -> Path:
        """Renames the collection's folder, which then begins anew at its next use; the lock must be held."""
        aside = self.path.with_name(f"{self.path.name}.aside-{time.strftime('%Y%m%d-%H%M%S')}")
        self.path.rename(aside)
        return aside


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _copy_sparse(source: str, target: str) -> None:
    """Copies what a file holds and not its holes, which are most of it."""
    with Path(source).open("rb") as read, Path(target).open("wb") as written:
        size = os.fstat(read.fileno()).st_size
        at = 0
        while at < size:
            try:
                at = read.seek(at, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                break
            end = read.seek(at, os.SEEK_HOLE)
            read.seek(at)
            written.seek(at)
            written.write(read.read(end - at))
            at = end
        written.truncate(size)


def _flock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
