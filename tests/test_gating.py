import json
import random
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from citator import background, gating
from citator.embedding import Model
from citator.gating import Answer, Calibration, Candidate, Decision, Vectors, calibrate, decide, standings, threshold

NOTES = (
    "Invoices are numbered without gaps\nEach fiscal year has a counter row that is locked while an invoice number is drawn.",
    "Tenants share one schema\nRow level security keeps tenants apart; a tenant column leads every composite index.",
    "Feature toggles expire\nA toggle older than ninety days fails the nightly audit until its owner prolongs or drops it.",
    "Thumbnails are rendered lazily\nThe gallery asks the imaging sidecar, which keeps derivatives for a fortnight.",
    "Webhooks are retried with backoff\nSix deliveries over two days, then the subscription is parked and its owner is told.",
    "Search runs on trigrams\nPostgres trigram indexes were enough for the catalogue; a separate cluster was rejected.",
    "Sessions live in signed cookies\nNo server side session table; revocation goes by a generation number of the account.",
    "Geocoding goes through a cache\nAddresses are normalised first, and a hit is kept for a year because houses rarely move.",
    "Telemetry is sampled at the edge\nOne span in fifty is kept, all spans of failed requests are.",
    "Currency is stored in minor units\nAmounts are integers with an ISO code beside them, never floating point.",
)
QUESTIONS = (
    "how do we keep invoice numbers of a fiscal year without gaps?",
    "what keeps the tenants apart in the shared schema, row level security?",
    "when do feature toggles expire, and who prolongs a toggle?",
    "who renders the thumbnails of the gallery?",
    "how often are webhook deliveries retried, with which backoff?",
    "did we say trigram indexes for the catalogue search?",
    "is there a session table, or signed cookies with a generation number?",
    "are geocoding hits of normalised addresses in the cache?",
    "which spans does telemetry keep at the edge?",
    "do we store currency amounts in minor units?",
)


@cache
def word_vector(word: str) -> Vectors:
    return np.random.default_rng(zlib.crc32(word.encode("utf-8", "replace"))).standard_normal(128).astype(np.float32)


@cache
def text_vector(text: str) -> Vectors:
    """A small model of meaning: the sum of a text's words, but for the short ones that are everywhere."""
    words = [word for word in re.findall(r"\w+", text.lower()) if len(word) > 4 or not word.isascii()]
    total: Vectors = np.sum([word_vector(word[:5]) for word in words], axis=0, initial=1e-3).astype(np.float32) + np.zeros(
        128, np.float32
    )
    unit: Vectors = total / np.linalg.norm(total)
    return unit


def embed(texts: Sequence[str]) -> Vectors:
    return np.array([text_vector(text) for text in texts])


@cache
def everyday_vectors() -> Vectors:
    return embed(background.messages())


def others(count: int) -> list[str]:
    """Records on nothing that a question is about."""
    chance = random.Random(5)
    made = ["".join(chance.choices("bdfgklmnprstvz", k=3)) + "a" + "".join(chance.choices("eiou", k=3)) for _ in range(400)]
    return [" ".join(chance.choices(made, k=40)) for _ in range(count)]


def measured(texts: Sequence[str], digest: str = "records") -> Calibration:
    return calibrate(
        embed(texts), texts, ["notes"] * len(texts), background.messages(), everyday_vectors(), fingerprint="words", digest=digest
    )


def recalled(calibration: Calibration, texts: Sequence[str], message: str) -> dict[str, float]:
    candidates = [Candidate(text, "notes", text, vector.tolist()) for text, vector in zip(texts, embed(texts), strict=True)]
    return standings(calibration, message, embed([message])[0].tolist(), candidates)


def handed(calibration: Calibration, texts: Sequence[str], messages: Sequence[str], rate: float = 0.03) -> float:
    """The share of the messages that would bring something."""
    decisions = [decide(recalled(calibration, texts, message), false_injection=rate) for message in messages]
    return sum(bool(decision.records) for decision in decisions) / len(decisions)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10])
def test_among_few_records_the_one_asked_for_comes_and_everyday_messages_bring_next_to_nothing(count: int) -> None:
    notes = NOTES[:count]
    calibration = measured(notes)
    assert handed(calibration, notes, background.everyday()["en"]) <= 0.08
    for note, question in zip(notes, QUESTIONS, strict=False):
        assert decide(recalled(calibration, notes, question)).records[0] == note


def test_among_many_records_the_one_asked_for_comes_and_everyday_messages_bring_next_to_nothing() -> None:
    texts = [*NOTES, *others(500)]
    calibration = measured(texts)
    assert handed(calibration, texts, background.everyday()["en"][::4]) <= 0.08
    assert all(
        decide(recalled(calibration, texts, question)).records[0] == note for note, question in zip(NOTES, QUESTIONS, strict=True)
    )


