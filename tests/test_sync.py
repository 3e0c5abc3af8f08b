"""Syncing real folders into a real Qdrant Edge store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from citator.errors import SourceError
from citator.options import ConfigPath, StoreOptions
from citator.records import Record
from citator.sources import Problems, Source
from citator.store import Store, open_store
from citator.sync import RECORDS_AT_ONCE, Summary, sync
from words import DIMENSION, WordsEmbedding, words_model


class Texts(Source):
    """A folder of text files; some words in a file make it misbehave: STOP ends the listing, SKIP cannot be read."""

    path: ConfigPath
    keep: bool = False

    @property
    def root(self) -> Path:
        return self.path

    @property
    def keep_gone(self) -> bool:  # type: ignore[override]
        return self.keep

    def load(self, problems: Problems) -> Iterator[Record]:
        if not self.path.is_dir():
            raise SourceError(f"{self.path}: no such folder")
        for file in sorted(self.path.iterdir()):
            text = file.read_text()
            if text == "STOP":
                raise SourceError(f"{file}: cannot be listed further")
            if text == "RAISE":
                raise ValueError("oops")
            if text == "NONE":
                yield None  # type: ignore[misc]
            if text == "UNTITLED":
                yield Record(file.name, "note", None, text)  # type: ignore[arg-type]
            if text == "SKIP":
                problems.add(file, "cannot be read", file.name)
                continue
            yield Record(file.name, "note", file.stem, text, date=text[:10] if text[:1].isdigit() else "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "texts"
    made.mkdir()
    for number in range(5):
        (made / f"{number}.txt").write_text(f"note {number} about locks")
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(StoreOptions(), tmp_path / "store", "words", DIMENSION)


def run(source: Source, store: Store, *, prune: bool = False) -> Summary:
    return sync([source], store, words_model(), lambda done, total: None, prune=prune)


def texts(store: Store) -> dict[str, str]:
    return {node.metadata["record"]: node.get_content() for node in store.get_nodes()}


def test_only_what_changed_is_embedded(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    first = run(source, store)
    assert (first.embedded, first.unchanged, first.pieces) == (5, 0, 5)
    (folder / "2.txt").write_text("something else")
    (folder / "3.txt").touch()
    second = run(source, store)
    assert (second.embedded, second.unchanged, second.removed) == (1, 4, 0)
    assert texts(store)["2.txt"] == "2\nsomething else"
    assert store.count() == 5


def test_what_is_gone_is_removed_after_a_complete_listing_only(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    run(source, store)
    (folder / "0.txt").unlink()
    (folder / "3.txt").write_text("STOP")
    stopped = run(source, store)
    assert (stopped.removed, stopped.complete, len(texts(store))) == (0, False, 5)
    assert stopped.problems == [f"{folder / '3.txt'}: cannot be listed further"]
    (folder / "3.txt").unlink()
    assert run(source, store).removed == 2
    assert set(texts(store)) == {"1.txt", "2.txt", "4.txt"}


def test_a_file_that_cannot_be_read_keeps_its_record(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    run(source, store)
    (folder / "1.txt").write_text("SKIP")
    summary = run(source, store)
    assert (summary.removed, summary.complete, len(texts(store))) == (0, True, 5)
    assert summary.problems == [f"{folder / '1.txt'}: cannot be read"]


def test_a_missing_root_removes_nothing(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    run(source, store)
    folder.rename(folder.with_name("unmounted"))
    assert run(source, store).problems == [f"{folder}: no such folder"]
    assert len(texts(store)) == 5


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("RAISE", "ValueError: oops"),
        ("UNTITLED", "TypeError: record '2.txt' has title=None, which is no text"),
        ("NONE", "TypeError: it gives a NoneType, which is no Record"),
    ],
)
def test_a_source_that_fails_is_named_and_removes_nothing_and_the_others_go_on(
    folder: Path, store: Store, tmp_path: Path, wrong: str, told: str
) -> None:
    bad, good = Texts(type="mine", path=folder), Texts(type="texts", path=tmp_path / "good")
    good.root.mkdir()
    (good.root / "plants.txt").write_text("plants are watered")
    run(bad, store)
    (folder / "0.txt").unlink()
    (folder / "2.txt").write_text(wrong)
    summary = sync([bad, good], store, words_model(), lambda done, total: None)
    [line] = summary.problems
    assert line.startswith(f"source {folder} (type mine): load failed: ")
    assert told in line
    assert line.endswith("; its records stay as they were")
    assert (summary.complete, summary.embedded, summary.removed) == (False, 1, 0)
    assert set(texts(store)) == {*(f"{number}.txt" for number in range(5)), "plants.txt"}


def test_a_folder_that_was_full_and_is_empty_needs_prune(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    run(source, store)
    for file in folder.iterdir():
        file.unlink()
    summary = run(source, store)
    assert summary.removed == 0
    assert "nothing was removed (citator sync --prune does)" in summary.problems[0]
    assert run(source, store, prune=True).removed == 5
    assert texts(store) == {}


def test_a_source_that_keeps_what_is_gone_keeps_it(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder, keep=True)
    run(source, store)
    (folder / "0.txt").unlink()
    assert run(source, store).removed == 0
    assert len(texts(store)) == 5


def test_newest_records_are_embedded_first(folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citator.sync.WRITE_SECONDS", 0)
    for number in range(RECORDS_AT_ONCE * 2):
        (folder / f"dated-{number:03}.txt").write_text(f"{2000 + number}-01-01 dated")
    seen: list[set[str]] = []
    sync([Texts(type="texts", path=folder)], store, words_model(), lambda done, total: seen.append(set(texts(store))))
    newest = {f"dated-{number:03}.txt" for number in range(RECORDS_AT_ONCE, RECORDS_AT_ONCE * 2)}
    assert seen[1] == newest


def test_progress_tells_what_is_done_and_to_do(folder: Path, store: Store) -> None:
    told: list[tuple[int, int]] = []
    sync([Texts(type="texts", path=folder)], store, words_model(), lambda done, total: told.append((done, total)))
    assert told == [(0, 5), (5, 5)]


def test_equal_records_of_another_source_are_copied_not_embedded_again(
    folder: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(Texts(type="texts", path=folder), store)
    worktree = tmp_path / "worktree"
    worktree.mkdir()
    for file in folder.iterdir():
        (worktree / file.name).write_text(file.read_text())
    (worktree / "new.txt").write_text("only here")
    summary = run(Texts(type="texts", path=worktree), store)
    assert (summary.copied, summary.embedded) == (5, 1)
    by_text: dict[str, list[list[float]]] = {}
    for node in store.get_nodes():
        by_text.setdefault(node.get_content(), []).append(node.get_embedding())
    assert all(vectors[0] == pytest.approx(other, abs=1e-6) for vectors in by_text.values() for other in vectors)
    assert len(by_text["0\nnote 0 about locks"]) == 2


def test_a_second_record_with_an_id_is_left_out_and_told(store: Store, folder: Path) -> None:
    class Twice(Texts):
        def load(self, problems: Problems) -> Iterator[Record]:
            yield Record("same", "note", "first")
            yield Record("same", "note", "second")

    summary = run(Twice(type="twice", path=folder), store)
    assert (summary.embedded, summary.problems) == (1, ["same: a second record with the id 'same'; left out"])


def test_an_interrupted_sync_keeps_what_is_done_and_the_next_goes_on(
    folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(RECORDS_AT_ONCE * 2):
        (folder / f"more-{number:03}.txt").write_text(f"more {number}")
    source = Texts(type="texts", path=folder)

    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync([source], store, words_model(), interrupt)
    assert store.count() == RECORDS_AT_ONCE
    assert run(source, store).embedded == RECORDS_AT_ONCE + 5


def test_a_record_of_which_a_crash_left_two_versions_or_half_is_mended(folder: Path, store: Store) -> None:
    source = Texts(type="texts", path=folder)
    long = " ".join(f"word{number} is here." for number in range(200))
    (folder / "0.txt").write_text(long)
    run(source, store)
    clean = sorted(node.get_content() for node in store.get_nodes())
    half = next(node.node_id for node in store.get_nodes() if node.metadata["record"] == "0.txt")
    store.delete_nodes([half])
    stale = next(node for node in store.get_nodes() if node.metadata["record"] == "1.txt")
    stale.metadata["hash"] = "older"
    store.add([stale])
    mended = run(source, store)
    assert mended.embedded + mended.copied == 2
    assert sorted(node.get_content() for node in store.get_nodes()) == clean


def test_the_embedding_is_of_title_and_text_without_the_metadata(folder: Path, store: Store) -> None:
    run(Texts(type="texts", path=folder), store)
    expected = WordsEmbedding().get_text_embedding("4\nnote 4 about locks")
    [node] = [node for node in store.get_nodes() if node.metadata["record"] == "4.txt"]
    assert node.get_embedding() == pytest.approx(expected, abs=1e-6)


def test_lone_surrogates_harm_nothing_and_the_record_is_not_embedded_twice(folder: Path, store: Store) -> None:
    class Odd(Texts):
        def load(self, problems: Problems) -> Iterator[Record]:
            yield Record("caf\udce9.md", "note", "title \ud800", "text \udfff", path="/caf\udce9.md")

    assert run(Odd(type="odd", path=folder), store).embedded == 1
    assert run(Odd(type="odd", path=folder), store).unchanged == 1
    assert texts(store) == {"caf\ufffd.md": "title \ufffd\ntext \ufffd"}


def test_no_secret_gets_into_the_store(folder: Path, store: Store) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    (folder / "0.txt").write_text(f"the token is {token}")
    run(Texts(type="texts", path=folder), store)
    assert texts(store)["0.txt"] == "0\nthe token is [redacted]"
