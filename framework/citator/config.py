"""YAML -> PipelineConfig: read whole, checked whole, every problem in a line of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from citator.embedding import Embedding
from citator.errors import ConfigError, PluginError, blamed, hint
from citator.options import SessionOptions, StoreOptions, docstrings, fields_of
from citator.plugins import KINDS, Plugins, base_of
from citator.postprocessing import Postprocessor
from citator.project import project_of, worktree_of
from citator.rendering import Renderer
from citator.settings import PROJECT_FILE, user_file
from citator.sources import Source
from citator.status import StatusResolver
from citator.trusting import is_trusted, trust

KEYS = ("agent", "sources", "embedding", "store", "postprocessors", "renderer", "session")
_EMBEDDING = re.compile(r"^embedding[ \t]*:.*\n?(?:[ \t]+\S.*(?:\n|\Z))*", re.MULTILINE)
DISCOVERED = "discovered"
"""Stands in `sources` for whatever the installed source types find for the project."""

T = TypeVar("T")
_KIND = {base_of(kind): kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """A pipeline, checked; `files` are those it was read from, the strongest last."""

    sources: tuple[Source, ...]
    embedding: Embedding
    store: StoreOptions
    postprocessors: tuple[Postprocessor, ...]
    renderer: Renderer
    session: SessionOptions
    files: tuple[Path, ...] = ()
    notices: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """All options as plain values, defaults included."""
        return {
            "sources": [{**source.model_dump(mode="json"), "key": source.key} for source in self.sources],
            "embedding": self.embedding.model_dump(mode="json"),
            "store": self.store.model_dump(mode="json"),
            "postprocessors": [step.model_dump(mode="json") for step in self.postprocessors],
            "renderer": self.renderer.model_dump(mode="json"),
            "session": self.session.model_dump(mode="json"),
        }


def shipped(folder: Literal["configs", "docs/decisions"]) -> Path:
    """A folder that comes with citator: in the wheel beside this module, or in a checkout at its top."""
    packed = Path(__file__).parent / folder
    return packed if packed.is_dir() else Path(__file__).parents[2] / folder


def load_config(plugins: Plugins, project: Path, folder: Path, file: Path | None = None) -> PipelineConfig:
    """The pipeline for a project: `file` alone where one is given, else the user's file with the project's on top.

    A file replaces the one below it by top-level key; what no file says comes from the shipped claude-code.yaml. `folder` is
    where the project's own file lies and relative paths begin. Raises ConfigError with every problem found.
    """
    default = shipped("configs") / "claude-code.yaml"
    used, notices = _files(folder, file)
    build = _Builder(plugins, folder, project)
    merged: dict[str, tuple[object, str]] = {}
    for name, text in [(str(default), default.read_text("utf-8")), *used]:
        with build.collecting():
            content = _mapping(text, name)
            build.problems += _unknown(content, name)
            if "agent" in content and Path(name).parent != default.parent:
                build.problems.append(
                    f"{name}: agent: says nothing of a pipeline; move it to {user_file().parent}/agents/NAME.yaml"
                )
            merged.update({key: (value, name) for key, value in content.items()})
    sources = build.sources(*merged["sources"])
    embedding = build.one(Embedding, "embedding", *merged["embedding"])
    store = build.store(*merged["store"])
    postprocessors = build.many(Postprocessor, "postprocessors", *merged["postprocessors"])
    renderer = build.one(Renderer, "renderer", *merged["renderer"])
    session = build.session(*merged["session"])
    if build.problems or embedding is None or store is None or renderer is None or session is None:
        raise ConfigError(build.problems)
    return PipelineConfig(
        sources, embedding, store, postprocessors, renderer, session, tuple(Path(name) for name, _ in used), tuple(notices)
    )


def config_of(folder: Path, file: Path | None = None) -> PipelineConfig:
    """The pipeline of the project that `folder` belongs to, of all that is installed; see `load_config`."""
    return load_config(Plugins.load(), project_of(folder), worktree_of(folder), file)


def _files(folder: Path, file: Path | None) -> tuple[list[tuple[str, str]], list[str]]:
    """(name, text) of each file to use, weakest first, and what was left out."""
    if file:
        return [(str(file), _read(file))], []
    used = [(str(path), _read(path)) for path in [user_file()] if path.is_file()]
    own = folder / PROJECT_FILE
    if not own.is_file():
        return used, []
    text = _read(own)
    if is_trusted(own, text):
        return [*used, (str(own), text)], []
    return used, [f"{own}: left out, since it is not trusted; read it, then say: citator trust"]


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; citator init writes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error


class _UniqueKeys(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice, of which YAML would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key has to be a word", problem_mark=key_node.start_mark)
            if key_node.value in seen and key_node.tag != "tag:yaml.org,2002:merge":
                raise yaml.MarkedYAMLError(problem=f"{key_node.value!r} is given twice", problem_mark=key_node.start_mark)
            seen.add(str(key_node.value))
        return super().construct_mapping(node, deep)


def parse(text: str, name: str) -> dict[str, object]:
    """The top level of a pipeline file; raises ConfigError where it is no mapping or has an unknown key."""
    content = _mapping(text, name)
    if unknown := _unknown(content, name):
        raise ConfigError(unknown)
    return content


def _unknown(content: Mapping[str, object], name: str) -> list[str]:
    return [f"{name}: {key}: unknown key; {hint(str(key), KEYS)}" for key in content if key not in KEYS]


def _mapping(text: str, name: str) -> dict[str, object]:
    try:
        content = yaml.load(text, _UniqueKeys)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{name}{where}: not valid YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(f"{name}: a pipeline is a mapping with the keys {', '.join(KEYS)}")
    return content


class _Builder:
    """Makes the checked parts of one pipeline and collects what is wrong with them."""

    def __init__(self, plugins: Plugins, folder: Path, project: Path) -> None:
        self.plugins, self.folder, self.project = plugins, folder, project
        self.problems: list[str] = []

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Notes a ConfigError and goes on, so that all problems are told at once."""
        try:
            yield
        except ConfigError as error:
            self.problems += error.problems

    def sources(self, value: object, name: str) -> tuple[Source, ...]:
        """The sources of a list in which `discovered` stands for everything that the source types find for this project."""
        entries = value if isinstance(value, list) else [value]
        at = [(f"sources[{i}]", entry) for i, entry in enumerate(entries) if entry != DISCOVERED]
        made = [self.one(Source, key, entry, name) for key, entry in at]
        if DISCOVERED in entries:
            made += [self.one(Source, DISCOVERED, entry, name) for entry, _ in discover(self.plugins, self.folder)]
        keyed = {}
        for source in filter(None, made):
            with blamed(f"source {source.type}: has no key", ConfigError):
                keyed[source.key] = source
        return tuple(keyed.values())

    def many(self, base: type[T], key: str, value: object, name: str) -> tuple[T, ...]:
        """The plugins of a list, in its order."""
        entries = value if isinstance(value, list) else [value]
        made = [self.one(base, f"{key}[{i}]", entry, name) for i, entry in enumerate(entries)]
        return tuple(plugin for plugin in made if plugin is not None)

    def one(self, base: type[T], key: str, value: object, name: str) -> T | None:
        """The plugin that an entry names: its type alone, or a mapping with its type and options."""
        options = {"type": value} if isinstance(value, str) else value
        if not isinstance(options, dict) or not isinstance(options.get("type"), str):
            meant = f"name the {_KIND[base]}, or give a mapping with its type and options"
            self.problems.append(f"{name}: {key}: {meant}; {self._offered(base)}")
            return None
        try:
            cls = self.plugins.get(_KIND[base], options["type"])
        except PluginError as error:
            self.problems.append(f"{name}: {key}: {error}")
            return None
        return self._validate(cls, self._filled(cls, key, options, name), name, key)

    def store(self, value: object, name: str) -> StoreOptions | None:
        """The store's options; its type alone is enough where that needs none."""
        return self._validate(StoreOptions, {"type": value} if isinstance(value, str) else value, name, "store")

    def session(self, value: object, name: str) -> SessionOptions | None:
        """What a session is shown beyond the block of a message."""
        return self._validate(SessionOptions, value, name, "session")

    def _filled(self, cls: type[object], key: str, options: dict[str, object], name: str) -> dict[str, object]:
        """A source's options with its status resolver made and the project filled in."""
        if not issubclass(cls, Source):
            return options
        filled = {**options}
        resolver = options.get("status", cls.default_status_resolver or None)
        if resolver is not None:
            filled["status"] = self.one(StatusResolver, f"{key}.status", resolver, name)
        if "project" in cls.model_fields:
            filled.setdefault("project", self.project)
        return filled

    def _validate(self, cls: type[T], options: object, name: str, key: str) -> T | None:
        try:
            return TypeAdapter(cls).validate_python(options, context={"base": self.folder})
        except ValidationError as error:
            self.problems += [f"{name}: {key}{problem(cls, detail)}" for detail in error.errors()]
            return None

    def _offered(self, base: type[object]) -> str:
        return f"there are: {', '.join(self.plugins.names(_KIND[base])) or 'none'}"


