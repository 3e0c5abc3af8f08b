"""Where decision records lie in a project."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from citator.expressions import expression
from citator.files import SKIPPED, is_folder, walk
from citator_plugins.adr.names import name_of

_USUAL = expression(
    r"(?:^|/)(?:adrs?|madrs?|\.adrs?|decisions|\.decisions|decision[-_ ]records?|architecture[-_ ]decisions?(?:[-_ ]records?)?)$",
    re.I,
)
_ENDINGS = (".md", ".markdown", ".mdx", ".adoc", ".asciidoc", ".rst")
_DEEPEST = 6
"""Folders below the project that are looked into."""


def folders(project: Path) -> Iterator[tuple[str, int]]:
    """Each outermost folder with decision records (relative, with `/`) and how many files in it have a record's name.

    A link to one counts where it leads to a place of the project that is not found under its own name.
    """
    top = Path(os.path.realpath(project))
    places = [
        (Path(os.path.realpath(project / name)), name, count) for name, count in _below(project, "", 0, _configured(project))
    ]
    shown: list[Path] = []
    for real, name, count in sorted(places, key=lambda place: (project / place[1]).is_symlink()):  # what is no link comes first
        if real.is_relative_to(top) and not any(real.is_relative_to(other) for other in shown):
            shown.append(real)
            yield name, count


def _below(folder: Path, prefix: str, depth: int, named: frozenset[str]) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry for entry in found if is_folder(entry)), key=lambda entry: entry.name)
    except OSError:
        return  # what cannot be looked into is not offered
    for entry in entries:
        name = prefix + entry.name
        if (_USUAL.search(name) or name in named) and (count := count_records(Path(entry.path))):
            yield name, count
        elif depth < _DEEPEST and entry.name not in SKIPPED and not entry.name.startswith(".") and not entry.is_symlink():
            yield from _below(Path(entry.path), f"{name}/", depth + 1, named)


def count_records(folder: Path) -> int:
    """How many files below a folder are named like records."""
    count = 0
    with suppress(OSError):  # whoever lists the folder says what is wrong with it
        for path, _ in walk(folder, lambda path: path.lower().endswith(_ENDINGS)):
            name = name_of(path)
            count += not name.template and not name.index
    return count


def _configured(project: Path) -> frozenset[str]:
    """The folders that a project's `.adr-dir` or `.log4brains.yml` names."""
    named: list[str] = []
    for file, pattern in (
        (".adr-dir", r"^\s*(\S.*?)\s*$"),
        (".log4brains.yml", r"^\s*(?:-\s*)?adrFolder:\s*[\"']?([^\"'\n]+?)[\"']?\s*$"),
    ):
        try:
            text = (project / file).read_text("utf-8", "replace")
        except OSError:
            continue
        named += re.findall(pattern, text, re.M)
    return frozenset(os.path.normpath(path) for path in named)
