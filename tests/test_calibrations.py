"""The gate's calibration beside a real store, and the gate as a LlamaIndex postprocessor."""

from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from citator.background import messages
from citator.calibrations import SHIPPED, Calibrations, background_name
from citator.embedding import Model
from citator.gating import share
from citator.options import StoreOptions
from citator.pieces import PieceSplitter, document
from citator.postprocessors import Gate, MarginGate
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


def add(store: Store, source: str, name: str, text: str, kind: str = "memory") -> None:
    model = words_model()
    nodes = PieceSplitter(200, model.count_tokens).split(document(Record(name, kind, name, text, "gist"), source, ""))
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


def gated(
    tmp_path: Path, store: Store, message: str, *sources: str, most: dict[str, int] | None = None
) -> tuple[list[NodeWithScore], list[NodeWithScore]]:
    calibrations = view(tmp_path, store, *sources)
    calibrations.update()
    bundle = QueryBundle(message)
    nodes = RecordRetriever(store, words_model().embed, sources or ("notes",)).retrieve(bundle)
    return nodes, Gate(calibrations.current, 0.03, 0.003, most or {}).postprocess_nodes(list(nodes), query_bundle=bundle)


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
    kept = Gate(calibrations.current, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle)
    assert [(node.node_id, node.node.metadata["why"]) for node in kept] == [(nodes[3].node_id, "the message names it")]


def test_a_rerankers_order_holds_among_what_passes_and_lets_nothing_else_through(tmp_path: Path, store: Store) -> None:
    message = "did we settle on the rabbitmq broker for the warehouse after weighing it?"
    nodes, _ = gated(tmp_path, store, message)
    best = sorted(nodes, key=lambda node: -node.node.metadata["standing"])[:3]
    rate = share(best[2].node.metadata["standing"]) * 1.001
    for rank, node in enumerate([*best[1:], *(node for node in nodes if node not in best), best[0]]):
        node.node.metadata["rank"] = rank
    bundle = QueryBundle(message, embedding=words_model().embed.get_query_embedding(message))
    kept = Gate(view(tmp_path, store).current, rate, rate / 2, {}).postprocess_nodes(nodes, query_bundle=bundle)
    assert [node.node_id for node in kept] == [node.node_id for node in (best[1], best[2], best[0])]


def test_without_a_calibration_nothing_passes_and_the_reason_is_told(tmp_path: Path, store: Store) -> None:
    bundle = QueryBundle("the rabbitmq broker")
    nodes = RecordRetriever(store, words_model().embed, ["notes"]).retrieve(bundle)
    assert Gate(lambda: None, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle) == []
    assert {node.node.metadata["why"] for node in nodes} == {"the gate has no background to compare with; say: citator sync"}


def test_the_vectors_of_the_background_by_the_packaged_model_are_shipped(minilm: Model) -> None:
    """To make them anew: python tests/everyday_vectors.py."""
    shipped = np.load(SHIPPED / background_name(minilm.fingerprint)).astype(np.float32)
    assert len(list(SHIPPED.glob("*.npy"))) == 1
    assert len(shipped) == len(messages())
    for row in range(0, len(shipped), 37):
        assert float(shipped[row] @ np.array(minilm.embed.get_query_embedding(messages()[row]))) > 0.99


RABBITMQ = "did we settle on the rabbitmq broker for the warehouse after weighing it?"


def records(nodes: list[NodeWithScore]) -> list[str]:
    return [node.node.metadata["record"] for node in nodes]


def test_of_one_fact_in_three_sources_one_line_is_handed_over(tmp_path: Path, store: Store) -> None:
    text = "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse."
    add(store, "rules", "0.md", text)
    add(store, "conversations", "0.md", text)
    nodes, kept = gated(tmp_path, store, RABBITMQ, "notes", "rules", "conversations")
    assert records(nodes).count("0.md") == 3
    assert records(kept).count("0.md") == 1
    assert [node.node.metadata["why"] for node in nodes].count("says the same as 0.md") == 2


def test_of_a_note_and_a_decision_that_say_the_same_the_decision_stays(tmp_path: Path, store: Store) -> None:
    add(store, "decisions", "0.md", "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse.")
    calibrations = view(tmp_path, store, "notes", "decisions")
    calibrations.update()
    bundle = QueryBundle(RABBITMQ)
    nodes = RecordRetriever(store, words_model().embed, ["notes", "decisions"]).retrieve(bundle)
    for node in nodes:
        if node.node.metadata["source"] == "decisions":
            node.node.metadata.update(status="live", mark="")
    kept = Gate(calibrations.current, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle)
    assert [node.node.metadata["source"] for node in kept if node.node.metadata["record"] == "0.md"] == ["decisions"]


