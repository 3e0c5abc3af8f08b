"""A session becomes a date and a title, whatever state its transcript is in, and nothing of what was said gets further."""

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from citator.api import Problems, Record, SourceError
from citator_plugins import _transcripts
from citator_plugins._claude import slug
from citator_plugins._remembered import Remembered
from citator_plugins._transcripts import Transcript, shortened
from citator_plugins.conversations import Conversations

SAMPLES = Path(__file__).parents[3] / "shared" / "contracts" / "samples" / "claude" / "projects"

Line = dict[str, object] | str | bytes


@pytest.fixture
def claude(home: Path) -> Path:
    """Claude Code's `projects` folder in an empty home."""
    projects = home / ".claude" / "projects"
    projects.mkdir(parents=True)
    return projects


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is no repository."""
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


def said(text: object, by: str = "user", **more: object) -> dict[str, object]:
    """A message record; the test's writer adds where it was said."""
    return {"type": by, "message": {"role": by, "content": text}, "timestamp": "2026-05-12T23:59:00.000Z", **more}


def as_bytes(line: Line, cwd: Path) -> bytes:
    if isinstance(line, dict):
        message = {"cwd": str(cwd), "isSidechain": False, "uuid": f"u-{line}"} if "message" in line else {}
        return json.dumps({**message, **line}, separators=(",", ":")).encode()
    return line.encode() if isinstance(line, str) else line


def transcript(claude: Path, cwd: Path, lines: list[Line], number: int = 1, end: bytes = b"\n") -> Path:
    """Writes a transcript of a session in `cwd`; a later number was talked in later."""
    path = claude / slug(str(cwd)) / f"00000000-0000-4000-8000-{number:012}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\n".join(as_bytes(line, cwd) for line in lines) + end)
    os.utime(path, (1_780_000_000 + number, 1_780_000_000 + number))
    return path


def load(project: Path, problems: Problems | None = None) -> list[Record]:
    return list(Conversations(type="conversations", project=project).load(Problems() if problems is None else problems))


def titles(project: Path) -> list[str]:
    return [record.title for record in load(project)]


PROMPT = said("Why does the login form fail?")
CUSTOM = {"type": "custom-title", "customTitle": "Login form"}
AI = {"type": "ai-title", "aiTitle": "Fixing the login"}
LAST = {"type": "last-prompt", "lastPrompt": "and commit it"}
SUMMARY = {"type": "summary", "summary": "Login repaired", "leafUuid": "x"}
COMMAND = said(
    "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>now</command-args>"
)


def test_a_session_is_a_dated_title_and_nothing_else(claude: Path, project: Path) -> None:
    path = transcript(claude, project, [{"type": "mode"}, PROMPT, said("because SECRET", "assistant"), AI])
    [record] = load(project)
    assert record == Record(
        id="00000000-0000-4000-8000-000000000001",
        kind="conversation",
        title="Fixing the login",
        date="2026-05-12",
        path=str(path),
    )


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([PROMPT, SUMMARY, LAST, AI, CUSTOM], "Login form"),
        ([CUSTOM, PROMPT, {**CUSTOM, "customTitle": "Renamed"}, AI], "Renamed"),
        ([CUSTOM, PROMPT, {**CUSTOM, "customTitle": ""}, AI], "Fixing the login"),
        ([AI, PROMPT, SUMMARY, LAST, {**AI, "aiTitle": "Newer"}], "Newer"),
        ([PROMPT, SUMMARY, {**LAST, "lastPrompt": "earlier"}, LAST], "and commit it"),
        ([PROMPT, LAST, {**LAST, "lastPrompt": "/compact"}, {**LAST, "lastPrompt": "! ls"}], "and commit it"),
        ([PROMPT, SUMMARY], "Login repaired"),
        ([PROMPT], "Why does the login form fail?"),
        ([COMMAND, PROMPT], "Why does the login form fail?"),
        ([COMMAND, said("done", "assistant")], "/review"),
    ],
)
def test_the_title_is_chosen_in_the_clients_order(claude: Path, project: Path, lines: list[Line], title: str) -> None:
    transcript(claude, project, lines)
    assert titles(project) == [title]


def test_a_title_that_the_user_gave_is_read_from_its_own_file(claude: Path, project: Path) -> None:
    path = transcript(claude, project, [PROMPT, CUSTOM])
    path.with_suffix("").mkdir()
    named = path.with_suffix("") / "custom-title.json"
    named.write_text('{"customTitle": "By hand", "by": "user"}')
    assert titles(project) == ["By hand"]
    for broken in ('{"customTitle": ', "[]", '{"customTitle": 3}', "{}"):
        named.write_text(broken)
        assert titles(project) == ["Login form"]


