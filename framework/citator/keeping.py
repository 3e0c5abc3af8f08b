"""What a folder's standings were when it was last read, kept on disk; the files of this room can be deleted at any time."""

import marshal
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from citator.files import Stamp, is_settled, walk
from citator.records import Caution, Document, Edge, EdgeKind, Reading, Rejection, Status, Successor, Trouble, Verdict
from citator.standings import Standings

FORMAT = 3

_Mark = tuple[str, int, int]
"""A path with its modification time and size, which is enough for a program's own files."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a folder's standings depend on, as it was before it was read.

    `names` are the names of all files, `stamps` belong to those that some dialect reads, `settings` to the files that decide how.
    """

    names: str
    stamps: Mapping[str, Stamp]
    settings: list[_Mark]

    @property
    def settled(self) -> bool:
        """Whether a later change of any file is sure to show in its stamp."""
        return all(map(is_settled, self.stamps.values()))


def snapshot(root: Path, wanted: Callable[[str], bool], settings: Iterable[Path] = ()) -> Snapshot:
    """The folder as it is now, with those settings and the git repository's; raises OSError where it cannot be listed."""
    names: list[str] = []

    def noted(path: str) -> bool:
        names.append(path)
        return wanted(path)

    stamps = dict(walk(root, noted))
    return Snapshot("\0".join(names), stamps, _marks((*map(str, settings), _repository(root))))


def kept(root: Path, asked: str) -> tuple[str, Standings] | None:
    """The dialect and the standings that were kept for a folder, without their declarations, if nothing has changed since.

    `asked` tells apart what a folder may be asked for in several ways.
    """
    try:
        data = _file(root, asked).read_bytes()
        header, code, paths, snapped, dialect, content = marshal.loads(data)  # noqa: S302 - in the user's own cache, as .pyc files are
        # All but where the program itself lies: what was installed since is in one of the others.
        if header != _header(root, asked) or paths != _marks(sys.path[1:]) or code != _marks(path for path, *_ in code):
            return None
        names, stamps, settings = snapped
        if snapshot(root, stamps.__contains__, [Path(path) for path, *_ in settings[:-1]]) != Snapshot(names, stamps, settings):
            return None
        return dialect, _standings(content)
    except (OSError, EOFError, ValueError, TypeError, IndexError, AttributeError):
        return None


def keep(root: Path, asked: str, dialect: str, before: Snapshot, standings: Standings) -> None:
    """Keeps what was read after a snapshot was taken; where that cannot be written, the folder is read again next time."""
    file = _file(root, asked)
    code = _marks(sorted({path for name, path in _modules() if name.partition(".")[0] in _roots()}))
    snapped = (before.names, dict(before.stamps), before.settings)
    content = (_header(root, asked), code, _marks(sys.path[1:]), snapped, dialect, _flat(standings))
    scratch = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o700)  # titles and paths are nobody else's business
        try:
            scratch.touch(0o600)
            scratch.write_bytes(marshal.dumps(content))  # type: ignore[arg-type]
            scratch.replace(file)
        finally:
            scratch.unlink(missing_ok=True)


def _file(root: Path, asked: str) -> Path:
    from platformdirs import user_cache_path

    name = f"{os.path.realpath(root)}\0{asked}".encode("utf-8", "surrogateescape")
    return user_cache_path("citator") / "standings" / f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}"


def _header(root: Path, asked: str) -> tuple[int, str, str, str]:
    return FORMAT, sys.version, os.path.realpath(root), asked


def _modules() -> Iterable[tuple[str, str]]:
    for name, module in list(sys.modules.items()):
        if path := getattr(module, "__file__", None):
            yield name, path


def _roots() -> set[str]:
    """The packages whose code decides: citator's and those that plugins are in."""
    from citator.status import StatusResolver

    todo, roots = [StatusResolver], {"citator"}
    while todo:
        cls = todo.pop()
        roots.add(cls.__module__.partition(".")[0])
        todo += cls.__subclasses__()
    return roots


def _marks(paths: Iterable[str]) -> list[_Mark]:
    return [_mark(path) for path in paths]


def _mark(path: str) -> _Mark:
    try:
        stat = os.stat(path)  # noqa: PTH116 - a Path for each module would cost more than the rest
    except OSError:
        return path, 0, -1
    return path, stat.st_mtime_ns, stat.st_size


def _repository(root: Path) -> str:
    """The settings of the repository that a folder is in, which name it."""
    real = Path(os.path.realpath(root))
    files = [folder / ".git" / "config" for folder in (real, *real.parents)]
    return str(next((file for file in files if file.is_file()), files[0]))


# Tuples of plain values, since these are read back ten times as fast as pickled objects.


def _flat(standings: Standings) -> tuple[object, ...]:
    reading = standings.reading
    documents = [(d.path, d.title, d.label, d.date, d.aliases, d.anchor, d.weight) for d in reading.documents]
    edges = [(e.start, e.kind.value, e.end, e.evidence, e.idle) for some in standings.edges.values() for e in some]
    rejections = [(r.id, r.path, r.name, r.reason, r.instead, r.evidence) for r in standings.rejections]
    verdicts = [
        (
            v.path,
            v.status.value,
            _others(v.successors),
            _others(v.current),
            _others(v.amended_by),
            v.declared,
            v.evidence,
            v.by_default,
            tuple((c.trouble.value, c.text, c.evidence) for c in v.warnings),
        )
        for v in standings.verdicts.values()
    ]
    return documents, verdicts, edges, rejections, reading.problems, reading.repository


def _others(successors: Iterable[Successor]) -> tuple[object, ...]:
    return tuple((s.path, s.label, s.title, s.external, s.repository, s.missing) for s in successors)


_Rows = list[tuple[str, ...]]
_Edges = list[tuple[str, str, str, str, bool]]


def _standings(content: tuple[_Rows, list[tuple[object, ...]], _Edges, _Rows, tuple[str, ...], str]) -> Standings:
    documents, verdicts, edges, rejections, problems, repository = content
    reading = Reading(tuple(Document(*d) for d in documents), (), problems, repository)  # type: ignore[arg-type]
    by_start = {start: tuple(map(_edge, some)) for start, some in groupby(edges, lambda edge: edge[0])}
    judged = {verdict.path: verdict for verdict in map(_verdict, verdicts)}
    return Standings(reading, judged, by_start, tuple(Rejection(*r) for r in rejections))


def _edge(flat: tuple[str, str, str, str, bool]) -> Edge:
    start, kind, end, evidence, idle = flat
    return Edge(start, EdgeKind(kind), end, evidence, idle)


def _verdict(flat: tuple[object, ...]) -> Verdict:
    path, status, successors, current, amended, declared, evidence, by_default, warnings = flat
    others = (tuple(Successor(*s) for s in some) for some in (successors, current, amended))  # type: ignore[attr-defined]
    cautions = tuple(Caution(Trouble(trouble), text, where) for trouble, text, where in warnings)  # type: ignore[attr-defined]
    return Verdict(path, Status(status), *others, declared, evidence, by_default, cautions)  # type: ignore[arg-type, call-arg]
