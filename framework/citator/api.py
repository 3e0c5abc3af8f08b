"""Everything that the author of a plugin imports."""

from importlib import import_module
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from citator.embedding import Embedding, Model
    from citator.errors import CitatorError, ConfigError, EmbeddingError, PluginError, SourceError, StoreError
    from citator.options import ConfigPath, Options
    from citator.postprocessing import Postprocessor, View
    from citator.records import (
        Caution,
        Declaration,
        Document,
        Edge,
        EdgeKind,
        Hit,
        Option,
        Part,
        Place,
        Reading,
        Record,
        Status,
        Successor,
        Trouble,
        Verdict,
    )
    from citator.redaction import redact
    from citator.relations import Relation, field_meaning, is_status, may_relate, may_replace, replacing_stems
    from citator.rendering import Renderer
    from citator.sources import Found, Problems, Said, Source
    from citator.status import StatusResolver, decide
    from citator.text import clean, cut, inert, telling, weight_of

hookimpl = pluggy.HookimplMarker("citator")
"""Marks a function as the plugin's answer to the hook of its name."""

_HOMES = (
    "records",
    "errors",
    "text",
    "relations",
    "status",
    "options",
    "redaction",
    "embedding",
    "postprocessing",
    "rendering",
    "sources",
)
"""The modules in which the names are looked up, those that load quickly first: a dialect needs nothing of the others."""

__all__ = [
    "Caution",
    "CitatorError",
    "ConfigError",
    "ConfigPath",
    "Declaration",
    "Document",
    "Edge",
    "EdgeKind",
    "Embedding",
    "EmbeddingError",
    "Found",
    "Hit",
    "Model",
    "Option",
    "Options",
    "Part",
    "Place",
    "PluginError",
    "Postprocessor",
    "Problems",
    "Reading",
    "Record",
    "Relation",
    "Renderer",
    "Said",
    "Source",
    "SourceError",
    "Status",
    "StatusResolver",
    "StoreError",
    "Successor",
    "Trouble",
    "Verdict",
    "View",
    "clean",
    "cut",
    "decide",
    "field_meaning",
    "hookimpl",
    "inert",
    "is_status",
    "may_relate",
    "may_replace",
    "redact",
    "replacing_stems",
    "telling",
    "weight_of",
]


def __getattr__(name: str) -> object:
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"citator.{home}")
        if hasattr(module, name):
            globals()[name] = getattr(module, name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
