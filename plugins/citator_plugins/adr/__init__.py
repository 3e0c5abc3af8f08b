"""Decision records: the source `adr` and the status resolver of the same name."""

from typing import TYPE_CHECKING

from citator.api import StatusResolver, hookimpl
from citator_plugins.adr.resolver import AdrResolver

if TYPE_CHECKING:
    from citator.api import Source


@hookimpl
def register_sources() -> "dict[str, type[Source]]":
    """Offers `adr`."""
    from citator_plugins.adr.source import Adr  # takes longer to load than all dialects, which `citator adr` needs alone

    return {"adr": Adr}


@hookimpl
def register_status_resolvers() -> dict[str, type[StatusResolver]]:
    """Offers `adr`."""
    return {"adr": AdrResolver}
