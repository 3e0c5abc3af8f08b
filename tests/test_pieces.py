import base64

import pytest

from citator.embedding import Model
from citator.pieces import PIECE_CHARACTERS, TITLE_CHARACTERS, PieceSplitter, document
from citator.records import Record

JAPANESE = "注文の取り消しは発送前に限る。発送後は返品として扱い、送料は客が負担する。" * 60
TABLE = "| field | meaning |\n|---|---|\n" + "| order_no_7 | x->y.z(0) |\n" * 120
BASE64 = base64.b64encode(bytes(range(256)) * 20).decode()
PROSE = "The worker takes its job from a table. It locks the row, so that no other worker takes it. " * 40


def pieces(minilm: Model, record: Record) -> list[str]:
    splitter = PieceSplitter(minilm.window, minilm.count_tokens)
    return [node.text for node in splitter.split(document(record, "source", "project"))]


@pytest.mark.parametrize("text", [JAPANESE, TABLE, BASE64, PROSE, "👩‍👩‍👧‍👦" * 400, "x_1-" * 700, "\u0301" * 900])
@pytest.mark.parametrize("title", ["Cancel orders", "注文の取り消し" * 40, "a_b-" * 90])
def test_every_piece_fits_the_models_window_with_truncation_off(minilm: Model, text: str, title: str) -> None:
    made = pieces(minilm, Record("r", "memory", title, text))
    assert all(minilm.count_tokens(piece) <= minilm.window for piece in made)
    assert all(len(piece) <= PIECE_CHARACTERS + TITLE_CHARACTERS + 1 for piece in made)


@pytest.mark.parametrize("text", [JAPANESE, TABLE, BASE64, PROSE])
def test_nothing_of_a_record_is_lost_between_its_pieces(minilm: Model, text: str) -> None:
    made = pieces(minilm, Record("r", "memory", "Title", text))
    assert "".join("".join(piece.split("\n", 1)[1] for piece in made).split()) == "".join(text.split())


def test_pieces_end_where_sentences_end(minilm: Model) -> None:
    for text, end in ((PROSE, "."), (JAPANESE, "。")):
        assert all(piece.endswith(end) for piece in pieces(minilm, Record("r", "memory", "Title", text)))


def test_the_title_stands_in_front_of_every_piece_and_is_all_of_an_empty_record(minilm: Model) -> None:
    assert all(piece.startswith("Title\n") for piece in pieces(minilm, Record("r", "memory", "Title", PROSE)))
    assert pieces(minilm, Record("r", "conversation", "Title")) == ["Title"]


def test_a_description_is_embedded_unless_the_text_has_it(minilm: Model) -> None:
    assert pieces(minilm, Record("r", "memory", "T", "text", description="gist")) == ["T\ngist\n\ntext"]
    assert pieces(minilm, Record("r", "memory", "T", "the gist of it", description="gist")) == ["T\nthe gist of it"]


def test_a_piece_knows_its_number_and_how_many_there_are(minilm: Model) -> None:
    splitter = PieceSplitter(minilm.window, minilm.count_tokens)
    nodes = splitter.split(document(Record("r", "memory", "T", PROSE), "s", "p"))
    assert [(n.metadata["piece"], n.metadata["pieces"]) for n in nodes] == [(i, len(nodes)) for i in range(len(nodes))]
    assert {n.metadata["record"] for n in nodes} == {"r"}
