"""The decision index: fresh on every call, and nothing unchanged is read again."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest

from citator.api import Declaration, Document, Place, Reading, SourceError, Status, StatusResolver
from citator.index import DecisionIndex
from citator.standings import row

READ: Counter[str] = Counter()


class Lines(StatusResolver):
    """Reads files whose only line is their status, and counts the readings."""

    def parse(self, path: str, text: str) -> Reading:
        READ[path] += 1
        return Reading((Document(path, label=path.removesuffix(".md")),), (Declaration(path, Place.HEADER, "status", text, 1),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    READ.clear()
    for name, text in (("1.md", "Accepted"), ("2.md", "Superseded by 1"), ("3.md", "Proposed")):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def index(folder: Path) -> DecisionIndex:
    made = DecisionIndex(folder, Lines(type="lines"))
    settle(folder)
    made.verdicts()
    READ.clear()
    return made


def settle(folder: Path) -> None:
    """Waits until the change times of the files tell a further change from the last one."""
    while time.time_ns() - max(path.stat().st_ctime_ns for path in folder.iterdir()) < 110_000_000:
        time.sleep(0.02)


def statuses(index: DecisionIndex) -> dict[str, str]:
    return {path: verdict.status.value for path, verdict in index.verdicts().items()}


def test_every_record_has_a_verdict_by_its_path(index: DecisionIndex) -> None:
    assert statuses(index) == {"1.md": "live", "2.md": "superseded", "3.md": "proposed"}
    assert index.documents()["2.md"].label == "2"


def test_nothing_unchanged_is_read_again(index: DecisionIndex) -> None:
    first = index.verdicts()
    assert index.verdicts() is first
    assert not READ


def test_only_the_file_that_changed_is_read_again(index: DecisionIndex, folder: Path) -> None:
    (folder / "3.md").write_text("Accepted")
    assert statuses(index)["3.md"] == "live"
    assert set(READ) == {"3.md"}


def test_a_file_put_back_with_its_old_size_and_time_is_seen(index: DecisionIndex, folder: Path) -> None:
    before = (folder / "1.md").stat()
    (folder / "1.md").write_text("Rejected")
    os.utime(folder / "1.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (folder / "1.md").stat().st_size == before.st_size
    assert statuses(index)["1.md"] == "rejected"


def test_two_changes_at_once_are_both_seen(index: DecisionIndex, folder: Path) -> None:
    for text, status in (("Rejected", "rejected"), ("Accepted", "live"), ("Declined", "rejected")) * 5:
        (folder / "1.md").write_text(text)
        assert statuses(index)["1.md"] == status


def test_a_record_that_is_gone_is_gone_and_a_new_one_is_there(index: DecisionIndex, folder: Path) -> None:
    (folder / "2.md").unlink()
    (folder / "4.md").write_text("Deprecated")
    assert statuses(index) == {"1.md": "live", "3.md": "proposed", "4.md": "deprecated"}


def test_a_file_that_cannot_be_read_is_told_and_the_rest_goes_on(index: DecisionIndex, folder: Path) -> None:
    (folder / "3.md").write_bytes(b"\0\1\2" * 50)
    assert statuses(index) == {"1.md": "live", "2.md": "superseded", "3.md": "unknown"}
    assert [str(caution) for caution in index.verdicts()["1.md"].warnings] == ["3 cannot be read and may replace this"]
    assert [str(caution) for caution in index.verdicts()["3.md"].warnings] == ["cannot be read"]
    assert [problem.partition(":")[0] for problem in index.problems()] == ["3.md"]


def test_a_file_that_cannot_be_read_is_not_live_by_default(folder: Path) -> None:
    (folder / "3.md").write_bytes(b"\0\1\2" * 50)
    assert statuses(DecisionIndex(folder, Lines(type="lines", default_status=Status.LIVE)))["3.md"] == "unknown"


def test_a_missing_folder_is_an_error_with_its_fix_and_comes_back(index: DecisionIndex, folder: Path) -> None:
    away = folder.rename(folder.with_name("away"))
    with pytest.raises(SourceError, match="there is no such folder; correct the path or mount it"):
        index.verdicts()
    away.rename(folder)
    assert statuses(index)["1.md"] == "live"


def test_a_link_to_a_file_is_no_record_of_its_own(index: DecisionIndex, folder: Path) -> None:
    (folder / "5.md").symlink_to(folder / "1.md")
    assert "5.md" not in statuses(index)


def test_a_link_to_another_file_of_the_repository_is_the_record_that_it_leads_to(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "1.md").write_text("Accepted")
    (folder / "1.md").symlink_to("../../1.md")
    index = DecisionIndex(folder, Lines(type="lines"))
    assert statuses(index) == {"1.md": "live"}
    (tmp_path / "1.md").write_text("Rejected")
    assert statuses(index) == {"1.md": "rejected"}
    (folder / "1.md").unlink()
    (folder / "1.md").write_text("Proposed")
    assert statuses(index) == {"1.md": "proposed"}


@pytest.mark.parametrize("target", ["../outside.md", "gone.md", "2.md", "."])
def test_a_link_to_no_file_of_the_repository_is_told_and_not_read(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.md").write_text("Accepted")
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "2.md").symlink_to(target)
    index = DecisionIndex(folder, Lines(type="lines"))
    assert statuses(index) == {"2.md": "unknown"}
    assert index.problems() == ("2.md: is a link to no file of this repository; rename or remove it",)


def test_a_row_says_all_about_a_record(index: DecisionIndex) -> None:
    assert row(index.documents()["2.md"], index.verdicts()["2.md"]) == {
        "path": "2.md",
        "id": "2",
        "title": "",
        "status": Status.SUPERSEDED.value,
        "successors": [{"id": "1", "path": "1.md"}],
        "current": [{"id": "1", "path": "1.md"}],
        "amended_by": [],
        "declared": "Superseded by 1",
        "evidence": "2.md:1",
        "by_default": False,
        "warnings": [],
        "date": "",
    }
