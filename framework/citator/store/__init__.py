"""Where the pieces are kept: Qdrant inside this process or on a server, behind LlamaIndex's vector store interface."""

import re
from pathlib import Path

from citator.errors import StoreError
from citator.options import StoreOptions
from citator.store.base import Store
from citator.store.schema import RecordState, piece_id

__all__ = ["RecordState", "Store", "StoreOptions", "open_store", "piece_id"]


def open_store(options: StoreOptions, folder: Path, fingerprint: str, dimension: int, wait: float = 5.0) -> Store:
    """The collection of one model, made at its first use; other models' collections lie beside it and are never touched.

    `folder` is where collections are kept unless the options name a path; `wait` is how many seconds to wait for another process
    that holds this collection.
    """
    if not re.fullmatch(r"[\w-][\w.-]*", fingerprint):
        raise StoreError(f"the fingerprint {fingerprint!r} cannot name a collection: letters, digits, '_', '-' and '.' only")
    home = options.path or folder
    if options.type == "edge":
        try:
            from citator.store.edge import EdgeStore
        except ImportError as error:
            raise StoreError(f"store of type edge: qdrant-edge-py cannot be loaded ({error}); use type: local") from error
        return EdgeStore(home / f"{fingerprint}.edge", dimension, wait)
    from citator.store.qdrant import LocalStore, ServerStore

    if options.type == "local":
        return LocalStore(home / f"{fingerprint}.local", dimension, wait)
    return ServerStore(options, f"citator-{fingerprint}", dimension)
