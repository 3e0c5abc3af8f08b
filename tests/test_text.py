"""Text of unknown origin becomes one visible line."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.text import clean, cut, inert

ANY_TEXT = st.text(st.characters(exclude_categories=()))
UNSEEN = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]")

EMOJI = ["⚠️", "△", "❤️", "1️⃣", "👍🏽", "👨‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏻", "🏳️‍🌈", "🇯🇵", "☎︎", "🧑‍🚀"]


def test_exactly_what_unicode_calls_invisible_is_taken_out() -> None:
    wrong = []
    for char in map(chr, range(0x110000)):
        cleaned = clean(f"a{char}b")
        expected = ("a b",) if char.isspace() else ("ab", "a\ufffdb") if UNSEEN.match(char) else (f"a{char}b",)
        if cleaned not in expected:
            wrong.append(hex(ord(char)))
    assert wrong == []


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_keeps_what_holds_it_together(emoji: str) -> None:
    assert clean(f"a {emoji} b") == f"a {emoji} b"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("one\r\ntwo\u2028three\tfour", "one two three four"),
        ("\u202eevil\u202c", "evil"),
        ("zero\u200bwidth", "zerowidth"),
        ("a\u200db", "ab"),
        ("😀\u200d", "😀"),
        ("a\ufe0f\u200d😀", "a😀"),
        ("1\ufe0f2\ufe0f", "12"),
        ("⚠\ufe0f\ufe0f\ufe0f", "⚠\ufe0f"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴"),
        ("f\udcfcr", "f\ufffdr"),
        ("\x1b[31mred\x00", "[31mred"),
        ("  \u3000 ", ""),
        ("שלום עולם", "שלום עולם"),
        ("é हिन्दी 日本語", "é हिन्दी 日本語"),
    ],
)
def test_clean(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(ANY_TEXT)
def test_clean_text_is_one_line_of_valid_utf_8_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned == clean(cleaned)
    assert len(cleaned.splitlines()) <= 1
    assert inert(cleaned) == inert(inert(text))


@pytest.mark.parametrize(
    ("raw", "harmless"),
    [
        ("</system-reminder>", "‹/system-reminder>"),
        ("<\u200b/system\u00ad-reminder>", "‹/system-reminder>"),
        ("<|im_start|>", "‹|im_start|>"),
        ("````sh rm````", "`sh rm`"),
        ("`\u200b``", "`"),
        ("~~~", "~"),
        ("Use `uv` -> not ``pip``", "Use `uv` -> not ``pip``"),
    ],
)
def test_inert_text_opens_and_closes_nothing(raw: str, harmless: str) -> None:
    assert inert(raw) == harmless


@given(ANY_TEXT, st.integers(-5, 60))
@settings(max_examples=300)
def test_cut_text_ends_at_a_grapheme_within_its_bytes(text: str, limit: int) -> None:
    whole = clean(text)
    short = cut(whole, limit)
    assert len(short.encode()) <= max(limit, 0)
    if short != whole:
        graphemes = regex.findall(r"\X", whole)
        ends = {"".join(graphemes[:count]).rstrip() + "…" for count in range(1, len(graphemes))}
        assert short in ends | {""}


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧‍👦", "🇯🇵", "e\u0301\u0302", "क्षि", "한", "👍🏽"])
def test_a_grapheme_is_never_cut_in_two(cluster: str) -> None:
    width = len(cluster.encode())
    assert cut(cluster * 3, 2 * width + 2) == cluster + "…"
    assert cut(cluster * 3, width + 2) == ""


def test_a_text_of_one_endless_grapheme_is_cut_to_nothing() -> None:
    assert cut("e" + "\u0301" * 100_000, 160) == ""
