"""Which model answers: the one of the YAML as soon as its collection was once complete, the one before it until then."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from citator.embedding import Embedding
from citator.errors import PluginError
from citator.options import StoreOptions
from citator.plugins import Plugins

SWITCHING = (
    "embedding: the model of the pipeline file has not embedded every record yet, and the one before answers; citator sync"
)

UNUSABLE = "embedding: the model of the pipeline file cannot be used, and the one before answers: {why}; citator sync tries again"

KEPT = 8
"""How many models are remembered: whoever goes back to one is answered by it at once."""


class Complete:
    """The models whose collections hold all records of a project, in the order in which they were completed; a file."""

    def __init__(self, folder: Path, project: Path, store: StoreOptions) -> None:
        view = json.dumps([str(project), store.model_dump(mode="json")])
        self._file = folder / f"{hashlib.sha256(view.encode()).hexdigest()[:16]}.json"
        self._trouble = self._file.with_suffix(".trouble")

    def serving(self, wanted: Embedding) -> Embedding:
        """The model to answer with: the wanted one unless another is complete and it is not."""
        known = self._known()
        if not known or wanted.model_dump(mode="json") in known:
            return wanted
        return _made(known[-1]) or wanted

    def add(self, embedding: Embedding) -> None:
        """Remembers a model as complete, and as the latest."""
        options = embedding.model_dump(mode="json")
        known = self._known()
        if known[-1:] == [options]:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps([*(other for other in known if other != options), options][-KEPT:]))
        beside.replace(self._file)

    def failed(self, embedding: Embedding, why: str) -> None:
        """Remembers why a model could not be loaded to embed the records; with an empty `why`, that it could."""
        with suppress(OSError):  # on a full disk the sync tells it all the same
            if why:
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._trouble.write_text(json.dumps([embedding.model_dump(mode="json"), why]))
            else:
                self._trouble.unlink(missing_ok=True)

    def notice(self, wanted: Embedding) -> str:
        """What is to be told while another model answers than the wanted one: why that cannot be loaded, where that is known."""
        try:
            options, why = json.loads(self._trouble.read_text())
        except (OSError, ValueError, TypeError):
            return SWITCHING
        return UNUSABLE.format(why=why) if options == wanted.model_dump(mode="json") else SWITCHING

    def _known(self) -> list[Mapping[str, object]]:
        try:
            known = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return []
        return [options for options in known if isinstance(options, dict)] if isinstance(known, list) else []


def _made(options: Mapping[str, object]) -> Embedding | None:
    """The model of kept options; None where its plugin is gone or has other options by now."""
    try:
        made: Embedding = Plugins.load().get("embedding", str(options.get("type"))).model_validate(options)
    except (PluginError, ValidationError):
        return None
    return made
