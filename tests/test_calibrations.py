"""The gate's calibration beside a real store, and the gate as a LlamaIndex postprocessor."""

from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from citator.background import messages
from citator.calibrations import SHIPPED, Calibrations, background_name
from citator.embedding import Model
from citator.options import StoreOptions
from citator.pieces import PieceSplitter, document
from citator.postprocessors import Gate
from citator.records import Record
from citator.retrieval import RecordRetriever
from citator.store import Store, open_store
from words import DIMENSION, words_model

TOPICS = [
    "rabbitmq broker",
    "postgresql table",
    "redis sessions",
    "invoice fonts",
    "german tax",
    "nightly import",
    "mail provider",
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = open_store(StoreOptions(), tmp_path / "store", "words", DIMENSION)
    for number, topic in enumerate(TOPICS):
        add(made, "notes", f"{number}.md", f"We settled on {topic} after weighing {topic} for the warehouse.")
    return made


def add(store: Store, source: str, name: str, text: str) -> None:
    model = words_model()
    nodes = PieceSplitter(200, model.count_tokens).split(document(Record(name, "memory", name, text, "gist"), source, ""))
    for node in nodes:
        node.embedding = model.embed.get_text_embedding(node.get_content(MetadataMode.EMBED))
    store.add(nodes)


def view(tmp_path: Path, store: Store, *sources: str) -> Calibrations:
    return Calibrations(tmp_path / "calibrations", "words", words_model(), store, sources or ("notes",))


def test_it_is_made_once_and_again_when_the_view_changes(tmp_path: Path, store: Store) -> None:
    calibrations = view(tmp_path, store)
    assert calibrations.current() is None
    calibrations.update()
    first = calibrations.current()
    assert first is not None
    assert first.pieces == 7
    calibrations.update()
    assert calibrations.current() is first
    add(store, "notes", "8.md", "We settled on kafka.")
    calibrations.update()
    again = calibrations.current()
    assert again is not None
    assert again.pieces == 8


def test_another_process_sees_what_was_made(tmp_path: Path, store: Store) -> None:
    view(tmp_path, store).update()
    assert view(tmp_path, store).current() is not None


def test_views_have_their_own_and_a_view_of_nothing_has_none(tmp_path: Path, store: Store) -> None:
    view(tmp_path, store).update()
    assert view(tmp_path, store, "notes", "else").current() is None
    empty = view(tmp_path, store, "else")
    empty.update()
    assert empty.current() is None


def test_one_that_was_made_on_half_as_much_or_less_is_refused(tmp_path: Path, store: Store) -> None:
    calibrations = view(tmp_path, store)
    calibrations.update()
    for number in range(8):
        add(store, "notes", f"new-{number}.md", f"Another note {number}.")
    assert calibrations.current() is None


@pytest.mark.parametrize("damage", ["", "{}", "not json", '{"version": 0}', "[]"])
def test_a_damaged_file_counts_as_none_and_is_made_anew(tmp_path: Path, store: Store, damage: str) -> None:
    calibrations = view(tmp_path, store)
    calibrations.update()
    for file in (tmp_path / "calibrations").iterdir():
        file.write_text(damage)
    fresh = view(tmp_path, store)
    assert fresh.current() is None
    fresh.update()
    assert fresh.current() is not None


def gated(tmp_path: Path, store: Store, message: str) -> tuple[list[NodeWithScore], list[NodeWithScore]]:
    calibrations = view(tmp_path, store)
    calibrations.update()
    bundle = QueryBundle(message)
    nodes = RecordRetriever(store, words_model().embed, ["notes"]).retrieve(bundle)
    return nodes, Gate(calibrations.current, 0.03, 0.003).postprocess_nodes(list(nodes), query_bundle=bundle)


def test_what_stands_out_passes_with_its_raw_score_and_the_reason(tmp_path: Path, store: Store) -> None:
    nodes, kept = gated(tmp_path, store, "did we settle on the rabbitmq broker for the warehouse after weighing it?")
    assert [node.node.metadata["record"] for node in kept][:1] == ["0.md"]
    assert kept[0].score == max(node.score or 0 for node in nodes)
    assert all("of everyday messages would bring it; the gate asks for 3.00%" in node.node.metadata["why"] for node in nodes)


def test_an_everyday_message_brings_nothing_and_each_record_has_its_reason(tmp_path: Path, store: Store) -> None:
    nodes, kept = gated(tmp_path, store, "please translate this sentence into french")
    assert kept == []
    assert len(nodes) == 7
    assert all("of everyday messages" in node.node.metadata["why"] for node in nodes)


def test_a_record_that_the_message_names_passes_whatever_its_score(tmp_path: Path, store: Store) -> None:
    calibrations = view(tmp_path, store)
    calibrations.update()
    bundle = QueryBundle("translate this into french")
    nodes = RecordRetriever(store, words_model().embed, ["notes"]).retrieve(bundle)
    nodes[3].node.metadata["named"] = True
    kept = Gate(calibrations.current, 0.03, 0.003).postprocess_nodes(list(nodes), query_bundle=bundle)
    assert [(node.node_id, node.node.metadata["why"]) for node in kept] == [(nodes[3].node_id, "the message names it")]


def test_without_a_calibration_nothing_passes_and_the_reason_is_told(tmp_path: Path, store: Store) -> None:
    bundle = QueryBundle("the rabbitmq broker")
    nodes = RecordRetriever(store, words_model().embed, ["notes"]).retrieve(bundle)
    assert Gate(lambda: None, 0.03, 0.003).postprocess_nodes(list(nodes), query_bundle=bundle) == []
    assert {node.node.metadata["why"] for node in nodes} == {"the gate has no background to compare with; say: citator sync"}


def test_the_vectors_of_the_background_by_the_packaged_model_are_shipped(minilm: Model) -> None:
    """To make them anew: python tests/everyday_vectors.py."""
    shipped = np.load(SHIPPED / background_name(minilm.fingerprint)).astype(np.float32)
    assert len(list(SHIPPED.glob("*.npy"))) == 1
    assert len(shipped) == len(messages())
    for row in range(0, len(shipped), 37):
        assert float(shipped[row] @ np.array(minilm.embed.get_query_embedding(messages()[row]))) > 0.99
