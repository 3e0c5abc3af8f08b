"""The retriever and the marks, through LlamaIndex's own interfaces, over a real store."""

from pathlib import Path

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from citator.options import StoreOptions
from citator.pieces import PieceSplitter, document
from citator.postprocessors import StatusMarks
from citator.records import Record, Status, Successor, Verdict
from citator.retrieval import RecordRetriever
from citator.store import Store, open_store
from words import DIMENSION, words_model

VERDICTS = {
    "0003.md": Verdict("0003.md", Status.SUPERSEDED, (Successor(path="0007.md", label="ADR-0007"),)),
    "0007.md": Verdict("0007.md", Status.LIVE),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = open_store(StoreOptions(), tmp_path, "words", DIMENSION)
    splitter, embed = PieceSplitter(200, lambda text: len(text.split())), words_model().embed
    records = [
        ("adr", Record("0003.md", "decision", "Use RabbitMQ", "Jobs go to a broker. " * 80 + "The queue is RabbitMQ.")),
        ("adr", Record("0007.md", "decision", "Use PostgreSQL", "The queue is a table.")),
        ("adr", Record("0008.md", "decision", "Unread", "The queue of 2030.")),
        ("notes", Record("queue.md", "memory", "Queue", "The queue is emptied at night.")),
        ("other project", Record("secret.md", "memory", "Queue", "The queue is RabbitMQ.")),
    ]
    for source, record in records:
        made.add([_embedded(node, embed) for node in splitter.split(document(record, source, ""))])
    return made


def _embedded(node, embed):  # type: ignore[no-untyped-def]
    node.embedding = embed.get_text_embedding(node.get_content(MetadataMode.EMBED))
    return node


@pytest.fixture
def retriever(store: Store) -> RecordRetriever:
    return RecordRetriever(store, words_model().embed, ["adr", "notes"])


@pytest.fixture
def marks() -> StatusMarks:
    return StatusMarks(lambda source: VERDICTS if source == "adr" else None)


def test_each_record_comes_once_with_its_best_piece_and_its_raw_similarity(retriever: RecordRetriever, store: Store) -> None:
    assert isinstance(retriever, BaseRetriever)
    nodes = retriever.retrieve("the broker")
    assert nodes[0].node.metadata["record"] == "0003.md"
    assert len({(n.node.metadata["source"], n.node.metadata["record"]) for n in nodes}) == len(nodes) == 4
    query = words_model().embed.get_query_embedding("the broker")
    pieces = [node for node in store.get_nodes() if node.metadata["record"] == "0003.md"]
    assert len(pieces) > 1
    best = max(sum(a * b for a, b in zip(node.get_embedding(), query, strict=True)) for node in pieces)
    assert nodes[0].score == pytest.approx(best, abs=1e-5)
    assert [node.score for node in nodes] == sorted((node.score for node in nodes), reverse=True)


def test_no_record_of_another_project_is_found(retriever: RecordRetriever) -> None:
    assert "secret.md" not in {node.node.metadata["record"] for node in retriever.retrieve("The queue is RabbitMQ.")}


def test_without_sources_nothing_is_found(store: Store) -> None:
    assert RecordRetriever(store, words_model().embed, []).retrieve("queue") == []


def test_a_record_of_very_many_pieces_does_not_crowd_out_the_others(store: Store) -> None:
    splitter, embed = PieceSplitter(200, lambda text: len(text.split())), words_model().embed
    text = "\n\n".join(f"{'The queue is RabbitMQ. ' * 25} Paragraph {number}." for number in range(120))
    huge = splitter.split(document(Record("huge.md", "memory", "Huge", text), "notes", ""))
    assert len(huge) > 64
    store.add([_embedded(node, embed) for node in huge])
    found = RecordRetriever(store, embed, ["adr", "notes"]).retrieve("The queue is RabbitMQ.")
    assert {node.node.metadata["record"] for node in found} == {"huge.md", "0003.md", "0007.md", "0008.md", "queue.md"}


def test_marks_keep_order_and_number_and_a_note_gets_none(retriever: RecordRetriever, marks: StatusMarks) -> None:
    assert isinstance(marks, BaseNodePostprocessor)
    before = retriever.retrieve("The queue is RabbitMQ.")
    after = marks.postprocess_nodes(retriever.retrieve("The queue is RabbitMQ."))
    assert [node.node_id for node in after] == [node.node_id for node in before]
    assert [node.score for node in after] == [node.score for node in before]
    by_record = {node.node.metadata["record"]: node.node for node in after}
    assert by_record["0003.md"].metadata["mark"] == "⚠️superseded → ADR-0007"
    assert by_record["0007.md"].metadata["mark"] == ""
    assert by_record["0008.md"].metadata["mark"] == "status unknown"
    assert "mark" not in by_record["queue.md"].metadata


def test_a_query_engine_of_somebody_elses_hands_the_mark_to_its_llm(retriever: RecordRetriever, marks: StatusMarks) -> None:
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[marks])
    response = engine.query("The queue is RabbitMQ.")
    assert "⚠️superseded → ADR-0007 Use RabbitMQ" in str(response)
    assert len(response.source_nodes) == 4


def test_a_very_long_message_is_cut_and_an_empty_one_harms_nothing(retriever: RecordRetriever) -> None:
    assert retriever.retrieve("The queue is RabbitMQ. " * 100_000)
    assert len(retriever.retrieve("")) == 4
