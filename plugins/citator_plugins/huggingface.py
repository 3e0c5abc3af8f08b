"""Embeddings by sentence-transformers on torch: any model by name or folder."""

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from citator.api import Embedding, EmbeddingError, Model, hookimpl
from citator_plugins._models import (
    MINILM_SHA256,
    content,
    digest,
    fingerprint,
    located,
    one_line,
    packaged_minilm,
    prompts,
    quiet,
)

NOT_NEEDED = ["onnx/*", "openvino/*", "imgs/*", "*.onnx", "*.msgpack", "*.h5", "*.ot"]
"""Of a hub repository: the weights for other libraries, which would double the download."""

READ = {".json", ".txt", ".model", ".safetensors", ".bin", ".pt"}
"""The endings of the files that change a vector."""


WEIGHTS = ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"]


class HuggingFace(Embedding):
    """Any sentence-transformers model; a name is looked up in the local cache first and downloaded only if it is not there."""

    model: str
    """A name on the hub (`BAAI/bge-m3`, or `bge-m3` for short), a folder, or `minilm`, the packaged one."""

    revision: str | None = None
    """Branch, tag or commit on the hub; pin it where vectors must stay comparable."""

    query_prompt: str | None = None
    """Put in front of a message; left out, the model's own."""

    text_prompt: str | None = None
    """Put in front of a piece; left out, the model's own."""

    max_tokens: int | None = Field(default=512, ge=16)
    """Longest input in tokens, if the model's window is larger: longer ones cost seconds."""

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Precision of the arithmetic; `auto` is bfloat16 where the processor has it, else float32."""

    device: str = "auto"
    """Where torch computes: cpu, cuda, mps; `auto` is the GPU where there is one."""

    threads: int = Field(default=0, ge=0)
    """Threads for indexing; 0 means all cores but one. A message is always embedded on one, the fastest on a busy machine."""

    batch_size: int = Field(default=32, ge=1)
    """Pieces embedded in one call."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the model; a folder is told apart by a digest of its files, a hub model by its commit."""
        if self.model == "minilm":
            folder, weights = packaged_minilm(), MINILM_SHA256
        else:
            folder, weights = located(self.model, self.revision, leave_out=NOT_NEEDED, needs=WEIGHTS)
        if not weights:
            weights = digest(folder, (file for file in folder.rglob("*") if file.suffix in READ and file.is_file()))
        quiet()
        import torch
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding

        torch.set_num_threads((self.threads or max(1, (os.cpu_count() or 1) - 1)) if indexing else 1)
        query, text = prompts(folder, self.query_prompt, self.text_prompt)
        device = _gpu() if self.device == "auto" else self.device
        try:
            embed = HuggingFaceEmbedding(
                model_name=str(folder),
                device=device,
                embed_batch_size=self.batch_size,
                query_instruction=query or None,
                text_instruction=text or None,
                max_length=self._window(folder),
                local_files_only=True,
                cache_folder=str(folder),
                model_kwargs={"dtype": getattr(torch, self._dtype(device))},
            )
        except Exception as error:
            raise EmbeddingError(f"{folder}: cannot be loaded as a sentence-transformers model: {one_line(error)}") from error
        inner = embed._model
        window = int(inner.max_seq_length or 512)
        dimension = int(inner.get_embedding_dimension() or 0)

        def count_tokens(piece: str) -> int:
            return len(inner.tokenizer(text + piece, truncation=False, verbose=False)["input_ids"])

        def embed_messages(messages: list[str]) -> list[list[float]]:
            return embed._embed(list(messages), prompt_name="query")

        return Model(embed, fingerprint(weights, dimension, window, query, text), dimension, window, count_tokens, embed_messages)

    def _window(self, folder: Path) -> int | None:
        own = content(folder / "sentence_bert_config.json").get("max_seq_length")
        return self.max_tokens if self.max_tokens and (not own or own > self.max_tokens) else None

    def _dtype(self, device: str) -> str:
        if self.dtype != "auto":
            return self.dtype
        return "bfloat16" if device == "cpu" and _has_bfloat16() else "float32"


@hookimpl
def register_embeddings() -> Mapping[str, type[Embedding]]:
    """Offers `huggingface`."""
    return {"huggingface": HuggingFace}


def _gpu() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _has_bfloat16() -> bool:
    """True where the processor multiplies bfloat16 by itself; elsewhere it is emulated and slower than float32."""
    if sys.platform == "darwin":
        return False
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return ("bf16" if platform.machine() == "aarch64" else "avx512_bf16") in flags or "amx_bf16" in flags
