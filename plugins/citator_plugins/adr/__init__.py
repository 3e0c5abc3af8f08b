"""Decision records: the source `adr` and the status resolver of the same name."""

from citator.api import StatusResolver, hookimpl
from citator_plugins.adr.resolver import AdrResolver


@hookimpl
def register_status_resolvers() -> dict[str, type[StatusResolver]]:
    """Offers `adr`."""
    return {"adr": AdrResolver}
