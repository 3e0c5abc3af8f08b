"""Cases with known answers, and what is counted over them."""

import pytest

from citator.errors import CitatorError
from citator.evaluating import Case, Measures, Outcome, grouped, read_cases


def outcome(rank: int, size: int, *, right: bool = True, records: tuple[str, ...] = ("a",), kind: str = "") -> Outcome:
    return Outcome(Case(1, "a message", records, kind=kind), rank, right, size, 10.0)


def test_a_line_is_a_case_with_what_it_says() -> None:
    text = '{"id": 7, "message": "which queue?", "records": ["ADR-2", "docs/2.md"], "language": "en", "kind": "answered"}\n\n'
    assert read_cases(text, "cases")[0] == [Case(1, "which queue?", ("ADR-2", "docs/2.md"), "7", "en", "answered")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON: "),
        ("[]", "not an object; "),
        ('{"records": []}', "message: missing; "),
        ('{"message": " ", "records": []}', "message: missing; "),
        ('{"message": "which queue?"}', "records: missing; "),
        ('{"message": "which queue?", "records": "ADR-2"}', "records: missing; "),
        ('{"message": "which queue?", "records": [2]}', "records: missing; "),
    ],
)
def test_a_line_that_is_no_case_is_told_with_its_number_and_the_rest_counts(line: str, problem: str) -> None:
    cases, [told] = read_cases('{"message": "a", "records": []}\n\n' + line, "cases.jsonl")
    assert [case.message for case in cases] == ["a"]
    assert told.startswith(f"cases.jsonl:3: {problem}")


def test_a_file_without_a_case_is_refused() -> None:
    with pytest.raises(CitatorError, match=r"cases.jsonl:1: not JSON.*\ncases.jsonl: holds no case"):
        read_cases("nonsense\n", "cases.jsonl")


def test_of_the_answerable_those_count_as_kept_that_were_found_and_handed_something() -> None:
    made = Measures.of(
        [outcome(1, 300), outcome(4, 500, right=False), outcome(5, 0), outcome(6, 100, right=False), outcome(0, 0, right=False)]
    )
    assert (made.answerable, made.recall_at_1, made.recall_at_5) == (5, 0.2, 0.6)
    assert made.mrr == pytest.approx((1 + 1 / 4 + 1 / 5 + 1 / 6) / 5, abs=1e-4)
    assert (made.kept, made.right) == (pytest.approx(2 / 3, abs=1e-4), pytest.approx(2 / 3, abs=1e-4))
    assert (made.false_silence, made.bytes_median) == (0.4, 300)
    assert (made.unrelated, made.false_injection) == (0, None)


def test_an_unrelated_message_that_is_handed_something_is_a_false_injection() -> None:
    made = Measures.of([outcome(0, size, records=(), right=False) for size in (0, 0, 0, 200)])
    assert (made.answerable, made.recall_at_5, made.kept) == (0, None, None)
    assert (made.unrelated, made.false_injection) == (4, 0.25)


def test_measures_are_told_apart_by_kind_where_cases_say_theirs() -> None:
    by_kind = grouped([outcome(1, 9, kind="answered"), outcome(2, 9, kind="other"), outcome(3, 9)], "kind")
    assert {kind: made.recall_at_1 for kind, made in by_kind.items()} == {"answered": 1.0, "other": 0.0}