def flow(value: object) -> str:
    """A value as YAML on one line; a plugin's options as its type alone where there is no other."""
    plain = value["type"] if isinstance(value, Mapping) and value.keys() == {"type"} else value
    return (
        yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
        .removesuffix("...\n")
        .strip()
    )


def choose_embedding(file: Path, options: Mapping[str, str], folder: Path) -> None:
    """Writes another model into a pipeline file, the rest of which stays as it is; what was trusted is trusted after.

    Raises ConfigError, and changes nothing, where the options or the file are wrong.
    """
    text = _read(file) if file.is_file() else ""
    parse(text, str(file))
    line = f"embedding: {flow(options)}\n"
    changed, found = _EMBEDDING.subn(lambda _: line, text)
    trusted = not text or is_trusted(file, text)
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(file.name + ".new")
    beside.write_text(changed if found else f"{text.rstrip()}\n{line}".lstrip(), encoding="utf-8")
    try:
        load_config(Plugins.load(), folder, folder, beside)
    except ConfigError:
        beside.unlink()
        raise
    beside.replace(file)
    if trusted:
        trust(file)


def discover(plugins: Plugins, folder: Path) -> list[tuple[dict[str, object], str]]:
    """What the installed source types find for a folder: the options of a source and, in a few words, what is there."""
    offered = [(name, plugins.get("source", name)) for name in plugins.names("source")]
    found: list[tuple[dict[str, object], str]] = []
    for name, cls in offered:
        with blamed(f"source {name}: cannot look for what is there", ConfigError):
            found += [({"type": name, **each.options}, each.what) for each in cls.discover(folder)]
    return found


def problem(cls: type[object], detail: ErrorDetails) -> str:
    """Where below an option of this class something is wrong, what, and the likely fix."""
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    key, inside = str(detail["loc"][-1]) if detail["loc"] else "", _inside(cls, detail["loc"])
    match detail["type"]:
        case "extra_forbidden" | "unexpected_keyword_argument":
            return f"{where}: unknown key; {hint(key, fields_of(inside))}"
        case "missing":
            return f"{where}: missing: {fields_of(inside)[key].description or docstrings(inside).get(key) or 'it has no default'}"
        case _:
            return f"{where}: {detail['msg'].removeprefix('Value error, ')}, not {_short(detail['input'])}"


def _inside(cls: type[object], where: Sequence[int | str]) -> type[object]:
    """The model, maybe one inside `cls`, that the last step of `where` is a key of."""
    for part in where[:-1]:
        field = fields_of(cls).get(str(part))
        cls = next(
            (each for each in get_args(field and field.annotation) if isinstance(each, type) and issubclass(each, BaseModel)), cls
        )
    return cls


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
