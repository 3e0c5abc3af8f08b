"""What a project is: a git repository with all its worktrees and subfolders, or else a folder by itself."""

import os
import re
import sys
import unicodedata
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from citator.expressions import expression

_CORE_WORKTREE = expression(r"^\s*\[core\][^\[]*?^\s*worktree\s*=\s*(\S.*?)\s*$", re.MULTILINE | re.IGNORECASE)


def project_of(folder: Path) -> Path:
    """The real path of the main worktree of the repository that `folder` lies in; of its git folder where that is bare.

    A folder that is gone belongs where the nearest folder above it that is there belongs. No git is run; about 0.1 ms.
    """
    return _locate(folder)[1]


def worktree_of(folder: Path) -> Path:
    """The real path of the top of the worktree that `folder` lies in: where the project's files are as this worktree has them."""
    return _locate(folder)[0]


def belongs(folder: Path, project: Path) -> bool:
    """Whether a folder is part of a project, whichever way Unicode spells the name (agents record NFC whatever the disk has)."""
    try:
        return unicodedata.normalize("NFC", str(project_of(folder))) == unicodedata.normalize("NFC", str(project))
    except ValueError:  # a NUL or a lone surrogate: no folder has such a name
        return False


def _locate(folder: Path) -> tuple[Path, Path]:
    """(top of the worktree, project)."""
    here = _real(folder)
    orphan: Path | None = None
    for place in (here, *here.parents):
        dot = place / ".git"
        if S_ISREG(_mode(dot)):
            if common := _common_folder(dot):
                return place, _main_worktree(common)
            orphan = orphan or place
        elif _is_git_folder(dot):
            return place, _main_worktree(_real(dot))
        elif _is_git_folder(place):
            return _main_worktree(place), _main_worktree(place)
    return orphan or here, orphan or here


def _common_folder(dot: Path) -> Path | None:
    """The git folder that all worktrees share, which a `.git` file leads to; None where it leads nowhere or not back."""
    pointer = _read(dot)
    if not pointer.startswith("gitdir:"):
        return None
    own = _real(dot.parent / pointer.removeprefix("gitdir:").strip())
    shared = _read(own / "commondir")
    if not shared:
        return own if _is_git_folder(own) else None
    # Anybody can write a file that points into a repository, but only a true worktree is known there.
    back = _read(own / "gitdir")
    common = _real(own / shared)
    return common if back and _real(own / back) == _real(dot) and _is_git_folder(common) else None


def _main_worktree(common: Path) -> Path:
    if common.name == ".git":
        return common.parent
    declared = _CORE_WORKTREE.search(_read(common / "config"))  # a submodule's git folder says where its worktree is
    return _real(common / declared[1].strip('"')) if declared else common


def _is_git_folder(path: Path) -> bool:
    return S_ISREG(_mode(path / "HEAD")) and S_ISDIR(_mode(path / "objects")) and S_ISDIR(_mode(path / "refs"))


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""


def _real(path: Path) -> Path:
    real = os.path.realpath(path)
    # macOS opens a file under both forms of its name; one of them has to be the project's.
    return Path(unicodedata.normalize("NFC", real) if sys.platform == "darwin" else real)
