"""The hooks: each asks a plugin what it offers, as a mapping from the name used in the YAML to a class."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from citator.embedding import Embedding
    from citator.postprocessing import Postprocessor
    from citator.rendering import Renderer
    from citator.sources import Source
    from citator.status import StatusResolver

hookspec = pluggy.HookspecMarker("citator")


@hookspec
def register_sources() -> "Mapping[str, type[Source]]":
    """Offers places that records come from."""
    return {}


@hookspec
def register_status_resolvers() -> "Mapping[str, type[StatusResolver]]":
    """Offers readers of what decision records declare about their standing."""
    return {}


@hookspec
def register_renderers() -> "Mapping[str, type[Renderer]]":
    """Offers ways to write the block that an agent gets."""
    return {}


@hookspec
def register_embeddings() -> "Mapping[str, type[Embedding]]":
    """Offers embedding models."""
    return {}


@hookspec
def register_postprocessors() -> "Mapping[str, type[Postprocessor]]":
    """Offers steps between retrieval and rendering."""
    return {}
