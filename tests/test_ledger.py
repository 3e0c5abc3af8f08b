"""The ledger: what it keeps, what it says of repeats, and that no trouble with its file reaches anybody."""

import json
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from citator import ledger
from citator.cli import main
from citator.ledger import Entry, Ledger, Shown, Statistics, entries, now
from citator.records import Hit, Record, Status, Verdict
from citator.runtime import state_folder, statusline_command

SUPERSEDED = "⚠️superseded → ADR-0007"


def hit(number: int = 3, mark: str = "") -> Hit:
    return Hit(
        "adr:/shop", Record(f"{number}.md", "decision", "Use RabbitMQ", "its text", label=f"ADR-{number}"), 0.61239, mark=mark
    )


def message(*hits: Hit, session: str = "s") -> Entry:
    return Entry(
        now(),
        session,
        "claude-code",
        "/shop",
        "message",
        tuple(map(Shown.of, hits)),
        100,
        12.5,
        "" if hits else "nothing related",
    )


def test_an_entry_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    written = [message(hit(), hit(4, SUPERSEDED)), message()]
    made = Ledger(tmp_path)
    for entry in written:
        made.add(entry)
    assert list(entries(tmp_path)) == written


def test_a_records_text_is_not_kept(tmp_path: Path) -> None:
    Ledger(tmp_path).add(message(hit()))
    assert "its text" not in (tmp_path / "ledger.jsonl").read_text()


def test_a_record_is_not_shown_again_for_so_many_messages(tmp_path: Path) -> None:
    made = Ledger(tmp_path)
    made.add(message(hit()))
    again = []
    for _ in range(5):
        again.append(not made.why_not_again("s", hit(), 3))
        made.add(message())
    assert again == [False, False, False, True, True]


def test_it_says_how_long_ago_it_was_shown(tmp_path: Path) -> None:
    made = Ledger(tmp_path)
    made.add(message(hit()))
    assert made.why_not_again("s", hit(), 10) == "was handed over 1 message ago in this session"


@pytest.mark.parametrize(
    ("session", "shown", "messages"),
    [("other", hit(), 10), ("s", hit(4), 10), ("s", hit(3, SUPERSEDED), 10), ("s", hit(), 0), ("", hit(), 10)],
    ids=["another session", "another record", "another standing", "repeats wanted", "no session known"],
)
def test_a_record_is_shown_where_it_is_news(tmp_path: Path, session: str, shown: Hit, messages: int) -> None:
    made = Ledger(tmp_path)
    made.add(message(hit()))
    assert made.why_not_again(session, shown, messages) == ""


def test_a_session_that_lost_its_context_is_shown_everything_again(tmp_path: Path) -> None:
    made = Ledger(tmp_path)
    made.add(message(hit()))
    made.forget("s")
    assert made.why_not_again("s", hit(), 10) == ""


def test_sessions_are_known_after_a_restart(tmp_path: Path) -> None:
    Ledger(tmp_path).add(message(hit()))
    assert Ledger(tmp_path).why_not_again("s", hit(), 10)


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    made = Ledger(tmp_path)
    made.add(message(hit()))
    whole = (tmp_path / "ledger.jsonl").read_text()
    (tmp_path / "ledger.jsonl").write_text(f'{whole[:40]}\n[]\n{{"at": 1, "more": 2}}\n\0\n{whole}')
    assert len(list(entries(tmp_path))) == 1


