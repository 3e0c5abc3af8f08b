"""Claude Code's notes about a project become records, whatever form they are in, and nobody else's do."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from citator.api import Problems, Record, SourceError
from citator.project import project_of
from citator_plugins._claude import is_slug_of, slug
from citator_plugins.memory import Memory

SAMPLES = Path(__file__).parents[3] / "shared" / "contracts" / "samples" / "claude" / "projects"


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


def note(claude: Path, project: Path, name: str, content: str | bytes) -> Path:
    """Writes a note of a project, as Claude Code would."""
    path = claude / slug(str(project)) / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (1_780_000_000, 1_780_000_000))  # 2026-05-28
    return path


def session(claude: Path, name: str, cwd: Path, number: int = 1) -> None:
    """Writes a transcript that says where it ran into the folder of this name."""
    (claude / name).mkdir(exist_ok=True)
    record = {"type": "user", "cwd": str(cwd), "message": {"role": "user", "content": "hello"}, "uuid": str(number)}
    (claude / name / f"00000000-0000-4000-8000-{number:012}.jsonl").write_text(json.dumps(record) + "\n")


def load(project: Path, problems: Problems | None = None) -> list[Record]:
    return list(Memory(type="memory", project=project).load(Problems() if problems is None else problems))


NEW = """---
name: deploy-day
description: deploys happen on friday
metadata:
  node_type: memory
  type: project
  modified: 2026-03-01T14:30:27.043Z
---

Deploys are on Fridays.
**Why:** low traffic.
"""
FLAT = "---\nname: style\ndescription: tabs, never spaces\ntype: feedback\n---\nUse tabs.\n"
BROKEN = """---
name: ports
description: the port: 8080, "by default
type: reference
metadata:
  modified: 2026-02-03
