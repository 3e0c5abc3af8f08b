"""Embeddings by onnxruntime, which starts in a fraction of a second: any model with an ONNX file, and the packaged one."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field

from citator.api import Embedding, EmbeddingError, Model, hookimpl
from citator_plugins._models import MINILM_SHA256, Device, Pooling, digest, fingerprint, located, packaged_minilm, prompts

FILES = ("model.onnx", "onnx/model.onnx")
"""Where an ONNX file is looked for."""

WEIGHTS = "model.safetensors"
"""What is read where there is no ONNX file."""

AROUND = ["*.json", "*.txt", "*_Dense/*", "*_Pooling/*", "onnx/Constant_*"]
"""Of a hub repository: what stands around the transformer, and what torch writes beside an ONNX file above 2 GB."""


class OnnxRuntime(Embedding):
    """What all models on onnxruntime have in common."""

    device: Device = "auto"
    """Where it computes: `auto` is CUDA where this onnxruntime has it, else the processor."""

    threads: int = Field(default=0, ge=0)
    """Threads for indexing; 0 means all cores but one."""

    query_threads: int = Field(default=1, ge=1)
    """Threads for a message; on a busy machine one is the fastest."""

    batch_size: int = Field(default=8, ge=1)
    """Pieces embedded in one call; small ones are quicker here, being more alike in length."""


class Onnx(OnnxRuntime):
    """Any sentence-transformers model with an ONNX file, or with BERT's architecture; a name is looked up in the cache first."""

    model: str
    """A folder or a name on the hub."""

    file: str | None = None
    """The ONNX file in it, as in onnx/model_int8.onnx; left out, model.onnx or onnx/model.onnx, else BERT's own weights."""

    revision: str | None = None
    """Branch, tag or commit on the hub; pin it where vectors must stay comparable."""

    pooling: Pooling | None = None
    """How tokens become one vector; left out, the model's own way."""

    query_prompt: str | None = None
    """Put in front of a message; left out, the model's own."""

    text_prompt: str | None = None
    """Put in front of a piece; left out, the model's own."""

    max_tokens: int | None = Field(default=512, ge=16)
    """Longest input in tokens, if the model's window is larger: longer ones cost seconds."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the model; a folder is told apart by a digest of its files, a hub model by its commit and file."""
        folder, commit = self._located()
        file = self._file(folder)
        weights = file or folder / WEIGHTS
        read = {*folder.rglob("*.json"), *folder.glob("*_Dense/*"), *weights.parent.glob(f"{weights.name}*")}
        identity = f"{commit}/{weights.name}" if commit else digest(folder, filter(Path.is_file, read))
        return self.loaded(folder, file, f"{identity}{self.pooling or ''}", indexing=indexing)

    def loaded(self, folder: Path, file: Path | None, weights: str, *, indexing: bool) -> Model:
        """The model of a folder, by an ONNX file or by BERT's weights; `weights` tells them from others."""
        from citator_plugins._encoder import Encoder
        from citator_plugins._functions import FromFunctions

        threads = (self.threads or max(1, (os.cpu_count() or 1) - 1)) if indexing else self.query_threads
        encoder = Encoder(folder, file, self.device, threads, self.batch_size, self.pooling, self.max_tokens)
        query, text = prompts(folder, self.query_prompt, self.text_prompt)

        def messages(texts: Sequence[str]) -> list[list[float]]:
            return encoder.encode(texts, query)

        embed = FromFunctions(str(file or folder), messages, lambda texts: encoder.encode(texts, text))
        name = fingerprint(weights, encoder.dimension, encoder.window, query, text)
        return Model(embed, name, encoder.dimension, encoder.window, lambda piece: encoder.tokens(text + piece), messages)

    def _located(self) -> tuple[Path, str]:
        """The folder, with one ONNX file where the hub has it, else with the weights of BERT."""
        names = [self.file] if self.file else [*FILES, WEIGHTS]
        take = [f"{name}*" for name in names if name != WEIGHTS]
        folder, commit = located(self.model, self.revision, take=[*AROUND, *take], needs=names)
        if commit and not self.file and self._file(folder) is None:
            return located(self.model, self.revision, take=[*AROUND, WEIGHTS], needs=[WEIGHTS])
        return folder, commit

    def _file(self, folder: Path) -> Path | None:
        names = [self.file] if self.file else FILES
        found = next((folder / name for name in names if (folder / name).is_file()), None)
        if found is None and self.file:
            there = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.onnx"))
            raise EmbeddingError(f"{folder}: no file {self.file}; there are: {', '.join(there) or 'no ONNX files'}")
        return found


class MiniLM(OnnxRuntime):
    """all-MiniLM-L6-v2 from a package: English, 256 tokens, no download."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the packaged model; refuses weights that are not the published ones."""
        folder = packaged_minilm()
        own = self.model_dump(exclude={"type"})
        onnx = Onnx(type="onnx", model=str(folder), query_prompt="", text_prompt="", max_tokens=None, **own)
        return onnx.loaded(folder, None, MINILM_SHA256, indexing=indexing)


@hookimpl
def register_embeddings() -> Mapping[str, type[Embedding]]:
    """Offers `onnx` and the packaged `minilm`."""
    return {"minilm": MiniLM, "onnx": Onnx}