@pytest.mark.parametrize(
    "machine_made",
    [
        said("<bash-input>ls</bash-input>"),
        said("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"),
        said("<local-command-stdout>Compacted</local-command-stdout>"),
        said("<local-command-stdout>never closed"),
        said("<task-notification>\n<task-id>1</task-id></task-notification>", promptSource="system"),
        said("a task ended", origin={"kind": "task-notification"}),
        said("a task ended", turnOrigin="task_notification"),
        said("<system-reminder>\nThe user named this session\n</system-reminder>"),
        said("<ide_opened_file>The user opened x.py</ide_opened_file>"),
        said("[Request interrupted by user]"),
        said("Caveat: The messages below were generated by the user while running local commands."),
        said("expanded command", isMeta=True),
        said("This session is being continued from", isCompactSummary=True),
        said("shown only", isVisibleInTranscriptOnly=True),
        said([{"type": "tool_result", "content": "x"}, {"type": "text", "text": "not asked"}]),
        said([{"type": "image", "source": {}}]),
        said("of a subagent", isSidechain=True, agentId="a"),
        said(None),
        said(["odd", 3]),
        {"type": "user", "message": "odd"},
        said("   \n"),
    ],
)
def test_what_a_machine_wrote_is_no_title(claude: Path, project: Path, machine_made: Line) -> None:
    transcript(claude, project, [said("hello", "assistant"), machine_made, PROMPT])
    assert titles(project) == ["Why does the login form fail?"]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ([{"type": "text", "text": "<ide_selection>x = 1</ide_selection>"}, {"type": "text", "text": "rename x"}], "rename x"),
        ("<system-reminder>INJECTED</system-reminder>\nfix  the\n\ttests", "fix the tests"),
        ("my <private>SECRET</private>question <private>SECRET", "my question"),
        ("/etc/hosts is wrong, why?", "/etc/hosts is wrong, why?"),
        ("what does <div> mean?", "what does <div> mean?"),
        ("tell me about שלום 👨‍👩‍👧", "tell me about שלום 👨‍👩‍👧"),
        ("broken \ud83d half", "broken � half"),
        ("x" * 100, "x" * 79 + "…"),
        ("word " * 30, ("word " * 15 + "word").ljust(79) [:79] + "…"),
    ],
)  # fmt: skip
def test_a_prompt_that_stands_in_for_a_title_is_one_clean_line_of_at_most_80_characters(
    claude: Path, project: Path, content: object, title: str
) -> None:
    transcript(claude, project, [said(content)])
    [found] = titles(project)
    assert found == title
    assert len(found) <= 80
    found.encode()


@pytest.mark.parametrize("tail", ["e\u0301\u0301\u0301", "👨\u200d👩\u200d👧\u200d👦"])
@pytest.mark.parametrize("before", range(72, 80))
def test_a_prompt_is_not_cut_within_a_character(before: int, tail: str) -> None:
    cut = shortened("x" * before + tail + "y" * 20)
    assert cut in ("x" * before + "…", "x" * before + tail + "…", "x" * before + tail + "y" * (79 - before - len(tail)) + "…")


GOOD = json.dumps({**PROMPT, "cwd": "CWD", "uuid": "u1"}, separators=(",", ":"))
GLUED = '{"type":"pr-link","sessionId":"x","prNu' + GOOD
GLUED_INSIDE = '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"hi' + GOOD


