"""A folder's records as they were on a day, from its git history."""

import subprocess
from calendar import monthrange
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from citator.errors import SourceError
from citator.expressions import expression
from citator.index import judge
from citator.standings import Standings
from citator.status import StatusResolver

_LINK = "120000"
_DATE = expression(r"\d{4}-\d\d(?P<day>-\d\d(?P<time>[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)?")


def as_of(root: Path, resolver: StatusResolver, date: str) -> Standings:
    """The standings of the last commit that is not younger than `date`: a month or a day, to its end, or a day with a time.

    Raises SourceError where it is none, where there is no history, none that old, or no such folder in it.
    """
    commit = _git(root, "rev-list", "-1", f"--min-age={_end(date)}", "HEAD").decode().strip()
    if not commit:
        raise SourceError(f"{root}: no commit is as old as {date}; citator adr list without --as-of shows today's records")
    below = _below_top(root)
    inside = _entries(root, f"{commit}:{below}")
    files = {f"{below}/{path}".lstrip("/"): entry for path, entry in inside.items()}
    if any(mode == _LINK for mode, _ in files.values()):
        files = _entries(root, f"{commit}:")  # a link may lead anywhere in the repository
    wanted = {path: entry for path, entry in files.items() if entry[0] == _LINK or resolver.wants(path.removeprefix(f"{below}/"))}
    with TemporaryDirectory() as scratch:
        top = Path(scratch).resolve()
        (top / ".git").mkdir()  # so that links within the repository, and no others, are followed
        (top / below).mkdir(parents=True, exist_ok=True)
        _write(top, wanted, _contents(root, [name for _, name in wanted.values()]))
        pages = {path: resolver.read_file(top / below, path) for path, _ in resolver.files(top / below)}
    return judge(resolver.collect(root, pages), resolver)


def _end(date: str) -> int:
    """The last second of a date, since 1970: git itself would take most of what is none for now."""
    written = _DATE.fullmatch(date)
    try:
        if not written:
            raise ValueError
        moment = datetime.fromisoformat(date if written["day"] else f"{date}-01")
        if not written["day"]:
            moment = moment.replace(day=monthrange(moment.year, moment.month)[1])
        return max(0, int((moment if written["time"] else moment.replace(hour=23, minute=59, second=59)).timestamp()))
    except (ValueError, OverflowError) as error:
        raise SourceError(f"{date!r} is no date; write one as 2026-03-01") from error


def _below_top(root: Path) -> str:
    return _git(root, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n").rstrip("/")


def _entries(root: Path, tree: str) -> dict[str, tuple[str, str]]:
    """The mode and the blob of each file and link of a tree."""
    listed = _git(root, "ls-tree", "-r", "-z", "--full-tree", tree).decode("utf-8", "surrogateescape")
    found = {}
    for line in listed.split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, kind, name = about.split()[:3]
        if kind == "blob":
            found[path] = (mode, name)
    return found


def _write(top: Path, files: Mapping[str, tuple[str, str]], contents: Iterable[bytes]) -> None:
    """Writes files, then links, so that no file is written through one."""
    written = sorted(zip(files.items(), contents, strict=True), key=lambda each: each[0][1][0] == _LINK)
    for (path, (mode, _)), content in written:
        file = top / path
        if not {"..", ".git"}.isdisjoint(file.parts):
            continue  # no git writes such a tree, but somebody might
        file.parent.mkdir(parents=True, exist_ok=True)
        if mode != _LINK:
            file.write_bytes(content)
            continue
        with suppress(OSError, ValueError):  # a link that no disk takes leads nowhere
            file.symlink_to(content.decode("utf-8", "surrogateescape"))


def _contents(root: Path, names: list[str]) -> list[bytes]:
    """The blobs of these names, in one run of git."""
    out = _git(root, "cat-file", "--batch", asked="".join(f"{name}\n" for name in names).encode())
    found, at = [], 0
    for _ in names:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        found.append(out[end + 1 : end + 1 + size])
        at = end + size + 2
    return found


def _git(root: Path, *words: str, asked: bytes = b"") -> bytes:
    try:
        done = subprocess.run(["git", "-C", root, *words], input=asked, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise SourceError("git is not installed; install it to read the history") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0] or f"git ended with {done.returncode}"
        raise SourceError(f"{root}: the history cannot be read: {reason}")
    return done.stdout
