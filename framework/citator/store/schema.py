"""What a piece is in the store: its id, its payload, its two vectors."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from llama_index.core.schema import BaseNode

from citator.errors import StoreError

INDEXED = ("source", "record", "kind", "project", "hash")
"""The payload keys with an index: filters on these are quick."""

DENSE, LEXICAL = "dense", "lexical"
"""The names of a piece's two vectors: of its meaning, and of its words (BM25)."""

Where = Mapping[str, Sequence[str]]
"""A filter on indexed keys: each has one of the values given for it."""

_NAMESPACE = uuid.UUID("c88a1a70-9f9c-4b39-9f7c-2f6d7d3bd0a4")


class Row(NamedTuple):
    """One piece as a scan gives it: the payload keys asked for, and its dense vector if asked for."""

    payload: dict[str, Any]
    vector: list[float]


@dataclass(frozen=True, slots=True)
class RecordState:
    """What the store holds of a record: its content hashes, more than one after a crash, and whether no piece is missing."""

    hashes: frozenset[str]
    complete: bool

    def is_whole(self, hash: str) -> bool:  # noqa: A002
        """Whether exactly this content is there with all its pieces, so that nothing has to be done."""
        return self.complete and self.hashes == {hash}


def piece_id(source: str, record: str, hash: str, piece: int) -> str:  # noqa: A002
    """The id of a point: the same piece of the same content is never there twice."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join((source, record, hash, str(piece)))))


def prepare(node: BaseNode, dimension: int) -> None:
    """Gives a node its id; raises StoreError naming the record where the node cannot be stored as it is."""
    try:
        data = node.metadata
        node.id_ = piece_id(data["source"], data["record"], data["hash"], data["piece"])
    except (KeyError, TypeError) as error:
        raise StoreError(f"a node without {error} in its metadata cannot be stored: {node.node_id}") from error
    except UnicodeEncodeError:
        pass  # found again and named below
    for key, value in (*data.items(), ("text", node.get_content())):
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise StoreError(f"record {data['record']!a}: its {key} is not valid Unicode") from error
    vector = node.embedding or []
    if len(vector) != dimension:
        raise StoreError(f"record {data['record']!a}: its vector has {len(vector)} dimensions, the store's have {dimension}")
    if not isfinite(sum(vector)):
        raise StoreError(f"record {data['record']!a}: its vector is not finite; the model is broken")