def test_of_records_that_are_all_alike_each_comes_when_asked_for_and_none_otherwise() -> None:
    alike = [f"{NOTES[0]} Copy {number}." for number in range(50)]
    calibration = measured(alike)
    assert len(decide(recalled(calibration, alike, QUESTIONS[0])).records) > 1
    assert handed(calibration, alike, QUESTIONS[1:]) == 0
    assert handed(calibration, alike, background.everyday()["en"][::4]) <= 0.08


def test_records_that_agree_do_not_silence_each_other() -> None:
    texts = [*NOTES, NOTES[4].replace("Six", "Seven"), NOTES[4].replace("parked", "closed")]
    decision = decide(recalled(measured(texts), texts, QUESTIONS[4]))
    assert set(decision.records) >= {NOTES[4], texts[-1], texts[-2]}


@pytest.mark.parametrize("spread", [0.2, 1.0])
def test_a_model_whose_vectors_all_point_one_way_decides_alike(spread: float) -> None:
    """As multilingual-e5 does, where even unrelated texts have a similarity of 0.8."""
    direction = np.zeros(129, dtype=np.float32)
    direction[128] = 1.0

    def narrow(vectors: Vectors) -> Vectors:
        moved = np.hstack([spread * vectors, np.zeros((len(vectors), 1), np.float32)]) + direction
        made: Vectors = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        return made

    texts = [*NOTES, *others(90)]
    calibration = calibrate(
        narrow(embed(texts)),
        texts,
        ["notes"] * len(texts),
        background.messages(),
        narrow(everyday_vectors()),
        fingerprint="narrow",
        digest="records",
    )
    wide = measured(texts)
    candidates = [
        Candidate(text, "notes", text, vector.tolist()) for text, vector in zip(texts, narrow(embed(texts)), strict=True)
    ]
    for question in [*QUESTIONS, *background.everyday()["en"][:40]]:
        near = standings(calibration, question, narrow(embed([question]))[0].tolist(), candidates)
        assert near == pytest.approx(recalled(wide, texts, question), abs=0.01)


@pytest.mark.parametrize("message", ["", "   ", "🙂", "?!", "\udcff", "x" * 100_000])
def test_messages_that_say_nothing_bring_nothing(message: str) -> None:
    assert decide(recalled(measured(NOTES), NOTES, message)).answer is Answer.NOTHING


def test_without_candidates_there_is_nothing_to_hand_over() -> None:
    assert decide(standings(measured(NOTES), "anything", [1.0] * 128, [])) == Decision(Answer.NOTHING)


def test_a_record_stands_where_its_best_piece_does() -> None:
    calibration, question = measured(NOTES), QUESTIONS[2]
    vectors = dict(zip(NOTES, embed(NOTES).tolist(), strict=True))
    pieces = [Candidate("record", "notes", NOTES[at], vectors[NOTES[at]]) for at in (0, 2, 1)]
    asked = embed([question])[0].tolist()
    assert standings(calibration, question, asked, pieces) == pytest.approx(standings(calibration, question, asked, pieces[1:2]))


def test_the_order_of_the_pieces_changes_nothing() -> None:
    backwards = measured(NOTES[::-1])
    assert recalled(backwards, NOTES, QUESTIONS[0]) == pytest.approx(
        recalled(measured(NOTES), NOTES[::-1], QUESTIONS[0]), abs=1e-4
    )


def test_a_calibration_for_another_model_or_other_records_is_told_from_one_that_fits() -> None:
    calibration = measured(NOTES, digest="now")
    assert calibration.fits("words", "now")
    assert not calibration.fits("words", "before")
    assert not calibration.fits("another model", "now")


def test_a_calibration_comes_back_from_its_file_as_it_was() -> None:
    calibration = measured([*NOTES, *others(30)])
    assert Calibration.from_json(calibration.to_json()) == calibration


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-1],
        lambda text: "",
        lambda text: "[]",
        lambda text: "{}",
        lambda text: text.replace('"centre"', '"center"'),
        lambda text: json.dumps({**json.loads(text), "version": gating.VERSION + 1}),
        lambda text: json.dumps({**json.loads(text), "everyday": {"en": {}}}),
    ],
)
def test_a_damaged_calibration_or_one_of_another_version_is_refused(damage: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match=r"calibration|Expecting"):
        Calibration.from_json(damage(measured(NOTES).to_json()))


def test_a_calibration_of_many_records_keeps_a_small_table_of_words() -> None:
    texts = [f"note {number} on thing{number} and matter{number % 900}" for number in range(3000)]
    assert len(measured(texts).words) < 1000


def test_too_few_everyday_messages_to_measure_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 20 messages"):
        calibrate(embed(NOTES), NOTES, ["notes"] * len(NOTES), ["hello"], embed(["hello"]), fingerprint="words", digest="records")


def test_fewer_messages_measured_make_the_same_score_less_unusual() -> None:
    english = measured(NOTES).everyday["en"]
    few, unusual = replace(english, count=20), english.sources["notes"].mean + 3 * english.sources["notes"].deviation
    assert few.standing("notes", unusual) < english.standing("notes", unusual) < 3


STANDING = {"d": 1.0, "a": 4.0, "c": 2.0, "b": 3.5, "e": 2.1, "f": 2.2, "g": 2.3}


