"""Text -> vectors on onnxruntime, with all that a sentence-transformers folder says besides the transformer itself."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from citator.api import EmbeddingError
from citator_plugins import _bert
from citator_plugins._models import Device, Pooling, content, one_line

Floats = NDArray[np.float32]

ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {"Identity": lambda x: x, "Tanh": np.tanh}
PROVIDERS = {"cuda": "CUDAExecutionProvider", "coreml": "CoreMLExecutionProvider"}
SPARE = 0.9
"""A model may have rows for more tokens than its tokenizer knows, but not for many more."""


class Encoder:
    """A model of a folder; `file` is its ONNX file, None to read BERT's weights as they are."""

    def __init__(
        self,
        folder: Path,
        file: Path | None,
        device: Device,
        threads: int,
        batch_size: int,
        pooling: Pooling | None,
        max_tokens: int | None,
    ) -> None:
        self._folder, self._batch_size = folder, batch_size
        self.where = file or folder
        self._pooling, self._dense = _modules(folder, pooling)
        self._tokenizer = _tokenizer(folder)
        self._session = _session(folder, file, device, threads)
        self._inputs = {each.name for each in self._session.get_inputs()}
        if odd := self._inputs - {"input_ids", "attention_mask", "token_type_ids", "position_ids"}:
            raise EmbeddingError(f"{self.where}: no encoder of texts: it also wants {', '.join(sorted(odd)[:3])}")
        own = self._own_window()
        self.window = min(own, max_tokens or own)
        self.dimension = self._proved()

    def tokens(self, text: str) -> int:
        """How many tokens a text has, special ones included, truncation off."""
        return len(self._tokenizer.encode(text).ids)

    def encode(self, texts: Sequence[str], prompt: str) -> list[list[float]]:
        """The vectors of texts, in their order, of length 1; computed by length, so that a batch wastes little on padding."""
        encodings = self._tokenizer.encode_batch([prompt + text for text in texts])
        read = [self._cut(encoding.ids, encoding.special_tokens_mask) for encoding in encodings]
        order = sorted(range(len(read)), key=lambda number: len(read[number]))
        vectors = np.empty((len(read), self.dimension), dtype=np.float32)
        for begin in range(0, len(order), self._batch_size):
            some = order[begin : begin + self._batch_size]
            vectors[some] = self._vectors([read[number] for number in some])
        listed: list[list[float]] = vectors.tolist()
        return listed

    def _cut(self, ids: list[int], special: list[int]) -> list[int]:
        """The tokens that fit the window, with the special ones that end every text."""
        if len(ids) <= self.window:
            return ids
        ending = special[::-1].index(0)
        return ids[: self.window - ending] + ids[len(ids) - ending :]

    def _vectors(self, read: Sequence[Sequence[int]]) -> Floats:
        ids = np.zeros((len(read), max(map(len, read))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(read):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        every = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        states = self._session.run(None, {name: every[name] for name in self._inputs})[0].astype(np.float32)
        vectors = _pooled(states, mask, self._pooling) if states.ndim == 3 else states
        for layer in self._dense:
            vectors = layer(vectors)
        unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def _own_window(self) -> int:
        config = content(self._folder / "config.json")
        first = config.get("pad_token_id", 1) + 1 if "roberta" in str(config.get("model_type")) else 0
        places = config.get("max_position_embeddings", 512) - first
        own = content(self._folder / "sentence_bert_config.json").get("max_seq_length")
        limit = own or content(self._folder / "tokenizer_config.json").get("model_max_length") or places
        return int(min(places, limit))

    def _proved(self) -> int:
        """The dimension, after a run with the tokenizer's last token, which a model of another tokenizer does not have."""
        known, rows = self._tokenizer.get_vocab_size(), content(self._folder / "config.json").get("vocab_size")
        if rows and not SPARE * rows <= known <= rows:
            raise EmbeddingError(
                f"{self._folder / 'tokenizer.json'}: knows {known} tokens and the model {rows}: that of another model"
            )
        try:
            [vector] = self._vectors([[*self._tokenizer.encode("citator").ids, known - 1]])
        except Exception as error:
            raise EmbeddingError(f"{self.where}: does not run with its tokenizer: {one_line(error)}") from error
        if not np.isfinite(vector).all():
            raise EmbeddingError(f"{self.where}: gives no numbers; it is damaged, or this processor cannot run it")
        return len(vector)


def _session(folder: Path, file: Path | None, device: Device, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads leave the processor to others
    options.log_severity_level = 4
    offered = onnxruntime.get_available_providers()
    wanted = PROVIDERS.get("cuda" if device == "auto" else device)
    if wanted and wanted not in offered and device != "auto":
        raise EmbeddingError(f"device {device}: this onnxruntime has none; it has {', '.join(offered)}")
    providers = [name for name in (wanted, "CPUExecutionProvider") if name in offered]
    if file is None:
        weights = (folder / "model.safetensors").resolve()
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(weights.parent))
    source = str(file) if file else _bert.graph(folder)
    try:
        return onnxruntime.InferenceSession(source, options, providers=providers)
    except Exception as error:
        raise EmbeddingError(f"{file or folder}: cannot be loaded by onnxruntime: {one_line(error)}") from error


def _tokenizer(folder: Path) -> Tokenizer:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    file = folder / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:
        raise EmbeddingError(f"{file}: cannot be read as a tokenizer: {one_line(error)}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _modules(folder: Path, pooling: Pooling | None) -> tuple[Pooling, list[Callable[[Floats], Floats]]]:
    """What comes behind the transformer: the pooling (as given, else the model's own) and the dense layers."""
    try:
        listed: list[dict[str, str]] = json.loads((folder / "modules.json").read_bytes())
    except (OSError, ValueError):
        listed = []
    dense = []
    for module in listed:
        kind, place = module["type"].rpartition(".")[2], folder / module["path"]
        if kind == "Pooling":
            pooling = pooling or _own_pooling(place / "config.json")
        elif kind == "Dense":
            dense.append(_dense_layer(place))
        elif kind not in ("Transformer", "Normalize"):
            raise EmbeddingError(f"{folder}: has a module of type {kind}, which only type huggingface knows")
    if pooling is None:
        raise EmbeddingError(f"{folder}: no file says how tokens become one vector; say pooling: mean (or cls, lasttoken)")
    return pooling, dense


def _own_pooling(file: Path) -> Pooling | None:
    config = content(file)
    old: dict[str, Pooling] = {
        "pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean", "pooling_mode_lasttoken": "lasttoken",
    }  # fmt: skip
    modes = config.get("pooling_mode") or [old.get(key, key) for key in config if key.startswith("pooling_mode_") and config[key]]
    match [modes] if isinstance(modes, str) else modes:
        case []:
            return None
        case ["mean" | "cls" | "lasttoken" as mode] if config.get("include_prompt", True):
            return mode
    raise EmbeddingError(f"{file}: a way of pooling that only type huggingface knows")


def _dense_layer(folder: Path) -> Callable[[Floats], Floats]:
    from safetensors.numpy import load_file

    config, file = content(folder / "config.json"), folder / "model.safetensors"
    activation = ACTIVATIONS.get(str(config.get("activation_function")).rpartition(".")[2])
    if activation is None:
        raise EmbeddingError(
            f"{folder}: a dense layer with {config.get('activation_function')}, which only type huggingface knows"
        )
    try:
        weights: dict[str, Floats] = load_file(file)
        matrix = weights["linear.weight"].T
    except Exception as error:
        raise EmbeddingError(f"{file}: cannot be read as a dense layer: {one_line(error)}") from error
    bias: Any = weights.get("linear.bias", 0)
    return lambda vectors: activation(vectors @ matrix + bias)


def _pooled(states: Floats, mask: NDArray[np.int64], pooling: Pooling) -> Floats:
    counts = mask.sum(axis=1)
    if pooling == "cls":
        return states[:, 0]
    if pooling == "lasttoken":
        last: Floats = states[np.arange(len(states)), counts - 1]
        return last
    mean: Floats = np.einsum("btd,bt->bd", states, mask.astype(np.float32)) / counts[:, None].astype(np.float32)
    return mean
