"""A model that is not there, whatever loads it."""

from collections.abc import Callable

import pytest

from citator.errors import EmbeddingError
from citator_plugins._reranking import Reranked
from citator_plugins.huggingface import HuggingFace
from citator_plugins.onnx import Onnx


@pytest.mark.parametrize(
    "load",
    [
        lambda model: HuggingFace(type="huggingface", model=model).load(indexing=False),
        lambda model: Onnx(type="onnx", model=model).load(indexing=False),
        lambda model: Reranked(model, 10, 100),
    ],
    ids=["huggingface", "onnx", "rerank"],
)
@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("./no/such/folder", "no such folder"),
        ("nobody/no-such-model", "not in the local cache and cannot be downloaded"),
    ],
)
def test_a_model_that_cannot_be_had_is_told_in_one_line(
    load: Callable[[str], object], model: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EmbeddingError, match=said) as caught:
        load(model)
    assert "\n" not in str(caught.value)
