"""A folder's records as they were on a day, from its git history."""

import subprocess
from pathlib import Path

from citator.errors import SourceError
from citator.files import decode
from citator.index import judge
from citator.records import Reading
from citator.standings import Standings
from citator.status import StatusResolver


def as_of(root: Path, resolver: StatusResolver, date: str) -> Standings:
    """The standings of the last commit that is not younger than `date` (any form that git knows; a day counts to its end).

    Raises SourceError where there is no history, none that old, or no such folder in it.
    """
    until = f"{date} 23:59:59" if len(date) == 10 else date
    commit = _git(root, "rev-list", "-1", f"--before={until}", "HEAD").decode().strip()
    if not commit:
        raise SourceError(f"{root}: no commit is as old as {date}; citator adr list without --as-of shows today's records")
    entries = _git(root, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{_below_top(root)}").decode("utf-8", "backslashreplace")
    blobs = {}
    for entry in entries.split("\0")[:-1]:
        about, _, path = entry.partition("\t")
        mode, _, name = about.split()[:3]
        if mode.startswith("100") and resolver.wants(path):
            blobs[path] = name
    contents = _contents(root, list(blobs.values()))
    pages = {path: _page(resolver, path, content) for path, content in sorted(zip(blobs, contents, strict=True))}
    return judge(resolver.collect(root, pages), resolver)


def _below_top(root: Path) -> str:
    return _git(root, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").rstrip("\n")


def _page(resolver: StatusResolver, path: str, content: bytes) -> Reading:
    try:
        return resolver.parse(path, decode(content))
    except ValueError as error:
        return resolver.unread(path, str(error))


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
        reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"git ended with {done.returncode}"
        raise SourceError(f"{root}: the history cannot be read: {reason}")
    return done.stdout
