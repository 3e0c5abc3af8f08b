"""BERT's encoder as an ONNX graph over the weights of a safetensors file, so that running it takes neither torch nor an export.

The graph is a few kilobytes and holds no weights: it says where each lies in the file, which onnxruntime looks for in the folder
`session.model_external_initializers_file_folder_path`; the file is named as links (those of the hub's cache) resolve it.
The fields are numbered as in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.
"""

import json
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from citator.api import EmbeddingError

FLOAT, INT32, INT64 = 1, 6, 7
OURS = "com.microsoft"
"""The domain of onnxruntime's own operators, which it has for every processor."""


def graph(folder: Path) -> bytes:
    """The encoder of a folder with `config.json` and `model.safetensors`: `input_ids`, `attention_mask` -> `last_hidden_state`.

    Raises EmbeddingError where it is of another architecture or its weights are not of 32 bits.
    """
    try:
        config = json.loads((folder / "config.json").read_bytes())
        kind = config["model_type"]
        if kind not in ("bert", "roberta", "xlm-roberta"):
            raise EmbeddingError(f"{folder}: has no ONNX file, and {kind!r} is none of the architectures read without one")
        if config.get("hidden_act", "gelu") != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
            raise EmbeddingError(f"{folder}: has no ONNX file, and its variant of {kind} is not read without one")
        first_position = 0 if kind == "bert" else config["pad_token_id"] + 1
        return _Encoder(folder / "model.safetensors", config, first_position).model()
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise EmbeddingError(f"{folder}: neither an ONNX file nor a whole model in safetensors: {error}") from error


class _Encoder:
    """Puts the graph together, node by node."""

    def __init__(self, weights: Path, config: Mapping[str, Any], first_position: int) -> None:
        self._file, self._config, self._first_position = weights.resolve().name, config, first_position
        with weights.open("rb") as stream:
            (size,) = struct.unpack("<Q", stream.read(8))
            self._tensors: dict[str, Any] = json.loads(stream.read(size))
        self._begin = 8 + size
        word = "embeddings.word_embeddings.weight"
        self._prefix = next((name.removesuffix(word) for name in self._tensors if name.endswith(word)), "")
        self._nodes: list[bytes] = []
        self._initializers: dict[str, bytes] = {}

    def model(self) -> bytes:
        """The graph as the content of an ONNX file."""
        hidden = self._config["hidden_size"]
        rows = self._integers("rows", [-1, hidden])
        shape = self._node("Concat", [self._node("Shape", ["input_ids"]), self._integers("hidden", [hidden])], axis=0)
        mask = self._node("Cast", ["attention_mask"], to=INT32)
        states = self._node("Reshape", [self._embedded(), rows])
        for number in range(self._config["num_hidden_layers"]):
            states = self._layer(f"encoder.layer.{number}.", states, rows, shape, mask)
        self._node("Reshape", [states, shape], "last_hidden_state")
        inputs = [_field(11, _value(name, INT64, ["batch", "length"])) for name in ("input_ids", "attention_mask")]
        output = _field(12, _value("last_hidden_state", FLOAT, ["batch", "length", hidden]))
        content = [*self._nodes, _field(2, b"bert"), *self._initializers.values(), *inputs, output]
        versions = [_field(8, _field(1, name.encode()) + _number(2, version)) for name, version in (("", 17), (OURS, 1))]
        return b"".join([_number(1, 8), _field(7, b"".join(content)), *versions])

    def _embedded(self) -> str:
        words = self._node("Gather", [self._weight("embeddings.word_embeddings.weight"), "input_ids"])
        first = self._integers("first", [self._first_position])
        last = self._node("Add", [self._node("Shape", ["input_ids"], start=1, end=2), first])
        table = self._weight("embeddings.position_embeddings.weight")
        positions = self._node("Slice", [table, first, last, self._integers("axis", [0])])
        kind = self._node("Gather", [self._weight("embeddings.token_type_embeddings.weight"), self._integers("kind", [0])])
        return self._normalised("embeddings.LayerNorm", self._sum(self._sum(words, kind), positions))

    def _layer(self, at: str, states: str, rows: str, shape: str, mask: str) -> str:
        """One layer, on the states of all tokens as the rows of one matrix: the form for which products are quickest."""
        parts = [self._linear(f"{at}attention.self.{part}", states) for part in ("query", "key", "value")]
        wide = [self._node("Reshape", [part, shape]) for part in parts]
        heads = self._config["num_attention_heads"]
        mixed = self._node("MultiHeadAttention", [*wide, "", mask], domain=OURS, num_heads=heads)
        attended = self._linear(f"{at}attention.output.dense", self._node("Reshape", [mixed, rows]))
        states = self._normalised(f"{at}attention.output.LayerNorm", self._sum(attended, states))
        inner = self._node("Gelu", [self._linear(f"{at}intermediate.dense", states)], domain=OURS)
        return self._normalised(f"{at}output.LayerNorm", self._sum(self._linear(f"{at}output.dense", inner), states))

    def _linear(self, name: str, states: str) -> str:
        return self._node("Gemm", [states, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")], transB=1)

    def _normalised(self, name: str, states: str) -> str:
        inputs = [states, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")]
        return self._node("LayerNormalization", inputs, axis=-1, epsilon=float(self._config["layer_norm_eps"]))

    def _sum(self, one: str, other: str) -> str:
        return self._node("Add", [one, other])

    def _node(self, kind: str, inputs: Iterable[str], output: str = "", domain: str = "", **attributes: float) -> str:
        output = output or f"node{len(self._nodes)}"
        named = [_field(1, name.encode()) for name in inputs]
        options = [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        content = [*named, _field(2, output.encode()), _field(4, kind.encode()), *options, _field(7, domain.encode())]
        self._nodes.append(_field(1, b"".join(content)))
        return output

    def _integers(self, name: str, values: list[int]) -> str:
        raw = struct.pack(f"<{len(values)}q", *values)
        self._initializers[name] = _field(5, _tensor(name, INT64, [len(values)]) + _field(9, raw))
        return name

    def _weight(self, name: str) -> str:
        """A tensor that stays where it is in the safetensors file."""
        tensor = self._tensors[self._prefix + name]
        if tensor["dtype"] != "F32":
            raise ValueError(f"its weights are {tensor['dtype']}, and only F32 is read")
        begin, end = tensor["data_offsets"]
        place = {"location": self._file, "offset": str(self._begin + begin), "length": str(end - begin)}
        pairs = [_field(13, _field(1, key.encode()) + _field(2, value.encode())) for key, value in place.items()]
        self._initializers[name] = _field(5, _tensor(name, FLOAT, tensor["shape"]) + b"".join(pairs) + _number(14, 1))
        return name


def _tensor(name: str, kind: int, shape: Iterable[int]) -> bytes:
    return b"".join(_number(1, size) for size in shape) + _number(2, kind) + _field(8, name.encode())


def _value(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    sizes = [_number(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in shape]
    form = _field(2, b"".join(_field(1, size) for size in sizes))
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + form))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, float):
        return _field(1, name.encode()) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value % 2**64)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