def test_the_file_is_private_and_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "FILE_BYTES", 2000)
    made = Ledger(tmp_path / "state")
    for number in range(100):
        made.add(message(hit(number)))
    files = list((tmp_path / "state").iterdir())
    assert sorted(file.name for file in files) == ["ledger.1.jsonl", "ledger.jsonl"]
    assert all(file.stat().st_size < 4000 and stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert list(entries(tmp_path / "state"))[-1].records[0].id == "99.md"


def test_a_place_where_nothing_can_be_written_costs_the_memory_of_restarts_only(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, where the folder would be")
    made = Ledger(tmp_path / "state")
    made.add(message(hit()))
    assert made.why_not_again("s", hit(), 10)


def test_only_so_many_sessions_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "SESSIONS", 3)
    made = Ledger(tmp_path)
    for number in range(5):
        made.add(message(hit(), session=str(number)))
    assert [bool(made.why_not_again(str(number), hit(), 10)) for number in range(5)] == [False, False, True, True, True]


def test_statistics_count_messages_only() -> None:
    noted = [message(hit(), hit(4)), *(message() for _ in range(3)), Entry(now(), "s", "claude-code", "/shop", "forget")]
    made = Statistics.of(noted)
    assert (made.messages, made.silent, made.reasons, made.records) == (4, 3, {"nothing related": 3}, 2)
    assert made.latencies == {"p50": 12.5, "p95": 12.5, "p99": 12.5}
    assert made.bytes_per_message == 100


def test_statistics_of_nothing_are_zero() -> None:
    assert Statistics.of([]).messages == 0


def test_a_line_leaves_out_what_is_empty() -> None:
    assert json.loads(message().to_json()).keys() == {
        "at",
        "session",
        "agent",
        "project",
        "moment",
        "bytes",
        "milliseconds",
        "silent",
    }


PAYLOAD = {
    "session_id": "s",
    "transcript_path": "/home/ada/.claude/projects/-shop/s.jsonl",
    "cwd": "/shop",
    "model": {"id": "opus", "display_name": "é"},
    "workspace": {"current_dir": "/shop", "project_dir": "/shop", "added_dirs": []},
    "cost": {"total_cost_usd": 0.1},
    "context_window": {"current_usage": None},
}


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (json.dumps(PAYLOAD), "citator: 2 records, 1 superseded\n"),
        (json.dumps(PAYLOAD, ensure_ascii=False), "citator: 2 records, 1 superseded\n"),
        (json.dumps({**PAYLOAD, "session_id": "quiet"}), ""),
        (json.dumps({**PAYLOAD, "session_id": "nobody"}), ""),
        (json.dumps({**PAYLOAD, "session_id": ["s"]}), ""),
        (json.dumps({"session_id": ""}), ""),
        ("{}", ""),
        ("[]", ""),
        ("{", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize(
    "command", [statusline_command(), [sys.executable, "-c", "from citator.cli import main; main(['statusline'])"]]
)
def test_the_status_line_tells_of_the_last_message(home: Path, command: list[str], given: str, printed: str) -> None:
    made = Ledger(state_folder())
    replaced = Verdict("4.md", Status.SUPERSEDED)
    made.add(message(hit()))
    made.add(message(hit(), replace(hit(4, SUPERSEDED), verdict=replaced)))
    made.add(Entry(now(), "s", "claude-code", "/shop", "read", bytes=10))
    made.add(message(hit(), session="quiet"))
    made.add(message(session="quiet"))
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=True)
    assert (done.stdout.decode(), done.stderr) == (printed, b"")


@pytest.mark.parametrize("given", ["garbage", "[]", "null", '{"session_id": 5}', ""])
def test_the_status_line_tells_in_a_line_what_is_wrong_where_asked(home: Path, given: str) -> None:
    command = [sys.executable, "-c", "import sys; from citator.cli import main; sys.exit(main(['statusline', '--verbose']))"]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    [line] = done.stderr.splitlines()
    assert (done.returncode, line.startswith("citator: standard input: ")) == (1, True)


def test_the_log_names_the_project_and_what_was_handed_over(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Ledger(state_folder())
    made.add(Entry(now(), "s", "claude-code", "/shop", "start", bytes=411))
    made.forget("s")
    assert main(["log"]) == 0
    told = capsys.readouterr().out
    assert "claude-code   /shop\n    start: the decisions in force, 411 bytes\n" in told
    assert "    forget: the session no longer has what it was shown\n" in told


def test_the_status_line_is_silent_without_a_ledger(home: Path) -> None:
    done = subprocess.run(statusline_command(), input=json.dumps(PAYLOAD).encode(), capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
