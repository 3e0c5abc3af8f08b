"""What the gate knows of a pipeline's view, kept in files beside the store and made anew when the view changes."""

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citator import background, gating
from citator.embedding import Model
from citator.gating import Calibration
from citator.store import Store

SHIPPED = Path(__file__).parent / "everyday_vectors"


@dataclass(frozen=True, slots=True)
class View:
    """The pieces of some sources in the store, with a digest of what they were made from."""

    digest: str
    texts: Sequence[str]
    sources: Sequence[str]
    vectors: NDArray[np.float32]


class Calibrations:
    """The calibration of one view: these sources in this collection, with the user's `own` messages in the background or not."""

    def __init__(
        self,
        folder: Path,
        fingerprint: str,
        model: Model,
        store: Store,
        sources: Sequence[str],
        own: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        view = hashlib.sha256(json.dumps([*sorted(sources), *(["own"] if own else [])]).encode()).hexdigest()[:16]
        self._file = folder / f"{fingerprint}-{view}.json"
        self._background_file = folder / background_name(model.fingerprint)
        self._fingerprint, self._model, self._store, self._sources, self._own = fingerprint, model, store, sources, own
        self._read: tuple[int, Calibration | None] = (0, None)
        self._counted = (0, 0, 0)

    def current(self) -> Calibration | None:
        """The calibration as last made, by any process; None where there is none or the view is no longer of that size."""
        try:
            made = self._file.stat().st_mtime_ns
            if made != self._read[0]:
                self._read = made, Calibration.from_json(self._file.read_text())
        except (OSError, ValueError):
            return None
        known = self._read[1]
        return known if known and 0.5 <= self._count() / known.pieces <= 2 else None

    def _count(self) -> int:
        """The view's pieces; counting takes as long as searching, so it is done only where something may have changed."""
        with self._store:
            if self._counted[:2] != (state := (self._read[0], self._store.version)):
                self._counted = (*state, self._store.count(self._sources))
        return self._counted[2]

    def update(self) -> None:
        """Makes the calibration anew if the records of the view are not those that it was made on."""
        self.make(self.changed())

    def changed(self) -> View | None:
        """What the store has of the view, or None if that is what the calibration was made on."""
        with self._store:
            content = [self._store.hashes(source) for source in self._sources]
            held = sorted(f"{record} {sorted(state.hashes)}" for records in content for record, state in records.items())
            digest = hashlib.sha256("\n".join([background.digest(), *held]).encode()).hexdigest()[:16]
            known = self.current()
            if known and known.fits(self._fingerprint, digest):
                return None
            return View(digest, *self._store.pieces(self._sources))

    def make(self, view: View | None) -> None:
        """Makes the calibration anew on what `changed` gave."""
        if view is None:
            return
        if not view.texts:
            self._file.unlink(missing_ok=True)
            return
        own, own_vectors = self._past
        made = gating.calibrate(
            view.vectors,
            view.texts,
            view.sources,
            [*background.messages(), *own],
            np.vstack([self.everyday(), own_vectors]),
            fingerprint=self._fingerprint,
            digest=view.digest,
        )
        _replace(self._file, made.to_json().encode())

    def everyday(self) -> NDArray[np.float32]:
        """The vectors of the background's messages, a row each; for the packaged model they are shipped."""
        messages = background.messages()
        for file in (SHIPPED / self._background_file.name, self._background_file):
            with suppress(OSError, ValueError, EOFError):
                kept: NDArray[np.float32] = np.load(file).astype(np.float32)
                if kept.shape == (len(messages), self._store.dimension):
                    return kept
        made = self._embedded(messages)
        keep_background(self._background_file.parent, self._model.fingerprint, made)
        return made

    @cached_property
    def _past(self) -> tuple[Sequence[str], NDArray[np.float32]]:
        """The user's own messages with their vectors, which are never written anywhere."""
        own = self._own() if self._own else []
        return own, self._embedded(own)

    def _embedded(self, messages: Sequence[str]) -> NDArray[np.float32]:
        if self._model.embed_messages:
            vectors = self._model.embed_messages(list(messages))
        else:
            vectors = [self._model.embed.get_query_embedding(message) for message in messages]
        return np.array(vectors, dtype=np.float32).reshape(-1, self._store.dimension)


def background_name(model: str) -> str:
    """The file of the background's vectors by the model with this fingerprint."""
    return f"{model}-{background.digest()}.npy"


def keep_background(folder: Path, model: str, vectors: NDArray[np.float32]) -> None:
    """Keeps the vectors of the background's messages, a row each, by the model with this fingerprint."""
    written = io.BytesIO()
    np.save(written, vectors)
    _replace(folder / background_name(model), written.getvalue())


def _replace(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = file.with_suffix(".new")
    beside.write_bytes(content)
    beside.replace(file)