---
Use 8080.
"""


@pytest.mark.parametrize(
    ("content", "title", "description", "date", "text"),
    [
        (NEW, "deploy-day", "deploys happen on friday", "2026-03-01", "Deploys are on Fridays.\n**Why:** low traffic."),
        (FLAT, "style", "tabs, never spaces", "2026-05-28~", "Use tabs."),
        (BROKEN, "ports", 'the port: 8080, "by default', "2026-02-03", "Use 8080."),
        ("just a line\n", "some_note", "", "2026-05-28~", "just a line"),
        ("# The *cache* is [Redis](x.md) #\n\nOn port 1.", "The *cache* is Redis", "", "2026-05-28~", None),
        ("intro\n```\n# no heading\n```\nReal one\n===\n", "Real one", "", "2026-05-28~", None),
        ("---\nnever closed\n", "some_note", "", "2026-05-28~", "---\nnever closed"),
        (NEW.replace("\n", "\r\n"), "deploy-day", "deploys happen on friday", "2026-03-01", None),
        ("---\n- a\n- list\n---\nbody", "some_note", "", "2026-05-28~", "body"),
        ("---\nname: alone\n---\n", "alone", "", "2026-05-28~", ""),
        ("---\ndate: 2026-13-45\nname: yes\n---\nx", "yes", "", "2026-05-28~", "x"),
        ("---\na: " + "[" * 2000 + "\nname: deep\n---\nx", "deep", "", "2026-05-28~", "x"),
        ("ありがとう".encode("utf-16"), "some_note", "", "2026-05-28~", "ありがとう"),
        (b"\xef\xbb\xbf---\nname: marked\n---\nbody", "marked", "", "2026-05-28~", "body"),
        ("# Größe der Datei\n\nHöchstens zwei Megabyte.".encode("latin-1"), "Größe der Datei", "", "2026-05-28~", None),
    ],
)  # fmt: skip
def test_a_note_of_any_form_becomes_a_record(
    claude: Path, project: Path, content: str | bytes, title: str, description: str, date: str, text: str | None
) -> None:
    path = note(claude, project, "some_note.md", content)
    problems = Problems()
    [record] = load(project, problems)
    assert (record.title, record.description, record.date, record.kind) == (title, description, date, "memory")
    assert text is None or record.text == text
    assert record.path == str(path)
    assert record.id == f"{slug(str(project))}/memory/some_note.md"
    assert problems.lines == []


def test_index_and_claude_md_are_no_records_and_an_empty_note_is_none(claude: Path, project: Path) -> None:
    for name in ("MEMORY.md", "Claude.MD", "empty.md", "picture.png", ".hidden.md"):
        note(claude, project, name, "" if name == "empty.md" else "text")
    note(claude, project, "logs/one.md", "nested")
    assert [record.id.split("/memory/")[1] for record in load(project)] == ["logs/one.md"]


def test_the_index_describes_a_note_that_does_not_describe_itself(claude: Path, project: Path) -> None:
    index = (
        "---\nname: idx\n---\n<!-- hidden -->\n- [A](a.md) — what A is about\n* [B b](./b%20b.md): of B\n- [C](c.md)\nnext line\n"
    )
    note(claude, project, "memory.md", index)
    for name in ("a.md", "b b.md", "c.md"):
        note(claude, project, name, "text")
    note(claude, project, "d.md", FLAT)
    assert [record.description for record in load(project)] == ["what A is about", "of B", "", "tabs, never spaces"]


def test_private_spans_and_injected_blocks_do_not_get_into_a_record(claude: Path, project: Path) -> None:
    note(
        claude,
        project,
        "a.md",
        "---\nname: a\ndescription: open <private>SECRET</private> end\n---\n"
        "one <private>SECRET <private>SECRET</private> SECRET</private>two\n"
        "<system-reminder>\nINJECTED <system-reminder>INJECTED</system-reminder>\n</system-reminder>three <!-- INJECTED -->\n"
        "the `<system-reminder>` tag\n<Private >SECRET to the end",
    )
    [record] = load(project)
    assert record.description == "open end"
    assert record.text.split() == ["one", "two", "three", "the", "`<system-reminder>`", "tag"]


@pytest.mark.parametrize(
    "hostile",
    [
        "<private>",
        "</private><private>",
        "<!--",
        "<!---->",
        "<system-reminder ",
        "# [",
        "[](",
        "# x #",
        "---\n",
        "- [a](b",
        "# \t",
        "```\n",
    ],
)
def test_a_hostile_note_takes_no_longer_than_another(claude: Path, project: Path, hostile: str) -> None:
    content = hostile * (1_900_000 // len(hostile))
    note(claude, project, "a.md", content)
    note(claude, project, "b.md", f"---\nbroken: [\nx: {' ' * 900_000}y\n---\n# {' ' * 900_000}z")
    note(claude, project, "MEMORY.md", content)
    assert [record.id.rsplit("/", 1)[1] for record in load(project)][-1] == "b.md"


def test_a_touched_note_has_not_changed_but_an_edited_or_dated_one_has(claude: Path, project: Path) -> None:
    path = note(claude, project, "a.md", "text")
    [before] = load(project)
    os.utime(path, (1_790_000_000, 1_790_000_000))
    [touched] = load(project)
    assert touched.date != before.date
    assert touched.hash == before.hash
    note(claude, project, "a.md", "---\ndate: 2026-01-02\n---\ntext")
    [dated] = load(project)
    assert dated.hash != before.hash


def test_what_cannot_be_read_is_named_and_its_record_kept(claude: Path, project: Path) -> None:
    binary = note(claude, project, "binary.md", b"\x89PNG\x00\x00")
    note(claude, project, "huge.md", b"x" * 2_100_000)
    note(claude, project, "good.md", "good")
    os.mkfifo(binary.with_name("pipe.md"))
    (binary.with_name("loop.md")).symlink_to("loop.md")
    (binary.with_name("gone.md")).symlink_to("nowhere.md")
    problems = Problems()
    assert [record.text for record in load(project, problems)] == ["good"]
    names = ["binary.md", "gone.md", "huge.md", "loop.md", "pipe.md"]
    assert problems.kept == {f"{slug(str(project))}/memory/{name}" for name in names}
    assert [line.split(": ")[0] for line in problems.lines] == [str(binary.with_name(name)) for name in names]
    assert all("\n" not in line for line in problems.lines)
    assert "2.1 MB" in problems.lines[2]


def test_a_missing_root_is_an_error_that_says_what_to_do(home: Path, project: Path) -> None:
    with pytest.raises(SourceError, match=r"projects: cannot be listed .*correct `path:`"):
        load(project)


def test_a_project_without_notes_has_none(claude: Path, project: Path) -> None:
    assert load(project) == []


def test_worktrees_and_subfolders_share_the_notes_of_their_repository(claude: Path, tmp_path: Path) -> None:
    main = tmp_path / "main"
    (main / "src").mkdir(parents=True)
    for command in (
        "init -q",
        "-c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x",
        "worktree add -q ../feature",
    ):
        subprocess.run(["git", *command.split()], cwd=main, check=True, capture_output=True)
    note(claude, main, "a.md", "text")
    for folder in (main, main / "src", tmp_path / "feature"):
        assert [record.text for record in load(folder)] == ["text"]
        assert [found.what for found in Memory.discover(folder)] == ["notes of this project: 1"]
        assert Memory(type="memory", project=folder).key == Memory(type="memory", project=main).key
    assert list(Memory.discover(tmp_path)) == []


@pytest.mark.parametrize(("mine", "other"), [("אבג", "דהו"), ("a.b", "a-b"), ("x" * 250 + "1", "x" * 250 + "2")])
def test_another_projects_notes_stay_out_even_under_the_same_name(claude: Path, tmp_path: Path, mine: str, other: str) -> None:
    here, there = tmp_path / mine[:120] / mine[120:] / "p", tmp_path / other[:120] / other[120:] / "p"
    here.mkdir(parents=True)
    there.mkdir(parents=True)
    name = slug(str(there))[:200] + ("-abc123" if len(slug(str(there))) > 200 else "")
    assert is_slug_of(name, str(here))
    (claude / name / "memory").mkdir(parents=True)
    (claude / name / "memory" / "a.md").write_text("text")
    assert len(load(here)) == 1, "nothing else tells whose it is"
    session(claude, name, there)
    assert load(here) == []
    assert len(load(there)) == 1
    session(claude, name, here, 2)
    assert len(load(here)) == 1, "both run under this name, and Claude Code itself gives the notes to both"


def test_the_project_is_told_by_where_sessions_ran_before_the_folders_name(claude: Path, project: Path, tmp_path: Path) -> None:
    (claude / "chosen-name" / "memory").mkdir(parents=True)
    (claude / "chosen-name" / "memory" / "a.md").write_text("text")
    assert load(project) == []
    session(claude, "chosen-name", project)
    assert len(load(project)) == 1
    assert load(tmp_path) == []


def test_notes_of_a_project_that_was_moved_go_by_the_folders_new_name(claude: Path, project: Path) -> None:
    note(claude, project, "a.md", "text")
    session(claude, slug(str(project)), Path("/gone/for/good"))
    assert len(load(project)) == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/u/proj", "-home-u-proj"),
        ("/home/u/my.app_2", "-home-u-my-app-2"),
        ("/שלום", "-----"),
        ("/a😀b", "-a--b"),
        ("/e\u0301", "-e-"),
    ],
)
def test_each_utf16_unit_that_is_no_ascii_letter_or_digit_is_a_dash(path: str, expected: str) -> None:
    assert slug(path) == expected


def test_the_users_own_place_for_notes_is_honoured(claude: Path, project: Path, home: Path) -> None:
    note(claude, project, "old.md", "old")
    (home / "kept").mkdir()
    (home / "kept" / "new.md").write_text("new")
    (claude.parent / "settings.json").write_text('{"autoMemoryDirectory": "~/kept"}')
    [record] = load(project)
    assert (record.text, record.id) == ("new", str(home / "kept" / "new.md"))
    (claude.parent / "settings.json").write_text('{"autoMemoryDirectory": ')
    assert [record.text for record in load(project)] == ["old"]


def test_claude_codes_folder_and_its_projects_folder_are_the_same_source(claude: Path, project: Path) -> None:
    note(claude, project, "a.md", "text")
    roots = {Memory(type="memory", path=path, project=project).root for path in (claude, claude.parent)}
    assert roots == {claude}


def test_without_a_project_the_notes_of_all_are_read(claude: Path, project: Path) -> None:
    note(claude, project, "a.md", "a")
    note(claude, project.parent, "a.md", "b")
    assert sorted(record.text for record in Memory(type="memory").load(Problems())) == ["a", "b"]


@pytest.mark.shared
def test_real_notes_are_found_by_the_folder_their_session_ran_in(home: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"needs {SAMPLES}")
    found = list(Memory(type="memory", path=SAMPLES, project=Path("/home/u/proj")).load(problems := Problems()))
    assert [(record.title, record.description, record.date[:10] > "2026") for record in found] == [
        ("fact-1", "database is postgres 16", True),
        ("new-fact", "deploys happen on friday", True),
        ("plain", "", True),
    ]
    assert problems.lines == []
    assert list(Memory(type="memory", path=SAMPLES, project=Path("/home/u/elsewhere")).load(Problems())) == []
    assert project_of(Path("/home/u/proj")) == Path("/home/u/proj")
