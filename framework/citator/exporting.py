"""A model -> an ONNX file for the type `onnx`, kept only if its vectors are near the original's."""

import json
import logging
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import platformdirs
from numpy.typing import NDArray

from citator import background
from citator.calibrations import keep_background
from citator.embedding import Model
from citator.errors import EmbeddingError
from citator.models import ABOUT, CARD, Choice, about, embedding, exported, exports

Precision = Literal["float32", "int8", "float16"]

LEAST_MEAN, LEAST_WORST, LEAST_NEAREST = 0.98, 0.9, 0.75
"""What an export has to reach. On all background messages MiniLM as int8 has 0.991, 0.952 and 0.84; with one scale for a whole
matrix, onnxruntime's default, it has 0.936, 0.787 and 0.69."""

COMPARED = 3
"""Of the background messages each third is compared: a large original takes half a second for one."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How near an export's vectors are to the original's: cosines, and how often both find the same nearest message."""

    mean: float
    worst: float
    nearest: float

    def __str__(self) -> str:
        return f"cosine {self.mean:.4f} at the mean, {self.worst:.4f} at worst; same nearest in {self.nearest:.0%}"

    @property
    def is_good(self) -> bool:
        """Whether the export may be used in the original's place."""
        return self.mean >= LEAST_MEAN and self.worst >= LEAST_WORST and self.nearest >= LEAST_NEAREST


def export(model: str, precision: Precision, tell: Callable[[str], None]) -> tuple[Choice, Agreement]:
    """Makes an ONNX file of a model for the type `onnx`; raises EmbeddingError where it cannot, or is not near the original."""
    base = re.sub(r"[^\w.-]", "-", model.rstrip("/").rpartition("/")[2])
    target = exports() / f"{base}-{precision}"
    if target.exists():
        raise EmbeddingError(f"{target}: is there already; citator model remove {target.name}")
    try:
        import onnx  # noqa: F401 - what export and quantisation need
    except ImportError as error:
        raise EmbeddingError(
            "an export needs more packages; in your clone of citator: pip install -c constraints.txt '.[export]'"
        ) from error
    tell(f"loading {model}")
    original = _original(model)
    with _workshop(target) as folder:
        tell("exporting")
        _write(original, folder, precision)
        tell("comparing with the original")
        compared = _onnx(folder)
        agreement, vectors = _compared(original, compared)
        if not agreement.is_good:
            raise EmbeddingError(f"{model}: its export as {precision} is not near enough to the original ({agreement}); not kept")
        keep_background(platformdirs.user_data_path("citator") / "calibrations", compared.fingerprint, vectors)
        made = {
            "model": str(Path(model).resolve()) if Path(model).is_dir() else model,
            "precision": precision,
            **asdict(agreement),
        }
        (folder / ABOUT).write_text(json.dumps(made, indent=1))
        folder.replace(target)
    return exported(target), agreement


@contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """A folder beside the target that is gone afterwards, unless it was moved; what a full disk raises is told in one line."""
    folder = target.with_name(f".new-{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.rmtree(folder, ignore_errors=True)  # of an export that was killed
        folder.mkdir()
        yield folder
    except EmbeddingError:
        raise
    except Exception as error:
        free = shutil.disk_usage(next(path for path in target.parents if path.exists())).free
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise EmbeddingError(f"{target}: cannot be written ({free / 2**20:.0f} MiB free): {reason}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(original: Model, folder: Path, precision: Precision) -> None:
    """The model's files with an ONNX file in place of its weights."""
    import torch

    whole: Any = getattr(original.embed, "_model")  # noqa: B009 - the sentence-transformers model inside LlamaIndex's
    whole.save_pretrained(str(folder), create_model_card=False)
    for weights in (*folder.glob("model*.safetensors*"), *folder.glob("pytorch_model*")):
        weights.unlink()
    prompts = {"query": whole.prompts.get("query", ""), "document": whole.prompts.get("text", "")}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    for pattern in (CARD, "LICENSE*", "NOTICE*"):
        for file in Path(original.embed.model_name).glob(pattern):
            shutil.copy(file, folder)
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": original.window}))

    class States(torch.nn.Module):
        def __init__(self, inner: torch.nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            states: torch.Tensor = self.inner(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            return states

    inner = whole[0].auto_model
    inner.set_attn_implementation("eager")
    names, axes = ["input_ids", "attention_mask"], {0: "batch", 1: "length"}
    example = torch.ones(2, 8, dtype=torch.int64)
    plain = folder / "plain" / "model.onnx"
    plain.parent.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            States(inner).eval(), (example, example), str(plain), input_names=names, output_names=["last_hidden_state"],
            dynamic_axes=dict.fromkeys([*names, "last_hidden_state"], axes), opset_version=17, dynamo=False,
        )  # fmt: skip
    _converted(plain, folder / "model.onnx", precision)
    shutil.rmtree(plain.parent)


def _converted(plain: Path, made: Path, precision: Precision) -> None:
    import onnx

    large = sum(file.stat().st_size for file in plain.parent.iterdir()) > 2**31 - 2**20
    if precision == "int8":
        from onnxruntime.quantization import QuantType, quantize_dynamic

        logging.disable(logging.WARNING)
        quantize_dynamic(plain, made, per_channel=True, weight_type=QuantType.QInt8, use_external_data_format=large)
        logging.disable(logging.NOTSET)
        return
    model = onnx.load(plain)
    if precision == "float16":
        from onnxruntime.transformers.float16 import convert_float_to_float16

        model = convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=large)
    onnx.save(model, made, save_as_external_data=large, location="model.onnx_data")


def _original(model: str) -> Model:
    options = {"type": "huggingface", "model": model, "dtype": "float32", "device": "cpu", "max_tokens": None}
    return embedding({**options, "threads": os.cpu_count()}).load(indexing=True)


def _onnx(folder: Path) -> Model:
    return embedding({"type": "onnx", "model": str(folder), "threads": os.cpu_count()}).load(indexing=True)


def check(name: str) -> Agreement:
    """An exported model against its original, which has to be at hand."""
    folder = exports() / name
    model = about(folder).get("model")
    if not isinstance(model, str):
        raise EmbeddingError(f"{name}: no exported model; citator model list shows them")
    return _compared(_original(model), _onnx(folder))[0]


def _compared(original: Model, made: Model) -> tuple[Agreement, NDArray[np.float32]]:
    """How near, and the vectors of the background's messages by the export."""
    messages = list(background.messages())
    one, every = _vectors(original, messages[::COMPARED]), _vectors(made, messages)
    other = every[::COMPARED]
    if one.shape != other.shape:
        raise EmbeddingError(f"the export has {other.shape[1]} dimensions and the original {one.shape[1]}")
    cosines = (one * other).sum(axis=1)
    nearest = [(vectors @ vectors.T - 2 * np.eye(len(vectors))).argmax(axis=1) for vectors in (one, other)]
    return Agreement(float(cosines.mean()), float(cosines.min()), float((nearest[0] == nearest[1]).mean())), every


def _vectors(model: Model, messages: list[str]) -> NDArray[np.float32]:
    assert model.embed_messages
    return np.array(model.embed_messages(messages), dtype=np.float32)
