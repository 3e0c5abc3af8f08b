"""Folders -> the Markdown files in them."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISDIR

from citator.api import Problems, SourceError
from citator_plugins._text import Page, UnreadableError, read_page


def record_id(path: Path, root: Path) -> str:
    """A file's path below `root`, with `/`; its whole path where it lies elsewhere. Always valid Unicode."""
    return printable(str(path).removeprefix(f"{str(root).rstrip('/')}/"))


def printable(path: object) -> str:
    """A path as text in which bytes that are no UTF-8 are `�`."""
    return os.fsencode(str(path)).decode("utf-8", "replace")


def matcher(globs: Iterable[str]) -> re.Pattern[str]:
    """What fully matches a relative path that one of the globs names, or that lies in a folder which it names.

    `*` stays within a name and `**` does not; a glob without `/` counts at any depth, upper and lower case are alike.
    """
    return re.compile("|".join(map(_translate, globs)) or r"(?!)", re.IGNORECASE | re.DOTALL)


def _translate(glob: str) -> str:
    depth = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?[^]/]+\])", glob.strip("/"))
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(special.get(part) or (part.replace("[!", "[^") if part[:1] == "[" else re.escape(part)) for part in parts)
    return f"{depth}{body}(?:/.*)?"


def files_below(root: Path, include: re.Pattern[str], exclude: re.Pattern[str]) -> Iterator[Path]:
    """The files below a folder in the order of their names; what begins with a dot is skipped, each folder is entered once.

    Raises SourceError, after all files that could be found, where the list is not complete.
    """
    try:
        if not is_folder_at(root):
            raise SourceError(f"{root}: no such folder; mount it, or correct the `path:` of this source")
        entered = {_identity(place) for place in root.resolve().parents}  # a link to a folder above would lead out and round
    except OSError as error:
        raise SourceError(f"{root}: cannot be reached ({error.strerror}); make it readable") from error
    unlisted: list[str] = []

    def entries(folder: Path, prefix: str) -> Iterator[Path]:
        try:
            if (identity := _identity(folder)) in entered:
                return
            entered.add(identity)
            with os.scandir(folder) as found:
                listed = sorted((e for e in found if not e.name.startswith(".")), key=lambda e: e.name)
        except OSError as error:
            unlisted.append(f"{folder}: cannot be listed ({error.strerror})")
            return
        for entry in listed:
            path, name = folder / entry.name, prefix + entry.name
            if exclude.fullmatch(name):
                continue
            if is_folder(entry):
                yield from entries(path, f"{name}/")
            elif include.fullmatch(name):
                yield path
            elif entry.is_symlink() and not path.suffix and not _leads_somewhere(path):
                unlisted.append(f"{path}: a link to nothing; mount what it leads to, or remove or exclude it")

    yield from entries(root, "")
    if unlisted:
        more = f" (and {len(unlisted) - 1} more)" if len(unlisted) > 1 else ""
        raise SourceError(f"{unlisted[0]}; nothing is removed until all can be listed{more}")


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder or leads to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def is_folder_at(path: Path) -> bool:
    """Whether a folder is there; raises OSError where that cannot be told."""
    try:
        return S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _leads_somewhere(link: Path) -> bool:
    try:
        link.stat()
    except OSError:
        return False
    return True


def _identity(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def pages_of(files: Iterable[Path], root: Path, problems: Problems) -> Iterator[tuple[Page, Path, str]]:
    """Each file that has any text, with its path and its record's id below `root`; one that cannot be read is a problem."""
    for path in files:
        name = record_id(path, root)
        try:
            page = read_page(path)
        except UnreadableError as error:
            problems.add(printable(path), error, name)
            continue
        if page.front or page.body:
            yield page, path, name