@pytest.mark.parametrize(
    ("top", "answer", "records"),
    [
        (4.0, Answer.FULL, ("a", "b", "g", "f", "e", "c")),
        (2.0, Answer.SHORT, ("c",)),
        (2.3, Answer.SHORT, ("g", "f", "e", "c")),
        (1.8, Answer.NOTHING, ()),
    ],
)
def test_how_much_is_handed_over_follows_from_the_best(top: float, answer: Answer, records: tuple[str, ...]) -> None:
    below = {record: standing for record, standing in STANDING.items() if standing <= top}
    assert decide(below, false_injection=0.03, full=0.003) == Decision(answer, records)


def test_a_short_list_has_two_places_and_a_full_one_five() -> None:
    assert (Decision(Answer.SHORT).most, Decision(Answer.FULL).most) == (2, 5)


def test_a_source_in_which_everyday_messages_reach_more_is_held_to_more() -> None:
    """As short titles, of which two thousand are there."""
    titles = [f"{message[:40]}" for message in background.everyday()["en"][::3]]
    texts = [*NOTES, *titles]
    sources = ["notes"] * len(NOTES) + ["titles"] * len(titles)
    calibration = calibrate(
        embed(texts), texts, sources, background.messages(), everyday_vectors(), fingerprint="words", digest="records"
    )
    english = calibration.everyday["en"]
    assert english.sources["titles"].mean > english.sources["notes"].mean
    assert english.standing("titles", 1.5) < english.standing("notes", 1.5)
    assert english.standing("unknown", 1.5) == english.standing("titles", 1.5)
    pieces = [
        Candidate(text, source, text, vector.tolist()) for text, source, vector in zip(texts, sources, embed(texts), strict=True)
    ]
    for note, question in zip(NOTES, QUESTIONS, strict=True):
        assert decide(standings(calibration, question, embed([question])[0].tolist(), pieces)).records[0] == note


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.02, 0.001])
def test_a_lower_rate_never_hands_over_more(rate: float) -> None:
    more = decide(STANDING, false_injection=rate, full=rate / 10).records
    less = decide(STANDING, false_injection=rate / 2, full=rate / 20).records
    assert less == more[: len(less)]
    assert gating.share(threshold(rate)) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ADR-0046 calls get_user()", {"adr", "0046", "calls", "get_user"}),
        ("Größe: 3 €", {"größe", "3"}),
        ("型付きのPython", {"型付", "付き", "きの", "python"}),
        ("値", {"値"}),
    ],
)
def test_words_are_those_of_any_script(text: str, found: set[str]) -> None:
    assert gating.words(text) == found


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Please tidy up the settings page before lunch", "en"),
        ("Räum bitte die Einstellungsseite noch vor dem Mittagessen auf", "de"),
        ("Range la page des réglages avant le déjeuner, s'il te plaît", "fr"),
        ("Ordena la página de ajustes antes de comer, por favor", "es"),
        ("Arrume a página de configurações antes do almoço, por favor", "pt"),
        ("Приведи в порядок страницу настроек", "ru"),
        ("設定ページを整理してください", "ja"),
        ("请整理一下设置页面", "zh"),
        ("설정 화면을 정리해 줘", "ko"),
        ("Settings の page を tidy up して", "ja"),
        ("Asynchronous generators", "en"),
        ("σελίδα ρυθμίσεων", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_message_is_told(message: str, language: str) -> None:
    assert background.language(message) == language


def test_the_everyday_messages_are_many_in_nine_languages_and_none_is_there_twice() -> None:
    assert len(background.everyday()) >= 9
    for language, messages in background.everyday().items():
        assert len(messages) >= 60
        assert sum(background.language(message) == language for message in messages) >= 0.9 * len(messages)
    assert len(set(background.messages())) == len(background.messages())
    assert all(message == message.strip("\n ") or "def " in message for message in background.messages())


@pytest.mark.slow
def test_the_packaged_model_is_silent_on_everyday_messages_in_all_languages_and_answers_questions(minilm: Model) -> None:
    messages = background.messages()
    asked = np.array([minilm.embed.get_query_embedding(message) for message in messages], dtype=np.float32)
    vectors = np.array(minilm.embed.get_text_embedding_batch(list(NOTES)), dtype=np.float32)
    calibration = calibrate(vectors, NOTES, ["notes"] * len(NOTES), messages, asked, fingerprint="minilm", digest="records")
    candidates = [Candidate(note, "notes", note, vector.tolist()) for note, vector in zip(NOTES, vectors, strict=True)]

    def decided(message: str, vector: Sequence[float]) -> Decision:
        return decide(standings(calibration, message, vector, candidates))

    for language in background.everyday():
        of_it = [at for at, message in enumerate(messages) if background.language(message) == language]
        assert sum(bool(decided(messages[at], asked[at].tolist()).records) for at in of_it) <= 0.1 * len(of_it)
    for note, question in zip(NOTES, QUESTIONS, strict=True):
        assert decided(question, minilm.embed.get_query_embedding(question)).records[0] == note
