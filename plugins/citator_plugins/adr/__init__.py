"""Decision records: the source `adr` and the status resolver of the same name."""

from citator.api import Source, StatusResolver, hookimpl
from citator_plugins.adr.resolver import AdrResolver
from citator_plugins.adr.source import Adr


@hookimpl
def register_sources() -> dict[str, type[Source]]:
    """Offers `adr`."""
    return {"adr": Adr}


@hookimpl
def register_status_resolvers() -> dict[str, type[StatusResolver]]:
    """Offers `adr`."""
    return {"adr": AdrResolver}
