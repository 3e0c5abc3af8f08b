"""The user's own past messages, recalled again in memory."""

import io
import json
from pathlib import Path

import pytest

from citator.cli import main
from citator_plugins._claude import slug

QUEUE = "Which queue do the background job workers take their jobs from, a RabbitMQ queue or a table?"


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a note, and transcripts of two sessions in it."""
    folder = home / "shop"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "queue.md").write_text("# Background jobs\n\nWorkers take their background jobs from a RabbitMQ queue.\n")
    (folder / "pipeline.yaml").write_text("sources: [{type: markdown, path: notes}, conversations]\n")
    sessions = home / ".claude" / "projects" / slug(str(folder))
    sessions.mkdir(parents=True)
    asked = [
        ["Write a limerick about a cat in Venice", QUEUE, QUEUE, "<task-notification>done</task-notification>", "ok"],
        [f"<system-reminder>{QUEUE}</system-reminder>Write a haiku about autumn in Kyoto"],
    ]
    for number, messages in enumerate(asked):
        lines = [{"type": "user", "cwd": str(folder), "message": {"role": "user", "content": text}} for text in messages]
        file = sessions / f"00000000-0000-4000-8000-{number:012}.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    monkeypatch.chdir(folder)
    assert main(["sync", "--config", "pipeline.yaml"]) == 0
    return folder


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["replay", "--config", "pipeline.yaml", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_past_messages_are_answered_as_they_would_have_been_and_nothing_twice_in_a_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = json.loads(replayed(capsys, "--json"))
    handed = {each["message"]: each["records"] for each in made["replayed"] if each["records"]}
    assert handed == {QUEUE: ["queue.md"]}
    assert (made["messages"], made["silent"]) == (5, 4)
    assert made["bytes_median"] > 0
    assert "messages  5, 4 of them answered with nothing (80%)" in replayed(capsys)
    assert json.loads(replayed(capsys, "--json", "--last", "1"))["messages"] == 1


def test_those_that_the_user_marks_become_cases(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert "1 cases added to cases.jsonl" in replayed(capsys, "--save", "cases.jsonl")
    assert json.loads((project / "cases.jsonl").read_text()) == {"message": QUEUE, "records": ["queue.md"], "kind": "replayed"}
    assert (project / "cases.jsonl").stat().st_mode & 0o777 == 0o600
    assert main(["eval", "cases.jsonl", "--config", "pipeline.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 1.0


def test_without_past_messages_it_says_where_they_would_come_from(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pipeline.yaml").write_text("sources: [{type: markdown, path: notes}]\n")
    assert main(["replay", "--config", "pipeline.yaml"]) == 1
    assert "no past messages of this project: a source of type conversations" in capsys.readouterr().err
