"""What was handed over, to which session, when; and so, whether a session was shown a record just now."""

import json
import os
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citator.records import Hit

FILE_BYTES = 4 * 2**20
"""Size at which a new file is begun; the one before is kept."""

SESSIONS = 200
"""How many sessions are remembered, those that were last heard of."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One record that was handed over, with its score and how it was marked."""

    source: str
    id: str
    name: str
    score: float
    mark: str = ""
    status: str = ""
    """Of a marked decision: superseded, rejected, …"""

    @classmethod
    def of(cls, hit: "Hit") -> "Shown":
        """What the ledger keeps of a hit."""
        record = hit.record
        status = hit.verdict.status.value if hit.verdict and hit.mark else ""
        return cls(hit.source, record.id, record.label or record.title, round(hit.score, 4), hit.mark, status)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a session: `silent` is why nothing was handed over, `text` the message if the user wants it kept."""

    at: str
    session: str
    agent: str
    project: str
    moment: str
    records: tuple[Shown, ...] = ()
    bytes: int = 0
    milliseconds: float = 0.0
    silent: str = ""
    repeats: int = 0
    text: str = ""

    @classmethod
    def from_json(cls, line: str) -> "Entry":
        """Raises ValueError or TypeError for what is no entry; what is empty was left out."""
        made = cls(**{"session": "", "agent": "", "project": "", **json.loads(line)})
        return replace(made, records=tuple(Shown(**shown) for shown in made.records))  # type: ignore[arg-type]

    def line(self) -> str:
        """What people are told of it, such as `citator: 2 records, 1 superseded`; empty where nothing was handed over."""
        count = f"{len(self.records)} record{'s' if len(self.records) != 1 else ''}"
        statuses = Counter(shown.status for shown in self.records if shown.status)
        told = ", ".join([count, *(f"{number} {status}" for status, number in statuses.items())])
        return f"citator: {told}" if self.records else ""

    def to_json(self) -> str:
        """One line; what is empty is left out."""
        return json.dumps({key: value for key, value in asdict(self).items() if value}, ensure_ascii=False)


def entries(folder: Path) -> Iterator[Entry]:
    """All that the ledger in a folder has, oldest first; damaged lines are left out."""
    return _entries(line for file in _files(folder) for line in _lines(file))


def last_message(folder: Path, session: str) -> Entry | None:
    """The last message of a session; quick, since only lines that name the session are read."""
    lines = (line for file in reversed(_files(folder)) for line in reversed(_lines(file)) if session in line)
    return next((entry for entry in _entries(lines) if (entry.session, entry.moment) == (session, "message")), None)


def _entries(lines: Iterable[str]) -> Iterator[Entry]:
    for line in lines:
        try:
            yield Entry.from_json(line)
        except (ValueError, TypeError):
            continue


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8", "replace").split("\n")
    except OSError:
        return []


def _files(folder: Path) -> tuple[Path, Path]:
    """The file before the present one, and the present one."""
    return folder / "ledger.1.jsonl", folder / "ledger.jsonl"


def now() -> str:
    """The time as entries have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(slots=True)
class _Session:
    messages: int = 0
    shown: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)


class Ledger:
    """The ledger in a folder; what cannot be written is forgotten with the process, since a full disk must not cost a message."""

    def __init__(self, folder: Path) -> None:
        self._older, self._file = _files(folder)
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        for entry in entries(folder):
            self._remember(entry)

    def why_not_again(self, session: str, hit: "Hit", messages: int) -> str:
        """Why a record is not shown to a session that was shown it within its last messages, or nothing; another mark is news."""
        known = self._sessions.get(session)
        at, mark = known.shown.get((hit.source, hit.record.id), (-messages, "")) if known else (0, "")
        if not session or known is None or mark != hit.mark or (past := known.messages + 1 - at) > messages:
            return ""
        return f"was handed over {past} message{'s' if past > 1 else ''} ago in this session"

    def forget(self, session: str) -> None:
        """The session no longer has what it was shown."""
        self.add(Entry(now(), session, "", "", "forget"))

    def add(self, entry: Entry) -> None:
        """Notes an event; the file is private and rotated."""
        self._remember(entry)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._file.exists() and self._file.stat().st_size > FILE_BYTES:
                self._file.replace(self._older)
            # One write of a whole line: a process that is killed leaves no half of one for the next to continue.
            descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, f"{entry.to_json()}\n".encode("utf-8", "replace"))
            finally:
                os.close(descriptor)
        except OSError:
            pass

    def _remember(self, entry: Entry) -> None:
        if not entry.session:
            return
        session = self._sessions.setdefault(entry.session, _Session())
        self._sessions.move_to_end(entry.session)
        while len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)
        if entry.moment == "forget":
            session.shown.clear()
        elif entry.moment == "message":
            session.messages += 1
            session.shown |= {(record.source, record.id): (session.messages, record.mark) for record in entry.records}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over a ledger's entries; latencies in milliseconds, inside the daemon."""

    messages: int
    silent: int
    reasons: dict[str, int]
    records: int
    repeats: int
    bytes_per_message: float
    latencies: dict[str, float]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Statistics":
        """The statistics of the messages among the entries."""
        messages = [entry for entry in entries if entry.moment == "message"]
        reasons: dict[str, int] = {}
        for entry in messages:
            if entry.silent:
                reasons[entry.silent] = reasons.get(entry.silent, 0) + 1
        times = sorted(entry.milliseconds for entry in messages if entry.milliseconds)
        return cls(
            len(messages),
            sum(not entry.records for entry in messages),
            dict(sorted(reasons.items(), key=lambda item: -item[1])),
            sum(len(entry.records) for entry in messages),
            sum(entry.repeats for entry in messages),
            sum(entry.bytes for entry in messages) / len(messages) if messages else 0.0,
            {f"p{share}": _percentile(times, share) for share in (50, 95, 99)},
        )


def _percentile(ordered: Sequence[float], share: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] if ordered else 0.0
