"""Any folder of Markdown documents becomes records; one that cannot be listed to its end is never taken for a smaller one."""

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from citator.api import Problems, Record, SourceError
from citator_plugins.markdown import Markdown


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def load(folder: Path, problems: Problems | None = None, **options: object) -> list[Record]:
    source = Markdown.model_validate({"type": "markdown", "path": folder, **options})
    return list(source.load(Problems() if problems is None else problems))


def ids(folder: Path, **options: object) -> list[str]:
    return [record.id for record in load(folder, **options)]


def test_title_description_and_date_come_from_the_document(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "---\ntitle: Name things well\nsummary: short and true\ndate: 2026-02-03T10:00:00Z\n---\n# Other\nBody.",
            "b.md": "Intro.\n\n## Retry with [backoff](x.md)\n\nBody.",
            "c c.md": "No heading.",
        },
    )
    a, b, c = load(tmp_path, kind="rule")
    assert (a.kind, a.title, a.description, a.date) == ("rule", "Name things well", "short and true", "2026-02-03")
    assert a.text == "# Other\nBody."
    assert (b.title, b.description, b.date) == ("Retry with backoff", "", "")
    assert (c.id, c.title, c.path) == ("c c.md", "c c", str(tmp_path / "c c.md"))


def test_nested_folders_are_read_and_dot_folders_other_files_and_empty_files_are_not(tmp_path: Path) -> None:
    names = ["z.md", "go/errors.md", "go/deep/er/one.MD", "x.markdown", ".git/a.md", "go/.obsidian/b.md", ".c.md", "d.txt"]
    write(tmp_path, dict.fromkeys(names, "text") | {"empty.md": " \n"})
    assert ids(tmp_path) == ["go/deep/er/one.MD", "go/errors.md", "x.markdown", "z.md"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"include": ["*.txt"]}, ["go/c.txt"]),
        ({"include": ["go/*"]}, ["go/b.md", "go/c.txt", "go/drafts/d.md"]),
        ({"include": ["go/*.md"]}, ["go/b.md"]),
        ({"include": ["**/d.md"]}, ["drafts/d.md", "go/drafts/d.md"]),
        ({"include": ["[a-b].md"]}, ["a.md", "go/b.md"]),
        ({"include": ["?.md"], "exclude": ["go/**"]}, ["a.md", "drafts/d.md"]),
        ({"exclude": ["drafts"]}, ["a.md", "go/b.md"]),
        ({"exclude": ["/drafts/"]}, ["a.md", "go/b.md", "go/drafts/d.md"]),
        ({"exclude": ["[!a].md"]}, ["a.md"]),
    ],
)
def test_globs_choose_the_files(tmp_path: Path, options: dict[str, object], expected: list[str]) -> None:
    write(tmp_path, dict.fromkeys(["a.md", "drafts/d.md", "go/b.md", "go/c.txt", "go/drafts/d.md"], "text"))
    assert ids(tmp_path, **options) == expected


def test_a_linked_folder_is_read_once_and_loops_end(tmp_path: Path) -> None:
    shared = write(tmp_path / "shared", {"b.md": "text"})
    root = write(tmp_path / "rules", {"a.md": "text"})
    (root / "team").symlink_to(shared)
    (root / "team-again").symlink_to(shared)
    (root / "self").symlink_to(root)
    (root / "up").symlink_to(tmp_path)
    (shared / "back").symlink_to(root)
    (root / "itself").symlink_to("itself")
    with pytest.raises(SourceError, match="itself: a link to nothing"):
        load(root)
    (root / "itself").unlink()
    assert ids(root) == ["a.md", "team/b.md"]


def test_a_linked_folder_that_is_not_mounted_is_an_error_after_the_rest_was_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "text", "z.md": "text"})
    (tmp_path / "team").symlink_to("/not/mounted")
    records = Markdown(type="markdown", path=tmp_path).load(Problems())
    assert [next(records).id, next(records).id] == ["a.md", "z.md"]
    with pytest.raises(SourceError, match="team: a link to nothing; mount what it leads to"):
        next(records)
    assert ids(tmp_path, exclude=["team"]) == ["a.md", "z.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_may_not_be_listed_is_an_error_after_the_rest_was_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "text", "locked/b.md": "text"})
    (tmp_path / "locked").chmod(0)
    try:
        with pytest.raises(SourceError, match="locked: cannot be listed"):
            load(tmp_path)
    finally:
        (tmp_path / "locked").chmod(0o700)


@pytest.mark.parametrize("name", ["missing", "a.md"])
def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"a.md": "text"})
    with pytest.raises(SourceError, match="no such folder; mount it, or correct the `path:`"):
        load(tmp_path / name)


def test_a_file_that_cannot_be_read_keeps_its_record_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "text"})
    (tmp_path / "a.md").write_bytes(b"PK\x03\x04\x00\x00")
    problems = Problems()
    assert [record.id for record in load(tmp_path, problems)] == ["b.md"]
    assert problems.kept == {"a.md"}
    assert problems.lines == [f"{tmp_path / 'a.md'}: is no text file; move it away"]


def test_an_io_error_is_told_in_a_line(tmp_path: Path) -> None:
    if not Path("/proc/self/mem").exists():
        pytest.skip("needs /proc/self/mem, whose first page cannot be read")
    (tmp_path / "a.md").symlink_to("/proc/self/mem")
    problems = Problems()
    assert load(tmp_path, problems) == []
    assert problems.kept == {"a.md"}
    assert "cannot be read (Input/output error)" in problems.lines[0]


def test_a_name_that_is_no_utf8_is_shown_with_replacements(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("text")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    [record] = load(tmp_path)
    assert (record.id, record.title) == ("caf�.md", "caf�")
    record.path.encode()


def test_a_kind_may_not_be_empty(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        Markdown(type="markdown", path=tmp_path, kind="")


def test_folders_of_rules_and_runbooks_are_offered_with_their_kind(tmp_path: Path) -> None:
    write(
        tmp_path, {"rules/a.md": "text", "docs/runbooks/b.md": "text", "docs/runbooks/c.md": "text", "docs/standards/x.txt": ""}
    )
    assert [(found.options, found.what) for found in Markdown.discover(tmp_path)] == [
        ({"path": "rules", "kind": "rule"}, "Markdown files in rules: 1"),
        ({"path": "docs/runbooks", "kind": "runbook"}, "Markdown files in docs/runbooks: 2"),
    ]
