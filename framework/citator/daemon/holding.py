"""What stays loaded between messages: the pipelines of the projects, each model once, each store held open."""

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citator.client import PASSED_ON
from citator.config import PipelineConfig, load_config
from citator.daemon.checks import described
from citator.errors import CitatorError, ConfigError, DaemonError, StoreError
from citator.pipeline import Pipeline
from citator.plugins import Plugins
from citator.project import project_of, worktree_of
from citator.settings import settings
from citator.store import Store

FRESH_SECONDS = 30.0
"""After which a pipeline's configuration is read again: `discovered` may find more by now."""

USED_SECONDS = 2 * 3600.0
"""After which a pipeline that nobody asks is let go."""

log = logging.getLogger("citator")

Variables = tuple[tuple[str, str], ...]
Stamps = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A worktree, with the variables of the environment that its sources depend on."""

    folder: Path
    variables: Variables


@dataclass(slots=True)
class _Entry:
    """A pipeline, with the keys of its model and its store, which others may have too."""

    pipeline: Pipeline
    model: str
    store: str
    stamps: Stamps
    read: float
    used: float


class LoadingError(DaemonError):
    """The model is being loaded by another thread: ask again once `loading` is done."""

    def __init__(self, model: str, loading: Future[Pipeline]) -> None:
        super().__init__(f"the model {model} is being loaded")
        self.loading = loading


class Holding:
    """Used by the worker thread alone, but for `wanted`, `targets` and `status`, which only look.

    The stores are held until somebody else waits for them: opening one takes 45 ms at 1,300 pieces and 75 ms at 10,000, more
    than all the rest of a message.
    """

    def __init__(self) -> None:
        self._plugins = Plugins.load()
        self._entries: dict[Place, _Entry] = {}
        self._models: dict[str, Future[Pipeline]] = {}
        self._loader = ThreadPoolExecutor(1, "citator-loader")
        self._stores: dict[str, Store] = {}
        self._held: dict[str, Store] = {}

    def pipeline(self, folder: Path, environment: Mapping[str, str]) -> Pipeline:
        """The pipeline of a folder's project, as its files read now; raises CitatorError where it or they are wrong.

        A model takes seconds to load, in which the pipelines of others go on: LoadingError.
        """
        place = _place(folder, environment)
        if not place.folder.is_dir():
            raise ConfigError(f"{folder}: there is no such folder")
        entry = self._entries.get(place)
        if entry is None or entry.stamps != _stamps(place.folder):
            entry = self._read(place, entry)
        entry.used = time.monotonic()
        return entry.pipeline

    def renewed(self, folder: Path, environment: Mapping[str, str]) -> Pipeline:
        """The same as it is to be after a sync, which may have completed a model; until that is loaded the one before answers."""
        place = _place(folder, environment)
        return self._read(place, self._entries.get(place)).pipeline

    def _read(self, place: Place, known: _Entry | None) -> _Entry:
        stamps = _stamps(place.folder)
        with environment(dict(place.variables)):
            config = load_config(self._plugins, project_of(place.folder), place.folder)
        now = time.monotonic()
        if known and known.pipeline.config == config and known.pipeline.is_current:
            known.stamps, known.read = stamps, now
            return known
        pipeline = Pipeline(config, project_of(place.folder))
        model = json.dumps(pipeline.embedding.model_dump(mode="json"))
        self._load(pipeline, model)
        store = json.dumps([config.store.model_dump(mode="json"), pipeline.fingerprint])
        pipeline.store = self._stores.setdefault(store, pipeline.store)
        self._hold(store)
        entry = self._entries[place] = _Entry(pipeline, model, store, stamps, now, known.used if known else now)
        if known:
            self._let_go(known)
        return entry

    def _load(self, pipeline: Pipeline, key: str) -> None:
        loading = self._models.get(key) or self._models.setdefault(key, self._loader.submit(_loaded, pipeline))
        if not loading.done():
            raise LoadingError(pipeline.embedding.type, loading)
        try:
            loaded = loading.result()
        except Exception:
            del self._models[key]
            raise
        pipeline.embedding, pipeline.model = loaded.embedding, loaded.model

    def _let_go(self, gone: _Entry) -> None:
        """Lets go of the model and the store of an entry that is no more, where no other has them."""
        entries = self._entries.values()
        if all(entry.model != gone.model for entry in entries):
            self._models.pop(gone.model, None)
        if all(entry.store != gone.store for entry in entries):
            del self._stores[gone.store]
            if held := self._held.pop(gone.store, None):
                held.__exit__(None, None, None)

    def refresh(self) -> None:
        """Reads the configurations that were read a while ago, and lets go of those that nobody asks or whose folder is gone."""
        now = time.monotonic()
        for place, entry in list(self._entries.items()):
            if now - entry.used > USED_SECONDS or not place.folder.is_dir():
                self._let_go(self._entries.pop(place))
            elif now - entry.read > FRESH_SECONDS:
                try:
                    self._read(place, entry)
                except LoadingError:
                    continue  # the one before answers until then
                except CitatorError as error:
                    log.warning("%s", error)
                except Exception as error:  # of a plugin, which is no reason to end what answers others
                    log.error("unexpected: %s", described(error))
                entry.read = now
        for key in self._stores:
            self._hold(key)

    def _hold(self, key: str) -> None:
        if key in self._held:
            return
        try:
            self._held[key] = self._stores[key].__enter__()
        except StoreError as error:  # until it can be held, each call opens it for itself
            log.warning("%s", error)

    def wanted(self) -> bool:
        """Whether another process waits for a store."""
        return any(store.wanted() for store in list(self._held.values()))

    def take_turns(self) -> None:
        """Lets go of the stores that others wait for, and queues behind them."""
        for key, store in list(self._held.items()):
            if store.wanted():
                del self._held[key]
                store.__exit__(None, None, None)
                self._hold(key)

    def close(self) -> None:
        """Lets go of everything."""
        while self._held:
            self._held.popitem()[1].__exit__(None, None, None)

    def targets(self) -> dict[Place, PipelineConfig]:
        """The places in use, with what their files say now."""
        return {place: entry.pipeline.config for place, entry in list(self._entries.items())}

    def status(self) -> dict[str, object]:
        """What is loaded, for people."""
        return {
            "models": [json.loads(key) for key, model in list(self._models.items()) if model.done()],
            "stores": [store.place for store in list(self._held.values())],
            "pipelines": [
                {"folder": str(place.folder), "sources": list(entry.pipeline.sources)}
                for place, entry in list(self._entries.items())
            ],
        }


def _loaded(pipeline: Pipeline) -> Pipeline:
    _ = pipeline.model
    log.info("loaded the model %s", pipeline.embedding.type)
    return pipeline


def _place(folder: Path, environment: Mapping[str, str]) -> Place:
    return Place(worktree_of(folder), tuple(sorted(environment.items())))


def _stamps(folder: Path) -> Stamps:
    return tuple(_stamp(path) for path in settings(folder))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The client's variables instead of ours, which are those of whoever started the daemon."""
    before = {key: os.environ.pop(key) for key in PASSED_ON if key in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for key in variables:
            os.environ.pop(key, None)
        os.environ.update(before)