@pytest.mark.parametrize(
    "broken",
    [
        [GLUED],
        [GLUED_INSIDE],
        [json.dumps({"type": "mode"}) + GOOD],
        [GOOD + json.dumps({"type": "mode"})],
        ["\0" * 3000 + GOOD],
        [GOOD[:20] + "\0\0" + GOOD[20:]],
        ["{" + "[" * 5000, GOOD],
        ["", "not json", "[]", "null", '"user"', "{}", '{"type":"user"}', '{"type":["user"]}', GOOD],
        ['{"type":"user","message":{"role":"user","content":"cut of', GOOD],
        [b"\xff\xfe\x80 \"user\" ", GOOD],
        ['{"n":' + "9" * 5000 + ',"x":"user"}', GOOD],
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n"])
def test_a_broken_line_costs_no_other(claude: Path, project: Path, broken: list[Line], end: bytes) -> None:
    lines = [line.replace("CWD", str(project)) if isinstance(line, str) else line for line in broken]
    transcript(claude, project, lines, end=end)
    assert [(record.title, record.date) for record in load(project)] == [("Why does the login form fail?", "2026-05-12")]


def test_a_record_that_is_being_written_waits_for_its_end(claude: Path, project: Path) -> None:
    path = transcript(claude, project, [PROMPT, '{"type":"custom-title","customTi'], end=b"")
    assert titles(project) == ["Why does the login form fail?"]
    with path.open("ab") as file:
        file.write(b'tle":"Whole now"}\n')
    assert titles(project) == ["Whole now"]


def test_what_is_no_session_has_no_record(claude: Path, project: Path) -> None:
    transcript(claude, project, [{"type": "mode"}, LAST, CUSTOM], 1)
    transcript(
        claude, project, [said("look at src", isSidechain=True, agentId="a"), said("ok", "assistant", isSidechain=True)], 2
    )
    transcript(claude, project, [], 3, end=b"")
    transcript(claude, project, [said("hello", "assistant")], 4)
    folder = claude / slug(str(project))
    for name in ("agent-1234.jsonl", "notes.jsonl", "sessions-index.json", "00000000-0000-4000-8000-000000000009.jsonl.bak"):
        (folder / name).write_text(GOOD.replace("CWD", str(project)) + "\n")
    inner = folder / "00000000-0000-4000-8000-000000000009" / "subagents"
    inner.mkdir(parents=True)
    (inner / "agent-5.jsonl").write_text(GOOD.replace("CWD", str(project)) + "\n")
    (folder / "00000000-0000-4000-8000-000000000010.jsonl").mkdir()
    os.mkfifo(folder / "00000000-0000-4000-8000-000000000011.jsonl")
    assert load(project) == []


def test_a_file_that_is_no_transcript_is_named(claude: Path, project: Path) -> None:
    path = transcript(claude, project, [b"\x89PNG\x00\x01"])
    problems = Problems()
    assert load(project, problems) == []
    assert problems.lines == [f"{path}: is no transcript; left out"]
    assert problems.kept == {path.stem}


def test_the_session_last_talked_in_comes_first(claude: Path, project: Path) -> None:
    (project / "src").mkdir()
    for number, cwd in ((1, project), (3, project), (2, project)):
        transcript(claude, cwd, [said(f"question {number}", uuid=str(number))], number)
    assert titles(project) == ["question 3", "question 2", "question 1"]


def test_a_forked_copy_is_one_session_until_the_user_names_it(claude: Path, project: Path) -> None:
    transcript(claude, project, [PROMPT], 1)
    transcript(claude, project, [PROMPT, said("and now?")], 2)
    transcript(claude, project, [PROMPT, {**CUSTOM, "customTitle": "My fork"}], 3)
    assert [(record.id[-1], record.title) for record in load(project)] == [
        ("3", "My fork"),
        ("2", "Why does the login form fail?"),
    ]


def test_sessions_without_ids_in_their_messages_are_no_copies(claude: Path, project: Path) -> None:
    for number in (1, 2):
        transcript(claude, project, [GOOD.replace("CWD", str(project)).replace('"uuid":"u1"', '"x":1')], number)
    assert len(load(project)) == 2


def test_only_sessions_that_ran_in_the_project_are_its_own(claude: Path, project: Path) -> None:
    other = project.parent / "shop-two"
    other.mkdir()
    transcript(claude, project, [PROMPT], 1)
    moved = transcript(claude, other, [said("of the other", uuid="o")], 2)
    (claude / slug(str(project)) / moved.name).write_bytes(moved.read_bytes())
    assert titles(project) == ["Why does the login form fail?"]
    assert titles(other) == ["of the other"]


def test_sessions_of_a_removed_worktree_and_of_subfolders_are_the_repositorys(claude: Path, project: Path) -> None:
    git = project / ".git"
    for name in ("objects", "refs"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    for number, inside in enumerate((".claude/worktrees/gone", "src"), 1):
        transcript(claude, project / inside, [said(f"in {inside}", uuid=inside)], number)
    assert titles(project) == titles(project / "docs") == ["in src", "in .claude/worktrees/gone"]
    assert [found.what for found in Conversations.discover(project)] == ["transcripts of this project: 2"]
    assert list(Conversations.discover(project.parent)) == []


def test_a_message_without_a_time_is_dated_by_the_file(claude: Path, project: Path) -> None:
    transcript(claude, project, [{**PROMPT, "timestamp": "yesterday"}])
    [record] = load(project)
    assert record.date == "2026-05-28~"


def test_a_missing_root_is_an_error_that_says_what_to_do(home: Path, project: Path) -> None:
    with pytest.raises(SourceError, match=r"projects: cannot be listed .*correct `path:`"):
        load(project)


def test_gone_sessions_stay_in_the_store() -> None:
    assert Conversations.keep_gone


def test_huge_lines_and_files_take_little_memory(claude: Path, project: Path) -> None:
    huge = b'{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"' + b"x" * 40_000_000 + b'"}]}}'
    transcript(claude, project, [huge, PROMPT, huge, AI])
    del huge
    tracemalloc.start()
    try:
        assert titles(project) == ["Fixing the login"]
        assert tracemalloc.get_traced_memory()[1] < 4 * _transcripts.LONGEST_LINE
    finally:
        tracemalloc.stop()


def test_only_what_was_appended_is_read_again(claude: Path, project: Path) -> None:
    path = transcript(claude, project, [PROMPT, said("x" * 9000, "assistant"), AI])
    assert titles(project) == ["Fixing the login"]
    # The title is overwritten behind the head that is checked: that nobody notices shows that it is not read a second time.
    path.write_bytes(path.read_bytes().replace(b"Fixing the login", b"Never to be read") + b'{"type":"mode"}\n')
    assert titles(project) == ["Fixing the login"]
    with path.open("ab") as file:
        file.write(as_bytes(CUSTOM, project) + b"\n")
    assert titles(project) == ["Login form"]


@pytest.mark.parametrize(
    "change",
    [
        lambda path, text: path.write_text(text.replace("Fixing", "Mending")[:-1] + " \n"),
        lambda path, text: path.write_text(text.splitlines(keepends=True)[0].replace("login", "other")),
        lambda path, text: (path.unlink(), path.write_text(text.replace("Fixing", "Mending"))),
    ],
    ids=["rewritten", "cut short", "replaced"],
)
def test_a_transcript_that_was_not_merely_appended_to_is_read_whole(
    claude: Path, project: Path, change: Callable[[Path, str], object]
) -> None:
    path = transcript(claude, project, [PROMPT, AI])
    before = titles(project)
    change(path, path.read_text())
    os.utime(path, (1_780_009_000, 1_780_009_000))
    assert titles(project) != before


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}', '{"a": [[1, 2, 3], "", {"nonsense": 1}]}', "null", "\0"])
def test_what_is_remembered_may_be_broken_or_deleted(claude: Path, project: Path, home: Path, content: str) -> None:
    transcript(claude, project, [PROMPT])
    first = load(project)
    [kept] = (home / ".cache" / "citator").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_text(content)
    assert load(project) == first
    kept.unlink()
    assert load(project) == first


def test_nothing_is_missed_where_nothing_can_be_remembered(claude: Path, project: Path, home: Path) -> None:
    (home / ".cache").write_text("a file where the folder should be")
    transcript(claude, project, [PROMPT])
    assert titles(project) == titles(project) == ["Why does the login form fail?"]


def test_what_one_project_skipped_another_still_finds(claude: Path, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    transcript(claude, other, [said("first"), AI])
    assert titles(project) == []
    assert titles(other) == ["Fixing the login"]
    assert titles(project) == []


def test_a_transcript_that_vanishes_while_it_is_read_is_an_os_error(tmp_path: Path) -> None:
    with Remembered(tmp_path) as remembered, pytest.raises(FileNotFoundError):
        remembered.read(tmp_path / "gone.jsonl", lambda _: True)


def test_a_title_far_inside_a_transcript_counts(claude: Path, project: Path) -> None:
    filler = [said("y" * 5000, "assistant")] * 40
    transcript(claude, project, [PROMPT, *filler, CUSTOM, *filler])
    assert titles(project) == ["Login form"]
    assert Transcript().title == ""


@pytest.mark.shared
def test_real_transcripts_give_their_titles(home: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"needs {SAMPLES}")

    def found(project: str) -> list[tuple[str, str]]:
        source = Conversations(type="conversations", path=SAMPLES, project=Path(project))
        return [(record.date, record.title) for record in source.load(Problems())]

    assert found("/home/u/proj") == [("2026-11-30", "my-renamed-session")]
    assert found("/home/u/lab/p/d_ev") == [("2026-11-30", "use a subagent")]
    assert found("/home/u/lab") == []