def test_a_note_that_copies_a_decision_is_not_handed_over_beside_it_where_the_message_names_that(
    tmp_path: Path, store: Store
) -> None:
    add(store, "decisions", "0.md", "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse.")
    calibrations = view(tmp_path, store, "notes", "decisions")
    calibrations.update()
    nodes = RecordRetriever(store, words_model().embed, ["notes", "decisions"]).retrieve(bundle := QueryBundle(RABBITMQ))
    for node in nodes:
        if node.node.metadata["source"] == "decisions":
            node.node.metadata.update(status="live", mark="", named=True)
    kept = Gate(calibrations.current, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle)
    assert [node.node.metadata["source"] for node in kept if node.node.metadata["record"] == "0.md"] == ["decisions"]


def test_no_decision_stands_for_another_that_has_another_standing(tmp_path: Path, store: Store) -> None:
    text = "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse."
    marks = {"ours": "", "theirs": "⚠️superseded → ADR-9", "copies": ""}
    for source in marks:
        add(store, source, "0.md", text)
    calibrations = view(tmp_path, store, *marks)
    calibrations.update()
    nodes = RecordRetriever(store, words_model().embed, list(marks)).retrieve(bundle := QueryBundle(RABBITMQ))
    for node in nodes:
        node.node.metadata.update(status="some", mark=marks[node.node.metadata["source"]])
    kept = Gate(calibrations.current, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle)
    assert sorted(node.node.metadata["mark"] for node in kept) == ["", "⚠️superseded → ADR-9"]


def test_records_of_one_source_that_say_the_same_are_all_handed_over(tmp_path: Path, store: Store) -> None:
    add(store, "notes", "copy.md", "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse.")
    assert {"0.md", "copy.md"} <= set(records(gated(tmp_path, store, RABBITMQ)[1]))


def test_a_kind_fills_no_more_places_than_it_may(tmp_path: Path, store: Store) -> None:
    for number in range(20):
        add(
            store,
            "conversations",
            f"talk-{number}",
            f"Did we settle on the rabbitmq broker for the warehouse after all {number}?",
            "conversation",
        )
    nodes, kept = gated(tmp_path, store, RABBITMQ, "notes", "conversations", most={"conversation": 1})
    kinds = [node.node.metadata["kind"] for node in kept]
    assert (kinds.count("conversation"), "0.md" in records(kept)) == (1, True)
    assert "the list already has 1 of the kind conversation" in [node.node.metadata["why"] for node in nodes]


@pytest.mark.parametrize(("margin", "handed"), [(None, 5), (0.05, 5), (0.9, 0)])
def test_the_gates_that_are_common_hand_over_the_nearest_five_or_nothing(
    tmp_path: Path, store: Store, margin: float | None, handed: int
) -> None:
    nodes, _ = gated(tmp_path, store, RABBITMQ)
    kept = MarginGate(margin=margin).postprocess_nodes(list(nodes), query_bundle=QueryBundle(RABBITMQ))
    assert records(kept) == records(nodes)[:handed]


def test_the_one_record_of_a_collection_comes_by_any_gate(tmp_path: Path) -> None:
    single = open_store(StoreOptions(), tmp_path / "single", "words", DIMENSION)
    add(single, "notes", "0.md", "We settled on rabbitmq broker after weighing rabbitmq broker for the warehouse.")
    nodes, kept = gated(tmp_path, single, RABBITMQ)
    assert records(kept) == ["0.md"]
    assert records(MarginGate(margin=0.1).postprocess_nodes(nodes)) == ["0.md"]


def test_what_the_user_often_writes_counts_as_everyday_where_the_pipeline_says_so_and_is_kept_nowhere(
    tmp_path: Path, store: Store
) -> None:
    own = [f"settled warehouse weighing number{number}" for number in range(300)]
    shipped = view(tmp_path, store)
    personal = Calibrations(tmp_path / "calibrations", "words", words_model(), store, ["notes"], lambda: own)
    for calibrations in (shipped, personal):
        calibrations.update()
    bundle = QueryBundle("settled warehouse weighing kafka")
    nodes = RecordRetriever(store, words_model().embed, ["notes"]).retrieve(bundle)

    def best(calibrations: Calibrations) -> float:
        Gate(calibrations.current, 0.03, 0.003, {}).postprocess_nodes(list(nodes), query_bundle=bundle)
        return max(node.node.metadata["standing"] for node in nodes)

    assert best(personal) < best(shipped) - 0.5
    assert "number7" not in "".join(file.read_text(errors="replace") for file in (tmp_path / "calibrations").iterdir())
