"""What the processes of test_crash.py run: a sync that is killed somewhere, and a later one that is not."""

from pathlib import Path

from citator import sync as batches
from citator.options import StoreOptions
from citator.records import Record
from citator.sources import Problems, Source
from citator.store import Store, open_store
from citator.sync import sync
from words import DIMENSION, words_model


class Made(Source):
    """Records made from numbers, of one to ten pieces each; `edition` changes a third of them and takes some away."""

    edition: int

    @property
    def root(self) -> Path:
        return Path("/made")

    @property
    def key(self) -> str:
        return "made"

    def load(self, problems: Problems):  # type: ignore[no-untyped-def]
        for number in range(60):
            if self.edition and number % 10 == 7:
                continue
            changed = self.edition if number % 3 == 0 else 0
            text = " ".join(f"Sentence {i} of record {number} in edition {changed} is here." for i in range(1 + number % 6 * 12))
            yield Record(str(number), "note", f"Record {number}", text, date=f"{2000 + number % 20}-01-01")


def open_at(folder: str) -> Store:
    """The store that all processes of a round share."""
    return open_store(StoreOptions(), Path(folder), "words", DIMENSION)


def run(folder: str, edition: int) -> None:
    """One sync, in batches so small that a kill has many places to fall."""
    batches.RECORDS_AT_ONCE, batches.WRITE_SECONDS = 4, 0
    store = open_at(folder)
    if sync([Made(type="made", edition=edition)], store, words_model(), lambda done, total: None).changed:
        store.optimise()
