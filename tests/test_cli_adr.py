"""`citator adr`: what people ask of a folder of decision records, and what is written back into it."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from citator.cli import main
from citator.history import as_of
from citator.index import DecisionIndex
from citator_plugins.adr import AdrResolver

pytestmark = pytest.mark.usefixtures("home")


def record(status: str, title: str = "Use a queue", date: str = "2026-01-02", body: str = "Because.") -> str:
    return f"# 1. {title}\n\nDate: {date}\n\n## Status\n\n{status}\n\n## Context\n\n{body}\n"


RECORDS = {
    "0001-use-a-queue.md": record("Superseded by [2. Use a log](0002-use-a-log.md)"),
    "0002-use-a-log.md": record("Accepted\n\nSupersedes [1. Use a queue](0001-use-a-queue.md)", "Use a log", "2026-02-03"),
    "0003-hire-a-plumber.md": record(
        "Proposed", "Hire a plumber", body="The queue of the old log leaks, and the queue is long. Queue!"
    ),
    "0004-store-in-files.md": record("Accepted\n\nAmended by [5. Store in folders](0005-store-in-folders.md)", "Store in files"),
    "0005-store-in-folders.md": record("Accepted", "Store in folders"),
}

Citator = Callable[..., tuple[int, str, str]]


@pytest.fixture
def citator(capsys: pytest.CaptureFixture[str]) -> Citator:
    """Runs `citator adr …`: (exit code, output, notices)."""

    def run(*words: object) -> tuple[int, str, str]:
        code = main(["adr", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "adr", RECORDS)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return folder


def listed(citator: Citator, *words: object) -> dict[str, str]:
    """Id → status and declared successors, as `list --json` has them."""
    code, out, err = citator("list", "--json", *words)
    assert code == 0, err
    rows = json.loads(out)
    return {row["id"]: " → ".join([row["status"], *(s.get("id") or s["external"] for s in row["successors"])]) for row in rows}


# -- list, find, show, current ----------------------------------------------------------------------


def test_list_shows_each_record_and_the_totals(citator: Citator, folder: Path) -> None:
    code, out, err = citator("list", folder)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "ID        DATE        STATUS                 AMENDED  TITLE",
        "ADR-0001  2026-01-02  superseded → ADR-0002           Use a queue",
        "ADR-0002  2026-02-03  live                            Use a log",
        "ADR-0003  2026-01-02  proposed                        Hire a plumber",
        "ADR-0004  2026-01-02  live                   1        Store in files",
        "ADR-0005  2026-01-02  live                            Store in folders",
        "5 records, 2 not current, 0 partly",
    ]


def test_list_can_be_kept_to_some_statuses_while_the_totals_stay(citator: Citator, folder: Path) -> None:
    _, out, _ = citator("list", folder, "--status", "proposed", "--status", "SUPERSEDED")
    assert [line.split()[0] for line in out.splitlines()] == ["ID", "ADR-0001", "ADR-0003", "5"]
    with pytest.raises(SystemExit):
        citator("list", folder, "--status", "liv")


def test_list_for_programs_has_all_that_is_known_of_a_record(citator: Citator, folder: Path) -> None:
    _, out, _ = citator("list", folder, "--json")
    assert json.loads(out)[0] == {
        "path": "0001-use-a-queue.md",
        "id": "ADR-0001",
        "title": "Use a queue",
        "status": "superseded",
        "successors": [{"id": "ADR-0002", "path": "0002-use-a-log.md", "title": "Use a log"}],
        "current": [{"id": "ADR-0002", "path": "0002-use-a-log.md", "title": "Use a log"}],
        "amended_by": [],
        "declared": "Superseded by [2. Use a log](0002-use-a-log.md)",
        "evidence": "0001-use-a-queue.md:7",
        "by_default": False,
        "warnings": [],
        "date": "2026-01-02",
    }


def test_folders_are_found_in_the_project_and_named_above_their_records(
    citator: Citator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "project" / "docs" / "adr", RECORDS)
    write(tmp_path / "project" / "billing" / "docs" / "decisions", {"0001-pay.md": record("Accepted", "Pay")})
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    _, out, _ = citator("list")
    assert out.splitlines()[-1] == "6 records, 2 not current, 0 partly"
    assert sum(line.endswith(":") for line in out.splitlines()) == 2
    monkeypatch.chdir(tmp_path)
    assert citator("list", "elsewhere")[0] == 1


def test_one_unreadable_file_is_told_and_does_not_empty_the_list(citator: Citator, folder: Path) -> None:
    (folder / "0006-broken.md").write_bytes(b"\0\1\2" * 50)
    code, out, err = citator("list", folder)
    assert (code, out.splitlines()[-1]) == (0, "6 records, 3 not current, 0 partly")
    assert "0006-broken.md" in err


def test_find_ranks_titles_before_texts(citator: Citator, folder: Path) -> None:
    _, out, _ = citator("find", "QUEUE", "--in", folder)
    assert [line.split()[0] for line in out.splitlines()] == ["ID", "ADR-0001", "ADR-0003", "ADR-0002"]
    _, out, _ = citator("find", "leaks", "queue", "--in", folder)
    assert [line.split()[0] for line in out.splitlines()] == ["ID", "ADR-0003"]
    assert citator("find", "unicorn", "--in", folder) == (1, "", "")


def test_show_has_the_real_standing_on_top_and_then_the_record(citator: Citator, folder: Path) -> None:
    (folder / "0005-store-in-folders.md").write_text(record("Accepted\n\nSupersedes [3. Hire a plumber](0003-hire-a-plumber.md)"))
    (folder / "0003-hire-a-plumber.md").write_text(record("Accepted", "Hire a plumber"))
    code, out, _ = citator("show", "3", folder)
    head, _, text = out.partition("\n\n")
    assert code == 0
    assert head.splitlines() == [
        "ADR-0003  Hire a plumber",
        "status: superseded",
        "superseded by: ADR-0005 · Use a queue",
        "current: ADR-0005 · Use a queue",
        "declared: Accepted",
        "decided by: 0005-store-in-folders.md:9",
        f"file: {folder}/0003-hire-a-plumber.md",
    ]
    assert text == record("Accepted", "Hire a plumber")


@pytest.mark.parametrize(
    "name", ["2", "ADR-2", "ADR-0002", "adr 2", "ADR2", "0002", "use-a-log", "0002-use-a-log", "0002-use-a-log.md", "Use a log"]
)
def test_a_record_is_named_as_people_name_it(citator: Citator, folder: Path, name: str) -> None:
    assert citator("show", name, folder)[1].startswith("ADR-0002  ")


def test_a_record_is_named_by_its_path(citator: Citator, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    for path in (folder / "0002-use-a-log.md", "adr/0002-use-a-log.md"):
        assert citator("show", path, folder)[1].startswith("ADR-0002  ")


def test_an_ambiguous_name_lists_its_candidates_and_an_unknown_one_says_so(citator: Citator, tmp_path: Path) -> None:
    write(tmp_path, {f"{team}/000{n}-{team}.md": record("Accepted", team) for team in ("cats", "dogs") for n in (1, 2)})
    code, _, err = citator("show", "ADR-1", tmp_path)
    assert (code, err) == (
        1,
        f"citator: 'ADR-1' may be any of {tmp_path}/cats/0001-cats.md, {tmp_path}/dogs/0001-dogs.md; name its path\n",
    )
    assert citator("show", "dogs/0001-dogs.md", tmp_path)[0] == 0
    for name in ("77", "?.md", "#77"):
        assert citator("show", name, tmp_path) == (1, "", f"citator: no record is called {name!r}; citator adr list shows them\n")


def test_current_goes_to_the_live_end_of_the_chain(citator: Citator, folder: Path) -> None:
    write(folder, {"0002-use-a-log.md": record("Superseded by [5. Store in folders](0005-store-in-folders.md)", "Use a log")})
    end = f"ADR-0005  Store in folders  {folder}/0005-store-in-folders.md\n"
    assert citator("current", "1", folder)[:2] == (0, end)
    assert citator("current", "5", folder)[:2] == (0, end)
    assert json.loads(citator("current", "1", folder, "--json")[1])[0]["id"] == "ADR-0005"


def test_current_says_that_nothing_holds(citator: Citator, folder: Path) -> None:
    write(folder, {"0002-use-a-log.md": record("Deprecated", "Use a log")})
    assert citator("current", "1", folder)[:2] == (1, "nothing: ADR-0001 is superseded → ADR-0002\n")
    assert citator("current", "3", folder)[:2] == (1, "nothing: ADR-0003 is proposed\n")


# -- dialects ---------------------------------------------------------------------------------------

PEPS = {
    "pep-0011.rst": "PEP: 11\nTitle: Old\nStatus: Final\n\nText\n",
    "pep-0012.rst": "PEP: 12\nTitle: New\nStatus: Final\nReplaces: 11\n\nText\n",
}


def test_the_dialect_is_told_from_the_folder_unless_it_is_given(citator: Citator, tmp_path: Path) -> None:
    write(tmp_path, PEPS)
    assert listed(citator, tmp_path) == {"PEP 11": "superseded → PEP 12", "PEP 12": "live"}
    assert "PEP 11" not in listed(citator, tmp_path, "--dialect", "adr")
    code, _, err = citator("list", tmp_path, "--dialect", "pepp")
    assert (code, err) == (1, "citator: no status resolver of type 'pepp'; did you mean 'pep'?\n")


# -- history and other repositories -----------------------------------------------------------------


def git(folder: Path, *words: str, day: str = "2026-01-01") -> None:
    who = {
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, env={**os.environ, **who, **when, "TZ": "UTC"})


def test_list_can_go_back_to_a_day(citator: Citator, tmp_path: Path) -> None:
    repository = tmp_path / "shop"
    adr = write(repository / "docs" / "adr", {"0001-use-a-queue.md": record("Accepted"), "notes.txt": "x"})
    git(repository, "init", "-q")
    git(repository, "add", ".", day="2026-01-01")
    git(repository, "commit", "-qm", "one", day="2026-01-01")
    write(adr, RECORDS)
    git(repository, "add", ".", day="2026-03-01")
    git(repository, "commit", "-qm", "two", day="2026-03-01")
    (adr / "0005-store-in-folders.md").unlink()
    assert listed(citator, adr, "--as-of", "2026-02-28") == {"ADR-0001": "live"}
    assert listed(citator, adr, "--as-of", "2026-03-01")["ADR-0001"] == "superseded → ADR-0002"
    assert len(listed(citator, adr, "--as-of", "2026-03-01")) == 5
    code, _, err = citator("list", adr, "--as-of", "2025-12-31")
    assert (code, "no commit is as old as 2025-12-31" in err) == (1, True)
    assert listed(citator, adr, "--as-of", "2026-02") == {"ADR-0001": "live"}
    assert len(listed(citator, adr, "--as-of", "2026-03")) == 5
    assert listed(citator, adr, "--as-of", "2026-02-28T12:30") == {"ADR-0001": "live"}
    assert "no commit is as old as 1950-01-01" in citator("list", adr, "--as-of", "1950-01-01")[2]
    for nonsense in ("gestern", "yesterday", "", "2024-13-45", "2024-06-31", "20240615", "2024", "2024-06-15T99:00", "HEAD~1"):
        code, out, err = citator("list", adr, "--as-of", nonsense)
        assert (code, out, err) == (1, "", f"citator: {nonsense!r} is no date; write one as 2026-03-01\n")


def test_a_linked_folder_of_records_is_found_where_it_has_no_usual_name_of_its_own(
    citator: Citator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    write(tmp_path / "wiki", {"0001-use-a-queue.md": record("Accepted")})
    write(tmp_path / "pay" / "adr", {"0002-pay-later.md": record("Accepted")})
    (tmp_path / "adr").symlink_to("pay/adr")
    (tmp_path / "docs" / "adr").symlink_to("../wiki")
    (tmp_path / "docs" / "decisions").symlink_to("decisions")
    monkeypatch.chdir(tmp_path)
    assert sorted(row["path"] for row in json.loads(citator("list", "--json")[1])) == ["0001-use-a-queue.md", "0002-pay-later.md"]


def test_links_are_followed_within_the_repository_alike_on_the_disk_and_in_the_history(citator: Citator, tmp_path: Path) -> None:
    repository = tmp_path / "shop"
    adr = write(repository / "docs" / "adr", {"0001-use-a-queue.md": record("Accepted")})
    write(repository / "teams" / "pay", {"0007-pay-later.md": record("Accepted"), "more/0008-pay-never.md": record("Rejected")})
    write(tmp_path / "away", {"0009-away.md": record("Accepted")})
    (repository / "0003-top.md").write_text(record("Proposed"))
    (adr / "0003-top.md").symlink_to("../../0003-top.md")
    links = {
        "pay": "../../teams/pay",
        "pay-again": "../../teams/pay",
        "away": "../../../away",
        "here": ".",
        "up": "..",
        "no": "no",
    }
    for name, target in links.items():
        (adr / name).symlink_to(target)
    (repository / "teams" / "pay" / "back").symlink_to("../../docs")
    (repository / "adr").symlink_to("docs/adr")
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "one")
    found = {"ADR-0001": "live", "ADR-0003": "proposed", "ADR-0007": "live", "ADR-0008": "rejected"}
    for folder in (adr, repository / "adr"):
        for words in ((), ("--as-of", "2026-01-02")):
            assert listed(citator, folder, *words) == found
    (repository / "teams" / "pay" / "0007-pay-later.md").write_text(record("Deprecated"))
    assert listed(citator, adr)["ADR-0007"] == "deprecated"
    assert listed(citator, adr, "--as-of", "2026-01-02") == found


class Flat(AdrResolver):
    """Reads what lies directly in the folder."""

    def wants(self, path: str) -> bool:
        return "/" not in path and super().wants(path)


def test_a_dialect_is_asked_for_the_same_paths_in_the_history_as_on_the_disk(tmp_path: Path) -> None:
    adr = write(tmp_path / "docs" / "adr", {"0001-flat.md": record("Accepted"), "old/0002-deep.md": record("Accepted")})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    resolver = Flat(type="flat")
    assert list(as_of(adr, resolver, "2026-01-02").verdicts) == list(DecisionIndex(adr, resolver).verdicts()) == ["0001-flat.md"]


def test_without_a_history_there_is_no_day_to_go_back_to(citator: Citator, folder: Path) -> None:
    code, _, err = citator("list", folder, "--as-of", "2026-01-01")
    assert code == 1
    assert err.startswith(f"citator: {folder}: the history cannot be read: ")
    assert len(err.splitlines()) == 1


def repository(folder: Path, name: str, files: dict[str, str]) -> Path:
    write(folder, files)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = git@github.com:{name}.git\n')
    return folder / "adr"


def test_a_successor_in_another_repository_is_the_record_itself_where_its_folder_is_read_too(
    citator: Citator, tmp_path: Path
) -> None:
    there = "https://github.com/acme/standards/blob/main/adr/0007-one-queue.md"
    shop = repository(tmp_path / "shop", "acme/shop", {"adr/0001-own-queue.md": record(f"Superseded by [one queue]({there})")})
    standards = repository(
        tmp_path / "standards",
        "acme/standards",
        {
            "adr/0007-one-queue.md": record("Superseded by [8](0008-no-queue.md)", "One queue for all"),
            "adr/0008-no-queue.md": record("Accepted", "No queue"),
        },
    )
    assert "one queue" in citator("list", shop)[1]
    _, out, _ = citator("list", shop, standards, "--json")
    row = json.loads(out)[0]
    assert row["successors"] == [{"id": "ADR-0007", "title": "One queue for all", "external": there}]
    assert row["current"] == [{"id": "ADR-0008", "title": "No queue", "external": there.replace("0007-one", "0008-no")}]
    assert "superseded by: ADR-0007 of acme/standards · One queue for all\n" in citator("show", "own-queue", shop, standards)[1]


def test_folders_are_read_as_they_are_configured(
    citator: Citator, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = "# 1. {}\n\n## Context\n\nWe agreed.\n"
    shop = write(tmp_path / "shop" / "docs" / "adr", {"0001-a.md": bare.format("A")})
    rules = write(tmp_path / "rules", {"0001-b.md": bare.format("B")})
    monkeypatch.chdir(tmp_path / "shop")
    age(shop)
    assert listed(citator, shop) == {"ADR-0001": "unknown"}
    source = {"type": "adr", "path": str(rules), "status": {"type": "adr", "default_status": "live"}}
    own = {"type": "adr", "path": str(shop), "status": {"type": "adr", "default_status": "proposed"}}
    write(home / ".config" / "citator", {"pipeline.yaml": json.dumps({"sources": [source, own]})})
    assert listed(citator, shop) == {"ADR-0001": "proposed"}
    _, out, _ = citator("list")
    assert ["live (by default)" in line for line in out.splitlines() if "  B" in line] == [True]
    assert ["proposed (by default)" in line for line in out.splitlines() if "  A" in line] == [True]
    (home / ".config" / "citator" / "pipeline.yaml").write_text("sources: [{type: adr}]")
    code, _, err = citator("list", shop)
    assert (code, "path" in err) == (0, True)


def test_the_record_in_a_configured_folder_is_named_though_the_folder_is_not(
    citator: Citator, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = "https://github.com/acme/standards/blob/main/adr/0007-one-queue.md"
    shop = repository(tmp_path / "shop", "acme/shop", {"adr/0001-own-queue.md": record(f"Superseded by [one queue]({there})")})
    standards = repository(
        tmp_path / "standards", "acme/standards", {"adr/0007-one-queue.md": record("Accepted", "One queue for all")}
    )
    write(home / ".config" / "citator", {"pipeline.yaml": json.dumps({"sources": [{"type": "adr", "path": str(standards)}]})})
    monkeypatch.chdir(shop)
    assert listed(citator, shop) == {"ADR-0001": "superseded → ADR-0007"}


# -- check ------------------------------------------------------------------------------------------

TROUBLED = {
    "0001-queue.md": record("Accepted"),
    "0002-log.md": record("Accepted\n\nSupersedes [1](0001-queue.md)", "Log"),
    "0003-draft.md": record("Draft\n\nSupersedes [2](0002-log.md)", "Draft"),
    "0004-lost.md": record("Superseded by [99](0099-nowhere.md)", "Lost"),
    "0005-blank.md": "# 5. Blank\n\n## Context\n\nNothing.\n",
    "0006-ring.md": record("Superseded by [7](0007-ring.md)", "Ring"),
    "0007-ring.md": record("Superseded by [6](0006-ring.md)", "Ring again"),
    "0009-twin.md": record("Accepted", "Twin"),
    "0009-other-twin.md": record("Accepted", "Other twin"),
    "0010-bare.md": record("Superseded", "Bare"),
    "0011-both.md": "---\nstatus: accepted\n---\n" + record("Rejected", "Both"),
    "README.md": "# Decisions\n\n- [1](0001-queue.md) - accepted\n- [2](0002-log.md) - rejected\n- [3](0003-draft.md)\n"
    "- [12](0012-gone.md)\n"
    + "".join(f"- [x]({name})\n" for name in ("0004-lost.md", "0005-blank.md", "0006-ring.md", "0007-ring.md", "0009-twin.md")),
}


def test_check_finds_what_is_wrong_and_where(citator: Citator, tmp_path: Path) -> None:
    code, out, _ = citator("check", write(tmp_path, TROUBLED), "--format", "json")
    found = {(Path(finding["file"]).name, finding["line"], finding["level"], finding["trouble"]) for finding in json.loads(out)}
    assert code == 1
    assert found >= {
        ("0001-queue.md", 1, "warning", "one-sided"),
        ("0003-draft.md", 9, "warning", "not-in-force"),
        ("0004-lost.md", 7, "error", "missing-reference"),
        ("0005-blank.md", 1, "warning", "no-status"),
        ("0006-ring.md", 7, "error", "cycle"),
        ("0007-ring.md", 7, "error", "cycle"),
        ("0009-twin.md", 1, "error", "duplicate-number"),
        ("0010-bare.md", 1, "warning", "no-successor"),
        ("0011-both.md", 2, "warning", "disagreement"),
        ("0011-both.md", 1, "note", "gap-in-numbers"),
        ("README.md", 3, "warning", "index-drift"),
        ("README.md", 4, "warning", "index-drift"),
        ("README.md", 6, "warning", "index-drift"),
        ("README.md", 1, "warning", "index-drift"),
    }


def test_check_reads_an_index_with_a_table_or_headings(citator: Citator, tmp_path: Path) -> None:
    table = "| ADR | Status | Date |\n|---|---|---|\n| [1](0001-a.md) | Accepted | 2026 |\n| [2](0002-b.md) | Accepted | 2026 |\n"
    headings = "### Accepted\n\n- [1](0001-a.md)\n- [2](0002-b.md)\n"
    signs = "- ✅ [1](0001-a.md)\n- ✅ [2](0002-b.md)\n"
    files = {"0001-a.md": record("Accepted", "A"), "0002-b.md": record("Proposed", "B")}
    for index, line in ((table, 4), (headings, 4), (signs, 2)):
        _, out, _ = citator("check", write(tmp_path, files | {"README.md": index}))
        assert out.splitlines()[0].endswith(
            f"README.md:{line}: warning: says that ADR-0002 is live; the record is proposed [index-drift]"
        )


@pytest.mark.parametrize(
    ("files", "plain", "strict"),
    [
        ({"0001-a.md": record("Accepted")}, 0, 0),
        ({"0001-a.md": record("Accepted"), "0003-c.md": record("Accepted"), "0004-d.md": record("Accepted")}, 0, 0),
        ({"0001-a.md": "# 1. A\n"}, 0, 1),
        ({"0001-a.md": record("Superseded by [9](0009-x.md)")}, 1, 1),
    ],
)
def test_check_fails_on_errors_and_when_it_is_strict_on_warnings(
    citator: Citator, tmp_path: Path, files: dict[str, str], plain: int, strict: int
) -> None:
    write(tmp_path, files)
    assert (citator("check", tmp_path)[0], citator("check", tmp_path, "--strict")[0]) == (plain, strict)


def test_check_speaks_to_github_and_to_code_scanning(citator: Citator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a,b/0001-a.md": record("Superseded by 100% [9](0009-x.md)")})
    monkeypatch.chdir(tmp_path)
    _, out, _ = citator("check", ".", "--format", "github")
    assert out.startswith("::error file=a%2Cb/0001-a.md,line=7,title=missing-reference::ADR-0001: ")
    _, out, _ = citator("check", ".", "--format", "sarif")
    run = json.loads(out)["runs"][0]
    result = run["results"][0]
    assert result["ruleId"] in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("a%2Cb/0001-a.md", 7)


@pytest.mark.parametrize(
    ("text", "line", "level", "told"),
    [
        ("# 1. A\n\n## Status\n\nAcepted\n", 5, "unknown-status", "the status 'Acepted' is not known; did you mean 'accepted'?"),
        ("---\nstatus: acccepted\n---\n# A\n", 2, "unknown-status", "'acccepted' is not known; did you mean 'accepted'?"),
        ("# 1. A\n\nStatus: **Blurb**\n", 3, "unknown-status", "the status 'Blurb' is not known; use one of the usual words"),
        ("---\ntitle: A: b: c\nstatus: accepted\n---\n# A\n", 2, "front-matter", "no valid YAML: mapping values are not allowed"),
        ("---\nstatus: accepted\ndate: 2024-01-01\nstatus: rejected\n---\n# A\n", 4, "front-matter", "'accepted' and 'rejected'"),
        ("\n---\ntags: [a, b\nstatus: accepted\n---\n# A\n", 4, "front-matter", "no valid YAML: "),
    ],
)
def test_check_tells_what_it_cannot_read(citator: Citator, tmp_path: Path, text: str, line: int, level: str, told: str) -> None:
    code, out, _ = citator("check", write(tmp_path, {"0001-a.md": text}), "--strict")
    [found] = [shown for shown in out.splitlines() if shown.endswith(f"[{level}]")]
    assert code == 1
    assert f"0001-a.md:{line}: warning: " in found
    assert told in found


@pytest.mark.parametrize(
    "status",
    ["Accepted", "Accepted\n\nThe team met for it.", "Proposed\n\nSee the notes.", "Superseded by [2](0002-b.md)", "TBD"],
)
def test_check_says_nothing_of_a_status_that_it_can_read(citator: Citator, tmp_path: Path, status: str) -> None:
    write(tmp_path, {"0001-a.md": record(status), "0002-b.md": "---\nstatus: accepted\ntags: [a]\n---\n# B\n"})
    assert not re.search(r"unknown-status|front-matter", citator("check", tmp_path)[1])


def test_a_folder_without_records_is_an_error_of_the_check(citator: Citator, tmp_path: Path) -> None:
    assert citator("check", tmp_path) == (1, "", f"citator: {tmp_path}: holds no decision record; correct the path\n")


def test_a_link_that_leads_nowhere_is_told_where_it_lies_and_once(
    citator: Citator, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "0006-gone.md").symlink_to("/nowhere")
    monkeypatch.chdir(folder.parent)
    assert "adr/0006-gone.md:1: error: is a link to no file" in citator("check", "adr")[1]
    assert '"uri": "adr/0006-gone.md"' in citator("check", "adr", "--format", "sarif")[1]
    assert "file: adr/0006-gone.md" in citator("show", "6", "adr")[1]
    assert citator("supersede", "3", "4", "adr", "--yes")[2].count("0006-gone.md") == 1


@pytest.mark.parametrize("name", ["-1", "-0001"])
def test_what_looks_like_an_option_is_no_record(citator: Citator, folder: Path, name: str) -> None:
    assert citator("current", name, folder) == (1, "", f"citator: no record is called {name!r}; citator adr list shows them\n")


def test_a_graph_is_not_written_into_a_file_of_another_kind(citator: Citator, folder: Path, tmp_path: Path) -> None:
    code, _, err = citator("graph", folder, "--output", tmp_path / "o.png")
    assert (code, "no format ends in .png" in err, (tmp_path / "o.png").exists()) == (1, True, False)
    for name, begins in {"o.mmd": "flowchart", "o.gv": "digraph", "o": "flowchart"}.items():
        assert citator("graph", folder, "--output", tmp_path / name)[0] == 0
        assert (tmp_path / name).read_text().startswith(begins)


def test_a_closed_output_is_no_error(folder: Path) -> None:
    words = [
        sys.executable,
        "-c",
        "import sys; from citator.cli import main; sys.exit(main())",
        "adr",
        "list",
        str(folder),
        "--json",
    ]
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- writing ----------------------------------------------------------------------------------------

FORMS = {
    "section": ("# 1. A\n\n## Status\n\nAccepted\n", "Superseded by [ADR-0002](0002-b.md)", "Supersedes [ADR-0001](0001-a.md)"),
    "front matter": ('---\nstatus: "accepted"\n---\n# A\n', 'status: "superseded by ADR-0002"', 'supersedes: "ADR-0001"'),
    "bullet": (
        "# A\n\n* Status: accepted\n",
        "* Status: superseded by [ADR-0002](0002-b.md)",
        "* supersedes: [ADR-0001](0001-a.md)",
    ),
    "bold": (
        "# A\n\n**Status:** Accepted\n",
        "**Status:** Superseded by [ADR-0002](0002-b.md)",
        "**Supersedes:** [ADR-0001](0001-a.md)",
    ),
    "table": (
        "# A\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n",
        "| Status | Superseded by [ADR-0002](0002-b.md) |",
        "| Supersedes | [ADR-0001](0001-a.md) |",
    ),
    "crlf": (
        "# 1. A\r\n\r\n## Status\r\n\r\nAccepted\r\n",
        "Superseded by [ADR-0002](0002-b.md)",
        "Supersedes [ADR-0001](0001-a.md)",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_supersede_writes_both_sides_in_the_form_of_the_record(citator: Citator, tmp_path: Path, form: str) -> None:
    text, old, new = FORMS[form]
    write(tmp_path, {"0001-a.md": text, "0002-b.md": text})
    code, out, err = citator("supersede", "1", "2", tmp_path, "--yes")
    assert (code, out.splitlines()[-1]) == (0, "ADR-0001: superseded → ADR-0002"), err
    first, second = ((tmp_path / name).read_bytes().decode() for name in ("0001-a.md", "0002-b.md"))
    assert old in first.splitlines()
    assert new.casefold() in second.casefold().splitlines()
    assert ("\r\n" in first) == ("\r\n" in text)
    assert "\n" not in first.replace("\r\n", "") or form != "crlf"
    assert citator("check", tmp_path, "--strict")[0] == 0
    assert citator("supersede", "1", "2", tmp_path)[:2] == (0, "both records say so already\n")


def test_supersede_says_it_as_the_other_records_of_the_folder_do(citator: Citator, tmp_path: Path) -> None:
    status = "⌛️ Superseded by [002. Second](./002-second.md)"
    names = ["first", "second", "third", "fourth"]
    files = {f"00{n}-{name}.md": f"# {n}. {name.title()}\n\n## Status\n\n✅ Accepted\n" for n, name in enumerate(names, 1)}
    files["001-first.md"] = files["001-first.md"].replace("✅ Accepted", status)
    citator("supersede", "3", "4", write(tmp_path, files), "--yes")
    assert "\n⌛️ Superseded by [004. Fourth](./004-fourth.md)\n" in (tmp_path / "003-third.md").read_text()


def test_supersede_leaves_what_the_status_section_says_of_other_records(citator: Citator, folder: Path) -> None:
    citator("supersede", "4", "5", folder, "--yes")
    link = "[5. Store in folders](0005-store-in-folders.md)"
    assert f"\nSuperseded by {link}\n\nAmended by {link}\n" in (folder / "0004-store-in-files.md").read_text()


def test_supersede_uses_a_field_that_is_there_and_empty(citator: Citator, tmp_path: Path) -> None:
    text = "# A\n\n- status: accepted\n- supersedes: -\n- superseded by: -\n"
    write(tmp_path, {"0001-a.md": text, "0002-b.md": text})
    citator("supersede", "1", "2", tmp_path, "--yes")
    assert "- status: accepted\n- supersedes: -\n- superseded by: [ADR-0002](0002-b.md)\n" in (tmp_path / "0001-a.md").read_text()
    assert "- supersedes: [ADR-0001](0001-a.md)\n- superseded by: -\n" in (tmp_path / "0002-b.md").read_text()


def test_supersede_writes_the_fields_of_a_series(citator: Citator, tmp_path: Path) -> None:
    more = {f"pep-00{n}.rst": f"PEP: {n}\nTitle: T\nStatus: Final\n\nText\n" for n in (13, 14)}
    old = {"pep-0011.rst": PEPS["pep-0011.rst"].replace("Final", "Superseded\nSuperseded-By: 12")}
    citator("supersede", "PEP 13", "PEP 14", write(tmp_path, PEPS | old | more), "--yes")
    assert "Status: Final\nSuperseded-By: 14\n" in (tmp_path / "pep-0013.rst").read_text()
    assert "Status: Final\nReplaces: 13\n" in (tmp_path / "pep-0014.rst").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "# 1. A\n\n## Context\n\nNo status.\n",
        "# 1. A\n\n## Status\n\nAccepted by \xe9\n",
        "# 1. A\n\n## Status\n\nAccepted; supersedes ADR-0003\n",
    ],
)
def test_what_is_not_understood_is_left_to_people(citator: Citator, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"0002-b.md": record("Accepted", "B"), "0003-c.md": record("Accepted", "C")})
    (tmp_path / "0001-a.md").write_bytes(text.encode("latin-1"))
    before = (tmp_path / "0001-a.md").read_bytes()
    code, _, err = citator("supersede", "1", "2", tmp_path, "--yes")
    assert (code, len(err.splitlines()), "by hand" in err) == (1, 1, True)
    assert (tmp_path / "0001-a.md").read_bytes() == before


def test_fix_shows_the_missing_side_and_writes_it_when_that_is_agreed_to(citator: Citator, tmp_path: Path) -> None:
    write(tmp_path, {name: TROUBLED[name] for name in ("0001-queue.md", "0002-log.md")})
    code, out, err = citator("check", tmp_path, "--fix")
    assert (code, err) == (1, "citator: nothing is changed; --yes makes these changes\n")
    assert [line for line in out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "-Accepted",
        "+Superseded by [ADR-0002](0002-log.md)",
    ]
    assert (tmp_path / "0001-queue.md").read_text() == TROUBLED["0001-queue.md"]
    assert citator("check", tmp_path, "--fix", "--yes")[0] == 0
    assert citator("check", tmp_path, "--strict")[0] == 0
    assert citator("check", tmp_path, "--fix")[:2] == (0, "nothing can be mended mechanically\n")


def test_new_begins_a_record_after_the_last_one_in_the_folders_form(citator: Citator, folder: Path) -> None:
    code, out, _ = citator("new", "Keep", "it: small!", "--in", folder)
    file = folder / "0006-keep-it-small.md"
    assert (code, Path(out.strip()).name) == (0, file.name)
    assert file.read_text().startswith("# 6. Keep it: small!\n\nDate: 2")
    assert "\n## Status\n\nProposed\n" in file.read_text()
    assert listed(citator, folder)["ADR-0006"] == "proposed"
    assert citator("new", "Keep it small", "--in", folder, "--status", "accepted")[0] == 0
    assert listed(citator, folder)["ADR-0007"] == "live"


def test_new_fills_in_the_folders_template(citator: Citator, tmp_path: Path) -> None:
    template = "---\nstatus: {proposed | accepted}\ndate: {YYYY-MM-DD}\n---\n\n# {short title}\n\n## Why\n"
    write(tmp_path, {"0009-first.md": "---\nstatus: accepted\n---\n# First\n", "adr-template.md": template})
    citator("new", "Second", "--in", tmp_path)
    text = (tmp_path / "0010-second.md").read_text()
    assert text.startswith("---\nstatus: proposed\ndate: 2")
    assert text.endswith("---\n\n# Second\n\n## Why\n")


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("ADR009-some-thing.md", "ADR010-keep-it.md"),
        ("adr_0009_some_thing.md", "adr_0010_keep_it.md"),
        ("doc/9-some-thing.md", "doc/10-keep-it.md"),
        ("009-Some-thing.md", "010-Keep-it.md"),
        ("0009-some-thing.adoc", "0010-keep-it.adoc"),
    ],
)
def test_a_new_record_is_named_as_the_others_are(citator: Citator, tmp_path: Path, last: str, expected: str) -> None:
    marks = "=" if last.endswith("adoc") else "#"
    write(tmp_path, {last: record("Accepted").replace("#", marks)})
    assert citator("new", "Keep it", "--in", tmp_path)[0] == 0
    assert (tmp_path / expected).exists()
    assert "proposed" in listed(citator, tmp_path).values()


def test_the_first_record_of_an_empty_folder_is_number_one(citator: Citator, tmp_path: Path) -> None:
    assert citator("new", "Begin", "--in", tmp_path)[0] == 0
    assert listed(citator, tmp_path) == {"ADR-0001": "proposed"}


def superseded(citator: Citator, folder: Path, *texts: str, old: int = 1, new: int = 2) -> tuple[int, str, list[str]]:
    """Writes records with these texts and supersedes one: exit code, notice, and the texts afterwards."""
    write(folder, {f"000{n}-{'abcd'[n - 1]}.md": text for n, text in enumerate(texts, 1)})
    code, _, err = citator("supersede", old, new, folder, "--yes")
    return code, err, [file.read_text() for file in sorted(folder.glob("0*.md"))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tags: [x]", "supersedes: [ADR-0001, ADR-0002]"),
        ("supersedes:", "supersedes: [ADR-0001, ADR-0002]"),
        ("supersedes: [] # none", "supersedes: [ADR-0001, ADR-0002] # none"),
        ('supersedes: "ADR-0004"', 'supersedes: ["ADR-0004", "ADR-0001", "ADR-0002"]'),
        ("supersedes: ADR-0004, ADR-0005", "supersedes: ADR-0004, ADR-0005, ADR-0001, ADR-0002"),
        ("supersedes:\n  - '0004'\ntags: x", "supersedes:\n  - '0004'\n  - '0001'\n  - '0002'\ntags: x"),
    ],
)
def test_a_second_record_that_is_superseded_joins_the_first_under_one_key(
    citator: Citator, tmp_path: Path, before: str, after: str
) -> None:
    text = "---\nstatus: accepted\n{}---\n# {}\n"
    files = {f"000{n}-r.md": text.format("", f"R{n}") for n in (1, 2, 4, 5)}
    write(tmp_path, files | {"0003-c.md": text.format(f"{before}\n", "C")})
    assert [citator("supersede", old, 3, tmp_path, "--yes")[0] for old in (1, 2)] == [0, 0]
    written = (tmp_path / "0003-c.md").read_text()
    assert f"\n{after}\n" in written
    assert written.count("supersedes") == 1


def test_a_value_of_the_front_matter_is_quoted_where_yaml_asks_for_it(citator: Citator, tmp_path: Path) -> None:
    link = "[2. Limits: a/b](0002-b.md)"
    example = record("Superseded by " + link, "Old")
    new = "# 2. Limits: a/b\n\n## Status\n\nAccepted\n\nSupersedes [3. Old](0003-c.md)\n"
    code, err, (first, *_) = superseded(citator, tmp_path, "---\nstatus: accepted\nowner: me\n---\n# A\n", new, example)
    assert (code, err) == (0, "")
    assert yaml.safe_load(first.split("---")[1]) == {"status": f"Superseded by {link}", "owner": "me"}


@pytest.mark.parametrize(
    "front", ["supersedes: |\n  ADR-0003\n", "supersedes: {first: ADR-0003}\n", "supersedes: [ADR-0003,\n  ADR-0004]\n"]
)
def test_a_front_matter_that_is_not_understood_is_left_as_it_is(citator: Citator, tmp_path: Path, front: str) -> None:
    text = f"---\nstatus: accepted\n{front}---\n# B\n"
    first = "---\nstatus: accepted\n---\n# A\n"
    code, err, after = superseded(citator, tmp_path, first, text, record("Accepted"), record("Accepted"))
    assert (code, "by hand" in err, after[:2]) == (1, True, [first, text])


TODAY = date.today().isoformat()


@pytest.mark.parametrize(
    ("history", "entry"),
    [
        (
            "| Status | Date | By |\n|---|---|---|\n| Proposed | 2024-01-01 | Ann |\n| Accepted | 2024-03-03 | Bob |",
            f"\n| Superseded by [ADR-0002](0002-b.md) | {TODAY} | |",
        ),
        ("2024-01-01 Proposed\n2024-02-02 Accepted by the board", f"\n{TODAY} Superseded by [ADR-0002](0002-b.md)"),
        ("- 2024-01-01: Proposed\n- 2024-02-02: Accepted", f"\n- {TODAY}: Superseded by [ADR-0002](0002-b.md)"),
        ("Proposed (2024-01-01)\n\nAccepted (2024-02-02)", f"\n\nSuperseded by [ADR-0002](0002-b.md) ({TODAY})"),
    ],
)
def test_a_history_of_the_status_gets_one_more_entry_and_keeps_the_others(
    citator: Citator, tmp_path: Path, history: str, entry: str
) -> None:
    code, err, (first, _) = superseded(citator, tmp_path, record(history), record("Accepted", "B"))
    assert (code, err) == (0, "")
    assert f"\n{history}{entry}\n\n## Context" in first


@pytest.mark.parametrize(
    "status",
    [
        "Accepted, 2024-05-01. Applies to the EU region only; approved by Ann.",
        "Accepted on 2024-01-01 by Bob",
        "Accepted by the board",
    ],
)
def test_a_status_that_says_more_is_not_thrown_away(citator: Citator, tmp_path: Path, status: str) -> None:
    texts = [record(status), record("Accepted", "B")]
    code, err, after = superseded(citator, tmp_path, *texts)
    assert (code, "by hand" in err, after) == (1, True, texts)


def test_an_empty_row_for_the_relation_is_filled(citator: Citator, tmp_path: Path) -> None:
    table = "# {}\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Supersedes | |\n"
    _, _, (first, second) = superseded(citator, tmp_path, table.format("A"), table.format("B"))
    assert first.endswith("| Status | Superseded by [ADR-0002](0002-b.md) |\n| Supersedes | |\n")
    assert second.endswith("| Status | Accepted |\n| Supersedes | [ADR-0001](0001-a.md) |\n")


@pytest.mark.parametrize(
    ("statuses", "old", "new", "told"),
    [
        (("Accepted", "Proposed"), 1, 2, "ADR-0002 is proposed and so cannot replace ADR-0001; accept it first"),
        (("Accepted", "Rejected"), 1, 2, "ADR-0002 is rejected"),
        (("Accepted", "Deprecated"), 1, 2, "ADR-0002 is deprecated"),
        (("Superseded by ADR-0002", "Accepted\n\nSupersedes ADR-0001"), 2, 1, "ADR-0001 is itself superseded by ADR-0002"),
        (("Superseded by ADR-0002", "Superseded by ADR-0003", "Accepted"), 3, 1, "ADR-0001 is itself superseded by ADR-0003"),
        (("Superseded by ADR-0002", "Accepted", "Accepted"), 1, 3, "ADR-0001 is superseded by ADR-0002 already"),
    ],
)
def test_what_cannot_be_so_is_refused(
    citator: Citator, tmp_path: Path, statuses: tuple[str, ...], old: int, new: int, told: str
) -> None:
    texts = [record(status, f"T{n}") for n, status in enumerate(statuses)]
    code, err, after = superseded(citator, tmp_path, *texts, old=old, new=new)
    assert (code, len(err.splitlines()), after) == (1, 1, texts)
    assert told in err


@pytest.mark.parametrize(
    ("status", "ended", "ends"),
    [
        ("Accepted", "Superseded by", "Supersedes [ADR-0001](0001-a.md)"),
        ("Akzeptiert", "Ersetzt durch", "Löst [ADR-0001](0001-a.md) ab"),
        ("Accepté", "Remplacé par", "Remplace [ADR-0001](0001-a.md)"),
        ("Принято", "Заменено на", "Заменяет [ADR-0001](0001-a.md)"),
    ],
)
def test_a_record_is_changed_in_its_own_language_whatever_the_others_are_in(
    citator: Citator, tmp_path: Path, status: str, ended: str, ends: str
) -> None:
    other = ("Aceptado\n\nSustituye [4. Viejo](0004-d.md)", "Sustituido por [3. Nuevo](0003-c.md)")
    texts = [record(status, "Q"), record(status, "W"), record(other[0], "Nuevo"), record(other[1], "Viejo")]
    _, err, (first, second, *_) = superseded(citator, tmp_path, *texts)
    assert f"\n{ended} [ADR-0002](0002-b.md)\n" in first, err
    assert f"\n{ends}\n" in second


@pytest.mark.parametrize("words", [[""], ["   "], ["???"], ["x", "--status", "bogus"], ["x", "--status", "accepted: y"]])
def test_no_record_is_begun_without_a_name_or_a_status_that_is_read(citator: Citator, folder: Path, words: list[str]) -> None:
    code, _, err = citator("new", *words, "--in", folder)
    assert (code, len(err.splitlines())) == (1, 1)
    assert {file.name for file in folder.iterdir()} == set(RECORDS)


@pytest.mark.parametrize(
    ("there", "title", "expected"),
    [
        ("0013-.md", "Keep it", "0014-keep-it.md"),
        ("0001決定.md", "Keep it", "0006-keep-it.md"),
        ("0005-a.md", "हिन्दी में", "0006-हिन्दी-में.md"),
        ("0005-a.md", "日本語 の決定", "0006-日本語-の決定.md"),
        ("0005-a.md", "word " * 99, f"0006-{'-'.join(['word'] * 32)}.md"),
    ],
)
def test_a_new_record_has_a_usable_name_and_a_number_of_its_own(
    citator: Citator, folder: Path, there: str, title: str, expected: str
) -> None:
    write(folder, {there: "# x\n"})
    assert citator("new", title, "--in", folder)[0] == 0
    assert (folder / expected).exists()


def test_new_tells_how_to_begin_in_an_empty_folder(citator: Citator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs/adr").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    code, _, err = citator("new", "First thing")
    assert (code, "--in docs/adr" in err) == (1, True)
    assert citator("new", "First thing", "--in", "docs/adr")[:2] == (0, "docs/adr/0001-first-thing.md\n")


# -- graph ------------------------------------------------------------------------------------------


def test_the_graph_is_drawn_for_markdown_and_graphviz(citator: Citator, folder: Path) -> None:
    _, out, _ = citator("graph", folder)
    lines = out.splitlines()
    assert lines[0] == "flowchart LR"
    assert '    r0["ADR-0001: Use a queue"]:::superseded' in lines
    assert "    r0 -->|superseded by| r1" in lines
    assert "plumber" not in out
    assert "plumber" in citator("graph", folder, "--all")[1]
    _, out, _ = citator("graph", folder, "--format", "dot")
    assert '"0001-use-a-queue.md" -> "0002-use-a-log.md" [label="superseded by"];' in out


def test_the_drawing_needs_nothing_else_and_nothing_in_a_title_breaks_out_of_it(
    citator: Citator, folder: Path, tmp_path: Path
) -> None:
    write(folder, {"0001-use-a-queue.md": record("Superseded by [2](0002-use-a-log.md)", '<script>alert("1")</script> & "]')})
    citator("graph", folder, "--output", tmp_path / "g.svg")
    citator("graph", folder, "--output", tmp_path / "g.html")
    drawing, page = (tmp_path / "g.svg").read_text(), (tmp_path / "g.html").read_text()
    texts = ["".join(element.itertext()) for element in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert "ADR-0001" in texts
    assert "ADR-0002" in texts
    assert "<script" not in drawing + page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    _, out, _ = citator("graph", folder)
    assert "<script" not in out
    assert '& "]' not in out


def test_a_check_of_one_record_speaks_of_one(citator: Citator, tmp_path: Path) -> None:
    write(tmp_path, {"0001-a.md": record("Accepted")})
    assert citator("check", tmp_path) == (0, "1 record: 0 errors, 0 warnings, 0 notes\n", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["list", "--status", "foo"], "there is no status 'foo'; choose from live, superseded, partially-superseded, proposed, "),
        (["show"], "the following arguments are required: id\n"),
    ],
)
def test_a_wrong_command_line_is_told_what_is_asked_for(capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    with pytest.raises(SystemExit):
        main(["adr", *words])
    assert told in capsys.readouterr().err


def test_a_record_that_cannot_be_read_is_listed_and_puts_what_it_may_replace_in_doubt(citator: Citator, folder: Path) -> None:
    (folder / "0002-use-a-log.md").write_bytes(b"\0binary")
    (folder / "0001-use-a-queue.md").write_text(record("Accepted"))
    code, out, err = citator("list", "--json", folder)
    rows = {row["id"]: row for row in json.loads(out)}
    assert code == 0
    assert err == f"citator: {folder}/0002-use-a-log.md: is no text file; rename or remove it\n"
    assert (rows["ADR-0002"]["status"], rows["ADR-0002"]["warnings"]) == ("unknown", ["cannot be read"])
    assert (rows["ADR-0001"]["status"], rows["ADR-0001"]["warnings"]) == (
        "live",
        ["ADR-0002 cannot be read and may replace this"],
    )
    code, out, err = citator("current", 1, folder)
    assert (code, out.split()[0]) == (0, "ADR-0001")
    assert "citator: ADR-0001: ADR-0002 cannot be read and may replace this\n" in err
    assert citator("current", 2, folder)[:2] == (1, "nothing: ADR-0002 is unknown\n")
    assert "warning: cannot be read" in citator("show", 2, folder)[1]
    assert [line.rpartition("[")[2] for line in citator("check", folder)[1].splitlines()[:-1]].count("unreadable]") == 1


def test_a_linked_record_is_changed_where_it_lies(citator: Citator, folder: Path) -> None:
    (folder.parent / ".git").mkdir()
    away = (folder / "0004-store-in-files.md").rename(folder.parent / "away.md")
    (folder / "0004-store-in-files.md").symlink_to(away)
    assert citator("supersede", 4, 5, folder, "--yes")[0] == 0
    assert (folder / "0004-store-in-files.md").is_symlink()
    assert "Superseded by" in away.read_text()


# -- fresh and fast ---------------------------------------------------------------------------------


def age(folder: Path) -> None:
    """Waits until a further change of any file is sure to change its stamp, so that what is read is kept."""
    import time

    time.sleep(0.12)


def kept_files(home: Path) -> list[Path]:
    return [path for path in home.rglob("standings/*") if path.is_file()]


def test_an_unchanged_folder_is_shown_from_what_was_kept(citator: Citator, folder: Path, home: Path) -> None:
    age(folder)
    first = citator("list", folder, "--json")
    [kept] = kept_files(home)
    stamp = kept.stat().st_mtime_ns
    assert citator("list", folder, "--json") == first
    assert kept.stat().st_mtime_ns == stamp


def test_every_change_is_seen_at_once_even_one_with_an_old_time_stamp_and_the_same_size(citator: Citator, folder: Path) -> None:
    age(folder)
    file = folder / "0005-store-in-folders.md"
    assert listed(citator, folder)["ADR-0005"] == "live"
    before = file.stat()
    file.write_text(record("Rejected", "Store in folders"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert listed(citator, folder)["ADR-0005"] == "rejected"
    age(folder)
    assert listed(citator, folder)["ADR-0005"] == "rejected"
    file.unlink()
    assert "ADR-0005" not in listed(citator, folder)
    write(folder, {"0006-more.md": record("Accepted\n\nSupersedes [2](0002-use-a-log.md)", "More")})
    assert listed(citator, folder)["ADR-0002"] == "superseded → ADR-0006"


def test_what_is_kept_is_for_its_owner_alone(citator: Citator, folder: Path, home: Path) -> None:
    age(folder)
    listed(citator, folder)
    [kept] = kept_files(home)
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("0005-store-in-folders.md")])
def test_a_file_in_place_of_what_was_no_record_is_seen(citator: Citator, folder: Path, make: Callable[[Path], None]) -> None:
    file = folder / "0006-more.md"
    make(file)
    age(folder)
    assert "ADR-0006" not in listed(citator, folder)
    file.unlink()
    file.write_text(record("Accepted"))
    assert listed(citator, folder)["ADR-0006"] == "live"


@pytest.mark.parametrize("damage", [b"", b"\x00", b"garbage" * 100, None])
def test_what_is_kept_can_be_damaged_or_deleted(citator: Citator, folder: Path, home: Path, damage: bytes | None) -> None:
    age(folder)
    expected = listed(citator, folder)
    [kept] = kept_files(home)
    kept.write_bytes(kept.read_bytes()[:-20] if damage is None else damage)
    assert listed(citator, folder) == expected
    kept.unlink()
    assert listed(citator, folder) == expected


def test_verify_reads_every_file(citator: Citator, folder: Path, home: Path) -> None:
    age(folder)
    expected = listed(citator, folder)
    [kept] = kept_files(home)
    kept.write_bytes(kept.read_bytes().replace(b"Use a log", b"Use a dog"))
    assert "Use a dog" in citator("list", folder)[1]
    assert listed(citator, folder, "--verify") == expected
    assert "Use a dog" not in citator("list", folder)[1]


def test_a_folder_is_shown_where_nothing_can_be_kept(citator: Citator, folder: Path, home: Path) -> None:
    (home / ".cache").write_text("in the way")
    (home / "Library").write_text("in the way")
    age(folder)
    assert len(listed(citator, folder)) == 5


def test_records_are_listed_without_a_store_a_model_or_a_terminal_library(folder: Path, home: Path) -> None:
    heavy = "llama_index qdrant_client qdrant_edge torch numpy rich transformers pydantic yaml".split()
    program = (
        f"import sys; from citator.cli import main; main(['adr', 'list', {str(folder)!r}])\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(home)}
        )
        assert done.stdout.splitlines()[-1] == "[]"


def test_a_pipe_that_is_closed_early_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -c 'from citator.cli import main; raise SystemExit(main())' adr list {folder} --json | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_about_the_commands_shows_what_they_print(tmp_path: Path, home: Path) -> None:
    checkout = Path(__file__).parents[1]
    shutil.copytree(checkout / "configs" / "demo" / "shop", tmp_path / "shop")
    sessions = re.findall(r"^```console\n(.*?)^```$", (checkout / "docs" / "adr.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    commands = [part for session in sessions for part in re.split(r"^(?=\$ )", session, flags=re.MULTILINE) if part]
    assert len(commands) > 10
    program = "import sys; from citator.cli import main; raise SystemExit(main(sys.argv[1:]))"
    for command in commands:
        line, _, shown = command.partition("\n")
        words = line.removeprefix("$ citator ").split()
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=tmp_path / "shop",
            env={**os.environ, "HOME": str(home)},
            capture_output=True,
            text=True,
        )
        assert done.stdout + done.stderr == shown
    for name in import_module("citator.cli.adr").COMMANDS:
        assert f"citator adr {name}" in "".join(sessions)
