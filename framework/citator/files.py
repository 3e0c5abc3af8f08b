"""Folders -> files with what tells that they changed; bytes -> text."""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SKIPPED = frozenset(
    ".git .hg .svn .venv .tox .nox .cache .mypy_cache .ruff_cache .pytest_cache .idea .vscode .terraform .gradle .next .yarn "
    "node_modules bower_components site-packages __pycache__ venv".split()
)
"""Folders in which nobody keeps decision records of their own."""

Stamp = tuple[int, int, int, int, int]
"""Device, inode, size, modification and change time: a file is the same as long as all of them stand still."""

_LESS_IS_DAMAGE = 50
"""A text of which no more than one character in so many is NUL was damaged; any other is no text."""

_SETTLED = 100_000_000
"""Nanoseconds after which a file's change time tells a further change from the last one."""


def is_settled(stamp: Stamp) -> bool:
    """Whether a change of the file from now on is sure to show in its stamp."""
    return time.time_ns() - stamp[-1] > _SETTLED


def walk(root: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stamp]]:
    r"""The files below `root` whose path (relative, with `/`) is wanted, in the order of their paths.

    What of a name is no UTF-8 stands in the path as `\xe9`; `place` finds the file again.

    A link counts as what it leads to, and not at all where that is found below `root` under its own name too; one to a folder
    is followed within the repository alone, and `content` tells one to a file that must not be. Raises OSError where `root` or a
    folder in it cannot be listed; what vanishes meanwhile is left out.
    """
    yield from _entries(str(root), "", wanted, os.path.realpath(root), set())


def _entries(folder: str, prefix: str, wanted: Callable[[str], bool], root: str, linked: set[str]) -> Iterator[tuple[str, Stamp]]:
    """What is in one folder; `linked` are the real paths of the folders that were entered through links."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=_name_in_path)
    for entry in entries:
        name = prefix + readable_name(entry.name)
        enters = is_folder(entry) and entry.name not in SKIPPED and _may_enter(entry, root, linked)
        if enters or entry.is_dir(follow_symlinks=False):
            if enters:
                yield from _entries(entry.path, f"{name}/", wanted, root, linked)
        # Asked last, so that who is asked hears of no file that is left out: it may be another one of that name tomorrow.
        elif (not _repeats(entry.path, root, linked) if entry.is_symlink() else entry.is_file()) and wanted(name):
            try:
                stat = _stat(entry)
            except FileNotFoundError:
                continue
            yield name, (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one."""
    return os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir()  # noqa: PTH112 - in a loop it is false, not an error


def _may_enter(entry: os.DirEntry[str], root: str, linked: set[str]) -> bool:
    """Whether a folder is entered: one behind a link only where that is another place of the repository, each of them once."""
    if not entry.is_symlink() and not linked:
        return True
    real = Path(os.path.realpath(entry.path))
    if entry.is_symlink():
        elsewhere = not _is_walked(real, root) and not Path(root).is_relative_to(real)
        if not elsewhere or not real.is_relative_to(_repository(Path(root))):
            return False
    elif not any(real.is_relative_to(folder) for folder in linked):
        return True
    known = len(linked)
    linked.add(str(real))
    return len(linked) > known


def _stat(entry: os.DirEntry[str]) -> os.stat_result:
    try:
        return entry.stat()
    except OSError:
        return entry.stat(follow_symlinks=False)


def _repeats(link: str, root: str, linked: set[str]) -> bool:
    """Whether a link leads to a file of the same kind that is found under its own name."""
    target = Path(os.path.realpath(link))
    if target.suffix.lower() != Path(link).suffix.lower() or not target.is_file():
        return False
    return _is_walked(target, root) or str(target.parent) in linked


def _is_walked(target: Path, root: str) -> bool:
    """Whether a real path is below `root` and in no folder that is skipped."""
    return target.is_relative_to(root) and SKIPPED.isdisjoint(target.relative_to(root).parts)


def readable_name(name: str) -> str:
    r"""A file's name or path as text that can be written and stored: a byte that is no UTF-8 as `\xe9`."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def place(root: Path, path: str) -> Path:
    """Where the file lies that `walk` calls so."""
    file = root / path
    if "\\x" not in path or os.path.lexists(file):
        return file
    return root / os.fsdecode(re.sub(rb"\\x([0-9a-f]{2})", lambda byte: bytes.fromhex(byte[1].decode()), path.encode()))


def content(root: Path, path: str) -> bytes:
    """The bytes of a file that `walk` found; raises OSError, and ValueError for a link to no file of the repository."""
    file = place(root, path)
    if file.is_symlink():
        target = Path(os.path.realpath(file))
        if not target.is_file() or not target.is_relative_to(_repository(Path(os.path.realpath(root)))):
            raise ValueError("is a link to no file of this repository")
    return file.read_bytes()


def _repository(root: Path) -> Path:
    """The repository that a folder lies in, or the folder itself."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)


def _name_in_path(entry: os.DirEntry[str]) -> str:
    return f"{entry.name}/" if is_folder(entry) else entry.name


def decode(data: bytes) -> str:
    r"""Text in whatever encoding, with `\n` at line ends and without a byte order mark; raises ValueError for what is no text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = _guessed(data)
    if text.count("\0") * _LESS_IS_DAMAGE > len(text):
        raise ValueError("is no text file")
    return text.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")


def _guessed(data: bytes) -> str:
    lossy = data.decode("utf-8", "replace")
    # A few broken bytes in UTF-8 are damage, not another encoding.
    if lossy.count("\ufffd") * 4 <= sum(1 for c in lossy if c > "\x7f") or b"\0" in data:
        return lossy
    from charset_normalizer import from_bytes  # 30 ms to import, and hardly any file needs it

    best = from_bytes(data[:100_000]).best()
    return data.decode(best.encoding, "replace") if best else data.decode("latin-1")
