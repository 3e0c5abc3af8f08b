"""Verdict -> mark."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citator.api import Status, Successor, Trouble, Verdict
from citator.marks import mark
from citator.records import Caution

FIRST, SECOND, THIRD = (Successor(f"docs/{n:04d}-x.md", f"ADR-{n:04d}") for n in (28, 46, 50))


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status.LIVE, ""),
        (Status.PROPOSED, "△proposed (not approved)"),
        (Status.REJECTED, "⚠️rejected"),
        (Status.DEPRECATED, "⚠️deprecated"),
        (Status.UNKNOWN, "status unknown"),
        (Status.SUPERSEDED, "⚠️superseded → ?"),
        (Status.PARTIALLY_SUPERSEDED, "△partially superseded → ?"),
    ],
)
def test_each_status_has_one_mark(status: Status, text: str) -> None:
    assert mark(Verdict("x.md", status)) == text


@pytest.mark.parametrize(
    ("successors", "current", "text"),
    [
        ((FIRST,), (FIRST,), "⚠️superseded → ADR-0028"),
        ((FIRST,), (SECOND,), "⚠️superseded → ADR-0028 (now ADR-0046)"),
        ((FIRST, SECOND), (FIRST, SECOND), "⚠️superseded → ADR-0028, ADR-0046"),
        ((FIRST, SECOND, THIRD), (FIRST, SECOND, THIRD), "⚠️superseded → ADR-0028, ADR-0046, +1"),
        ((FIRST, SECOND), (SECOND, THIRD), "⚠️superseded → ADR-0028, ADR-0046 (now ADR-0050)"),
        ((FIRST,), (), "⚠️superseded → ADR-0028"),
        ((Successor(external="https://example.org/a/b/x.md"),), (), "⚠️superseded → external"),
        ((Successor(external="https://example.org/a/b/x.md", repository="a/b"),), (), "⚠️superseded → external a/b"),
        (
            (Successor(external="https://example.org/a/b/x.md", title="Use queues", repository="a/b"),),
            (),
            "⚠️superseded → external Use queues",
        ),
        ((Successor(label="ADR-99", missing=True),), (), "⚠️superseded → ?"),
    ],
)
def test_a_mark_names_the_declared_successor_and_the_live_end(
    successors: tuple[Successor, ...], current: tuple[Successor, ...], text: str
) -> None:
    assert mark(Verdict("x.md", Status.SUPERSEDED, successors, current)) == text


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status.LIVE, "△may be replaced (a record cannot be read)"),
        (Status.PARTIALLY_SUPERSEDED, "△partially superseded → ADR-0028 △may be replaced (a record cannot be read)"),
        (Status.UNKNOWN, "status unknown"),
    ],
)
def test_what_a_record_that_cannot_be_read_may_replace_does_not_look_current(status: Status, text: str) -> None:
    assert mark(Verdict("x.md", status, (FIRST,), warnings=(Caution(Trouble.UNREADABLE, "…"),))) == text


@given(st.text(), st.text(), st.integers(0, 4))
def test_a_mark_is_one_short_line_of_plain_characters_whatever_the_records_are_called(label: str, title: str, count: int) -> None:
    successors = (*(Successor(f"{n}.md", label) for n in range(count)), Successor(external="https://example.org", title=title))
    text = mark(Verdict("x.md", Status.SUPERSEDED, successors, successors))
    assert len(text.encode()) <= len("⚠️superseded → external , , +99 (now )".encode()) + 4 * 40
    assert not any(
        unicodedata.category(c) in ("Cc", "Cs")
        or unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI")
        for c in text
    )
