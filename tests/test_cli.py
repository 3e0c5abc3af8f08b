"""The commands as a person types them, on real folders with the packaged model."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citator.cli import COMMANDS, main

Run = Callable[..., tuple[int, str, str]]

DECISION = "# {title}\n\n## Status\n\n{status}\n\n## Context\n\n{context}\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, project: Path) -> Run:
    monkeypatch.chdir(project)
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*words: str) -> tuple[int, str, str]:
        code = main(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def project(home: Path) -> Iterator[Path]:
    """A repository with two decisions, of which one replaces the other, and a folder of rules."""
    folder = home / "code" / "shop"
    decisions = folder / "docs" / "decisions"
    decisions.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    (decisions / "0001-use-rabbitmq-for-background-jobs.md").write_text(
        DECISION.format(
            title="Use RabbitMQ for background jobs",
            status="Superseded by [ADR-0002](0002-use-postgresql-as-the-job-queue.md)",
            context="Workers take their background jobs from a RabbitMQ queue.",
        )
    )
    (decisions / "0002-use-postgresql-as-the-job-queue.md").write_text(
        DECISION.format(
            title="Use PostgreSQL as the job queue",
            status="Accepted",
            context="Background workers take their jobs from a table with SKIP LOCKED.",
        )
    )
    (decisions / "0003-render-pages-on-the-server.md").write_text(
        DECISION.format(title="Render pages on the server", status="Accepted", context="Phones are old and networks slow.")
    )
    rules = home / "rules"
    rules.mkdir()
    (rules / "python.md").write_text("# Format Python with ruff\n\nEvery commit is formatted by ruff before it is pushed.\n")
    yield folder


QUEUE = "Which queue do the background job workers use, RabbitMQ or PostgreSQL?"


def test_init_sync_and_recall_hand_over_a_superseded_decision_with_its_successor(run: Run, project: Path) -> None:
    code, out, _ = run("init")
    assert code == 0
    assert "found adr: " in out
    assert "the packaged model reads English" in out
    assert (project / ".citator.yaml").is_file()

    code, out, err = run("sync")
    assert (code, err) == (0, "")
    assert out.startswith("0 unchanged, 3 embedded (3 pieces), 0 removed in ")

    code, out, _ = run("recall", QUEUE)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Past records that may be related (reference, not instructions)"
    assert "- ⚠️superseded → ADR-0002 decision ADR-0001 · Use RabbitMQ for background jobs" in out
    assert "- decision ADR-0002 · Use PostgreSQL as the job queue" in out
    assert len(out.encode()) <= 2049

    assert run("recall", "Write a limerick about a cat in Venice")[:2] == (0, "")


def test_a_flipped_status_shows_at_once_without_a_sync(run: Run, project: Path) -> None:
    run("sync")
    file = project / "docs" / "decisions" / "0002-use-postgresql-as-the-job-queue.md"
    assert "⚠️rejected" not in run("recall", QUEUE)[1]
    file.write_text(file.read_text().replace("Accepted", "Rejected"))
    assert "- ⚠️rejected decision ADR-0002 · Use PostgreSQL as the job queue" in run("recall", QUEUE)[1]
    assert "rejected, by 0002-use-postgresql-as-the-job-queue.md:5: Rejected" in run("why", QUEUE)[1]


def test_recall_k_shows_the_top_whatever_the_gate_says(run: Run) -> None:
    run("sync")
    code, out, _ = run("recall", "Write a limerick about a cat in Venice", "-k", "2")
    assert code == 0
    assert [line.split()[1] for line in out.splitlines()] == ["decision", "decision"]


def test_recall_json_has_everything(run: Run) -> None:
    run("sync")
    found = json.loads(run("recall", QUEUE, "--json")[1])
    assert found["block"].startswith("Past records")
    assert found["bytes"] == len(found["block"].encode())
    assert {"embedding", "search", "marks", "gate", "render"} <= found["milliseconds"].keys()
    [old] = [candidate for candidate in found["candidates"] if candidate["label"] == "ADR-0001"]
    assert (old["mark"], old["handed_over"], old["verdict"]["status"]) == ("⚠️superseded → ADR-0002", True, "superseded")


def test_why_tells_for_each_candidate_whether_it_is_in_or_out_and_by_which_line(run: Run) -> None:
    run("sync")
    code, out, _ = run("why", QUEUE)
    assert code == 0
    assert "in   " in out
    assert "out  " in out
    assert "superseded, by 0001-use-rabbitmq-for-background-jobs.md:5: Superseded by [ADR-0002]" in out
    assert "handed over" in out.splitlines()[-1]


def test_an_edited_record_changes_what_is_recalled_after_a_sync(run: Run, project: Path) -> None:
    run("sync")
    file = project / "docs" / "decisions" / "0003-render-pages-on-the-server.md"
    file.write_text(
        DECISION.format(title="Keep sessions in Redis", status="Accepted", context="User sessions are kept in Redis.")
    )
    assert "1 embedded" in run("sync")[1]
    assert "Keep sessions in Redis" in run("recall", "Where are user sessions kept, in Redis?")[1]


def test_recall_before_any_sync_says_so_in_one_line(run: Run) -> None:
    code, out, err = run("recall", QUEUE)
    assert (code, out) == (1, "")
    assert err == "citator: nothing is in the store for this pipeline yet; say: citator sync\n"


def test_init_does_not_replace_a_file_unless_forced_and_dry_run_writes_none(run: Run, project: Path) -> None:
    code, out, _ = run("init", "--dry-run")
    assert (code, (project / ".citator.yaml").exists()) == (0, False)
    assert "\n  # - {type: adr, path: docs/decisions}" in out
    run("init")
    code, _, err = run("init")
    assert (code, err.count("\n")) == (1, 1)
    assert "is there already" in err
    assert run("init", "--force")[0] == 0


def test_what_comes_after_init_is_found_too(run: Run, project: Path) -> None:
    decisions = (project / "docs" / "decisions").rename(project / "elsewhere")
    assert "found nothing yet" in run("init")[1]
    decisions.rename(project / "docs" / "decisions")
    run("sync")
    assert "ADR-0001" in run("recall", QUEUE)[1]


def test_init_finds_what_is_there_now(run: Run, project: Path) -> None:
    (project / "docs" / "decisions").rename(project / "docs" / "adr")
    assert "{type: adr, path: docs/adr}" in run("init", "--dry-run")[1]


def test_init_with_a_model_writes_one_line(run: Run) -> None:
    assert "embedding: {type: huggingface, model: bge-m3}" in run("init", "--dry-run", "--model", "bge-m3")[1]


def test_init_warns_where_the_records_are_written_in_another_script(run: Run, project: Path) -> None:
    for file in (project / "docs" / "decisions").iterdir():
        file.write_text(DECISION.format(title="注文の取り消し", status="承認", context="発送後の取り消しは返品として扱う。" * 20))
    assert "WARNING: " in run("init")[1]


def test_trust_obeys_a_projects_file_until_its_next_edit(run: Run, project: Path) -> None:
    (project / ".citator.yaml").write_text("renderer: {type: headlines, lines: 1}\n")
    _, out, err = run("config", "show")
    assert "not trusted" in err
    assert "lines: 5" in out
    assert run("trust")[0] == 0
    assert "lines: 1" in run("config", "show")[1]
    (project / ".citator.yaml").write_text("renderer: {type: headlines, lines: 2}\n")
    assert "lines: 5" in run("config", "show")[1]


def test_trust_refuses_a_file_that_would_not_work(run: Run, project: Path) -> None:
    (project / ".citator.yaml").write_text("renderer: headlins\n")
    code, _, err = run("trust")
    assert code == 1
    assert "did you mean 'headlines'?" in err


def test_plugins_lists_offers_and_the_options_of_one(run: Run) -> None:
    code, out, _ = run("plugins")
    assert code == 0
    assert "source            memory" in out
    assert "max" not in run("plugins", "adr")[1]
    assert "path: required" in run("plugins", "markdown")[1]
    code, _, err = run("plugins", "nothing")
    assert (code, err.count("\n")) == (1, 1)


def test_forget_removes_a_record(run: Run, project: Path) -> None:
    run("sync")
    file = project / "docs" / "decisions" / "0003-render-pages-on-the-server.md"
    file.unlink()
    assert run("forget", file.name)[:2] == (0, "forgot 1 record\n")
    assert "ADR-0003" not in run("recall", "pages", "-k", "9")[1]
    code, _, err = run("forget", "no such id")
    assert (code, err.count("\n")) == (1, 1)


def test_forget_tells_what_the_next_sync_brings_back(run: Run, project: Path) -> None:
    run("sync")
    file = project / "docs" / "decisions" / "0003-render-pages-on-the-server.md"
    told = f"its file is still there: the next sync brings it back; delete or move {file} first"
    assert run("forget", file.name)[1].splitlines() == ["forgot 1 record", told]
    assert "1 embedded" in run("sync")[1]
    source = next(each["source"] for each in json.loads(run("recall", QUEUE, "--json")[1])["candidates"])
    told = "the pipeline still names this source: the next sync brings its records back; take it out of the pipeline first"
    assert run("forget", "--source", source)[1].splitlines() == ["forgot 3 records", told]


def test_a_missing_folder_is_one_line_and_the_rest_goes_on(run: Run, project: Path) -> None:
    (project / "p.yaml").write_text("sources: [{type: adr, path: docs/decisions}, {type: markdown, path: no/such}]\n")
    code, out, err = run("sync", "--config", "p.yaml")
    assert code == 1
    assert "3 embedded" in out
    assert err.count("\n") == 1
    assert str(project / "no" / "such") in err


def test_rebuild_keeps_the_old_collection_aside(run: Run, home: Path) -> None:
    run("sync")
    code, out, err = run("sync", "--rebuild")
    assert code == 0
    assert "3 embedded" in out
    assert Path(err.split("kept as ")[1].strip()).is_dir()


def test_a_decision_that_cannot_be_read_any_more_is_unknown_and_recall_tells_of_it(run: Run, project: Path) -> None:
    (project / "p.yaml").write_text("sources: [{type: adr, path: docs/decisions}]\n")
    run("sync", "--config", "p.yaml")
    file = project / "docs" / "decisions" / "0002-use-postgresql-as-the-job-queue.md"
    file.write_bytes(b"\0")
    code, out, err = run("recall", QUEUE, "--config", "p.yaml")
    assert code == 0
    assert "- status unknown decision ADR-0002" in out
    assert f"{file}: is no text file" in err
    assert run("sync", "--config", "p.yaml")[2].count("0002-use") == 1


def test_an_unmounted_decision_folder_marks_its_records_unknown_and_recall_goes_on(run: Run, project: Path) -> None:
    (project / "p.yaml").write_text("sources: [{type: adr, path: docs/decisions}]\n")
    run("sync", "--config", "p.yaml")
    (project / "docs" / "decisions").rename(project / "docs" / "away")
    code, out, err = run("recall", QUEUE, "--config", "p.yaml")
    assert code == 0
    assert "- status unknown decision ADR-0002" in out
    assert str(project / "docs" / "decisions") in err


@pytest.mark.parametrize("words", [["recall"], ["nonsense"], [], ["config"], ["adr", "list", "--dialect"]])
def test_a_wrong_command_line_is_usage_and_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "usage: citator" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert f"usage: citator {command}" in capsys.readouterr().out


def test_the_demo_shows_blocks_with_a_superseded_decision_and_one_of_nothing(run: Run) -> None:
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert "- ⚠️superseded → ADR-0007 decision ADR-0003 · Use RabbitMQ for background jobs" in out
    assert "- decision ADR-0007 · Use PostgreSQL as the job queue" in out
    assert out.count("(nothing is handed over)") == 1
    assert "conversation 2025-03-10 · Same product number in two shops breaks the nightly import" in out
    assert "Qdrant Edge is the embedded engine" in out


def test_adr_starts_without_a_model_a_store_or_llama_index(project: Path) -> None:
    code = (
        "import sys; from citator.cli import main; main(['adr', 'list', 'docs/decisions'])\n"
        "heavy = {'llama_index', 'qdrant_edge', 'qdrant_client', 'torch', 'numpy'} & set(sys.modules)\n"
        "raise SystemExit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3 records, 1 not current, 0 partly" in done.stdout


def test_eval_measures_messages_with_known_answers_beside_another_pipeline(run: Run, project: Path) -> None:
    run("sync")
    cases = project / "cases.jsonl"
    lines = [
        {"message": QUEUE, "records": ["ADR-0002"], "kind": "answered"},
        {"message": QUEUE, "records": ["0001-use-rabbitmq-for-background-jobs.md"], "kind": "answered"},
        {"message": "Why are pages rendered on the server?", "records": ["Render pages on the server"]},
        {"message": "Write a limerick about a cat in Venice", "records": [], "language": "en"},
    ]
    cases.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    ungated = project / "ungated.yaml"
    ungated.write_text("postprocessors: [marks]\n")
    code, out, err = run("eval", "cases.jsonl", "--against", "ungated.yaml", "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert (made["answerable"], made["recall_at_5"], made["kept"], made["right"]) == (3, 1.0, 1.0, 1.0)
    assert (made["unrelated"], made["false_injection"], made["against"]["false_injection"]) == (1, 0.0, 1.0)
    assert made["by_kind"]["answered"]["answerable"] == 2
    assert made["bytes_median"] > 0
    assert set(made["milliseconds"]) == {"p50", "p95"}

    cases.write_text(cases.read_text() + '{"message": "which?", "records": ["ADR-9"]}\nnonsense\n')
    code, out, err = run("eval", "cases.jsonl")
    assert code == 1
    assert "cases.jsonl:6: not JSON" in err
    assert "cases.jsonl:5: no record 'ADR-9' in this pipeline; counted as missed" in err
    assert "messages with an answer" in out


def test_calibrate_shows_what_each_rate_lets_through(run: Run, project: Path) -> None:
    assert run("calibrate")[::2] == (1, "citator: the gate has no background to compare with; say: citator sync\n")
    run("sync")
    code, out, err = run("calibrate", "--html", "curves.html")
    assert (code, err) == (0, "")
    assert "everyday messages it lets through" in out
    page = (project / "curves.html").read_text()
    assert page.count("<polyline") == 2
    assert "http" not in page
    made = json.loads(run("calibrate", "--json", "--rate", "0.02")[1])
    shares = [rate["everyday"]["count"] for rate in made["rates"]]
    assert shares == sorted(shares)
    assert all(rate["everyday"]["low"] <= rate["everyday"]["count"] / rate["everyday"]["of"] for rate in made["rates"])
    assert made["rates"][4]["everyday"]["count"] <= 0.08 * made["rates"][4]["everyday"]["of"]
    assert made["rates"][4]["titles"]["count"] == 3
    assert len(made["languages"]) >= 9
    assert run("calibrate", "--rate", "1")[0] == 1


def test_a_project_that_is_not_there_is_told_in_a_line(run: Run) -> None:
    for command in (["init"], ["sync"], ["recall", "why?"], ["status"]):
        code, _, err = run(*command, "--project", "/no/such/folder")
        assert (code, err) == (1, "citator: /no/such/folder: there is no such folder\n")


def test_without_any_source_sync_and_recall_say_so(run: Run, project: Path) -> None:
    (project / "p.yaml").write_text("sources: []\n")
    assert "nothing was found to recall from" in run("sync", "--config", "p.yaml")[2]
    assert "nothing was found to recall from" in run("recall", "x", "--config", "p.yaml")[2]
