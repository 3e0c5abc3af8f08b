"""The status rule: from declarations to verdicts."""

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from citator.api import Declaration, Document, Place, Status, Trouble, Verdict, decide
from citator.index import DecisionIndex
from citator_plugins.adr import AdrResolver

RECORDS = [
    Document(f"docs/{n:04d}-topic-{n}.md", f"Topic {n}", f"ADR-{n:04d}", aliases=(f"{n:04d}", f"{n:04d}-topic-{n}", f"topic-{n}"))
    for n in range(1, 10)
]
ONE = RECORDS[0].path


def path(number: int) -> str:
    return RECORDS[number - 1].path


def says(number: int, text: str, field: str = "status", place: Place = Place.SECTION, line: int = 7) -> Declaration:
    return Declaration(path(number), place, field, text, line)


def rule(*declarations: Declaration, documents: list[Document] | None = None, **options: object) -> Mapping[str, Verdict]:
    words: Mapping[str, Status] = options.pop("words", {})  # type: ignore[assignment]
    return decide(documents or RECORDS, declarations, words, **options)  # type: ignore[arg-type]


def successors(verdict: Verdict) -> list[str]:
    return [s.path or s.external or f"missing {s.label}" for s in verdict.successors]


def troubles(verdict: Verdict) -> set[Trouble]:
    return {warning.trouble for warning in verdict.warnings}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Accepted", "live"),
        ("accepted.", "live"),
        ("✅ Accepted", "live"),
        (":white_check_mark: Accepted", "live"),
        ("**Accepted** on 2024-03-01", "live"),
        ("`accepted`", "live"),
        ("Accepted (by a quorum) & implemented", "live"),
        ("Accepted & removed", "live"),
        ("Approved by the board on 2024-05-18.", "live"),
        ("Implemented, used by the importer, but not yet by the exporter", "live"),
        ("Partially accepted", "live"),
        ("Accepted with modifications", "live"),
        ("Accepted (proposed / superseded / deprecated)", "live"),
        ("Accepted. Deprecated options are listed below.", "live"),
        ("[ADOPTED](/README.md#adopted) (but should move to deprecated)", "live"),
        ("Accepted (amended 2024: the old queue was retired)", "live"),
        ("Accepted, the rejected options are listed below", "live"),
        ("As of 2024-02-05, this ADR has been accepted. It has been built.", "live"),
        ("Accepted. Until 2025-01-01 the old queue stays beside it.", "live"),
        ("Accepted, and the rejected options are no longer listed", "live"),
        ("Needs revision", "live"),
        ("ACCEPTED Not Implemented", "live"),
        ("Proposed → Accepted", "live"),
        ("Accepté (mise en œuvre plus tard)", "live"),
        ("angenommen", "live"),
        ("Aceptada", "live"),
        ("承認済み", "live"),
        ("已采纳", "live"),
        ("принято", "live"),
        ("승인됨", "live"),
        ("Aanvaard", "live"),
        ("承認待ち", "proposed"),
        ("採用予定", "unknown"),
        ("승인 대기", "proposed"),
        ("На рассмотрении", "proposed"),
        ("Em discussão", "proposed"),
        ("Отклонён", "rejected"),
        ("기각됨", "rejected"),
        ("不采纳", "rejected"),
        ("Scartato", "rejected"),
        ("Устарело", "deprecated"),
        ("已作废", "deprecated"),
        ("대체됨", "superseded"),
        ("Superato", "superseded"),
        ("Deels vervangen", "partially superseded"),
        ("partially_superseded", "partially superseded"),
        ("部分被取代", "partially superseded"),
        ("accepted or rejected?", "unknown"),
        ("Proposed", "proposed"),
        ("🤔 Proposed", "proposed"),
        ("WIP.", "proposed"),
        ("Work-in-progress", "proposed"),
        ("To be reviewed", "proposed"),
        ("DRAFT Not Implemented", "proposed"),
        ("Proposed, implemented behind a flag", "proposed"),
        ("On hold", "proposed"),
        ("Not yet accepted", "proposed"),
        ("**Proposed** | ~~Accepted~~ | ~~Deprecated~~", "proposed"),
        ("brouillon", "proposed"),
        ("Entwurf", "proposed"),
        ("Borrador", "proposed"),
        ("提案中", "proposed"),
        ("草案", "proposed"),
        ("❌ Rejected (see [2](0002-topic-2.md))", "rejected"),
        ("Withdrawn", "rejected"),
        ("Unaccepted", "rejected"),
        ("Rejected, superseded by ADR-2", "rejected"),
        ("却下", "rejected"),
        ("Deprecated", "deprecated"),
        ("Accepted → Deprecated", "deprecated"),
        ("Accepted (deprecated)", "deprecated"),
        ("Accepted. Deprecated because nobody runs it.", "deprecated"),
        ("Accepted — deprecated since the vendor left", "deprecated"),
        ("Accepted 2020-01-01, deprecated 2021-02-02", "deprecated"),
        ("retired (PR #12)", "deprecated"),
        ("Obsolete", "deprecated"),
        ("moot", "deprecated"),
        ("已废弃", "deprecated"),
        ("Superseded", "superseded"),
        ("Accepted (superseded)", "superseded"),
        ("Replaced.", "superseded"),
        ("sustituida", "superseded"),
        ("Accepted. No longer in use.", "deprecated"),
        ("Implemented and later rolled back", "deprecated"),
        ("Partly superseded", "partially superseded"),
        ("superseded in part", "partially superseded"),
        ("Accepted until 2025-01-01", "unknown"),
        ("Accepted (valid until the end of May 2025)", "unknown"),
        ("Accepted, but no longer followed", "unknown"),
        ("Accepted. It was later backed out.", "unknown"),
        ("🚫 Accepted", "unknown"),
        ("Accepted ❌", "unknown"),
        ("Not-Implemented", "unknown"),
        ("Refinement done, preview in 3.4", "unknown"),
        ("reference", "unknown"),
        ("acepted", "unknown"),
        ("TBD", "unknown"),
        ("N/A", "unknown"),
        ("-", "unknown"),
        ("{Deprecated|Proposed|Accepted|Declined}", "unknown"),
        ("[proposed | rejected | accepted | superseded by [ADR-0005](0005-example.md)]", "unknown"),
        ('A decision may be "proposed", or "accepted" once it is agreed upon.', "unknown"),
        ("Replaces ADR-3", "unknown"),
        ("To be superseded by ADR-9", "unknown"),
    ],
)
def test_a_status_text_has_the_class_of_its_words(text: str, status: str) -> None:
    assert rule(says(1, text))[ONE].status.value == status


@pytest.mark.parametrize(
    ("text", "status", "by"),
    [
        ("Superseded by [2. Topic 2](0002-topic-2.md)", "superseded", [2]),
        ("Superceded by [2. Topic 2](0002-topic-2.md)", "superseded", [2]),
        ("superseeded by ADR-2", "superseded", [2]),
        ("⌛️ Superseded [0002](0002-topic-2.md)", "superseded", [2]),
        ("Overridden by [Topic](0002-topic-2.md)", "superseded", [2]),
        ("Replaced with ADR 2", "superseded", [2]),
        ("Superseded by [ADR002](ADR002-an-older-file-name.md)", "superseded", [2]),
        ("Superseded by [ADR-2](https://example.org/me/repo/blob/main/docs/0002-topic-2.md)", "superseded", [2]),
        ("Superseded by [[0002-topic-2]]", "superseded", [2]),
        ("Superseded by Topic 2", "superseded", [2]),
        ("Superseded by ADR-2 and ADR-3", "superseded", [2, 3]),
        ("superseded by ADR-2, ADR-3 & [4](0004-topic-4.md)", "superseded", [2, 3, 4]),
        ("Superseded (as never built) by [ADR 2](/adr/2)", "superseded", [2]),
        ("Superseded on 2024-01-01 by ADR-2", "superseded", [2]),
        ("Provisionally superseded by ADR-2 (until May)", "superseded", [2]),
        ("Deprecated. Superseded by [2](0002-topic-2.md)", "superseded", [2]),
        ("Deprecated in favour of ADR-2", "superseded", [2]),
        ("retired by [0002](0002-topic-2.md)", "superseded", [2]),
        ("~~Accepted~~ **Superseded by ADR-002**", "superseded", [2]),
        ("Accepted (superseded by [2](0002-topic-2.md))", "superseded", [2]),
        ("superseded by [2](0002-topic-2.md) (was: §3 superseded by [3](0003-topic-3.md))", "superseded", [2]),
        ("Superseded by [2](0002-topic-2.md) — the cache of [3](0003-topic-3.md) stays", "superseded", [2]),
        ("Remplacé par [ADR-002](0002-topic-2.md) — le reste vaut ([ADR-003](0003-topic-3.md))", "superseded", [2]),
        ("ersetzt durch [ADR-0002](0002-topic-2.md)", "superseded", [2]),
        ("Wurde durch ADR-2 ersetzt", "superseded", [2]),
        ("Sustituida por ADR-2", "superseded", [2]),
        ("廃止（ADR-2により置換）", "superseded", [2]),
        ("已被 ADR 0002 取代", "superseded", [2]),
        ("Accepted, see ADR-2 which replaces this", "superseded", [2]),
        ("Accepted, but [2](0002-topic-2.md) now supersedes it.", "superseded", [2]),
        ("Accepted on 2025-01-01, overturned by ADR-2 on 2025-02-01", "superseded", [2]),
        ("Superseded → [2](0002-topic-2.md)", "superseded", [2]),
        ("Superseded by ADR-2 (topic) - the cache is kept as part of it", "superseded", [2]),
        ("Superseded — [ADR-2](0002-topic-2.md)", "superseded", [2]),
        ("Superseded (ADR-2)", "superseded", [2]),
        ("Superseded: ADR-2", "superseded", [2]),
        ("Superseded, see ADR-2", "superseded", [2]),
        ("[Superseded](#superseded) by [ADR-2](0002-topic-2.md)", "superseded", [2]),
        ("superseded-by ADR-2", "superseded", [2]),
        ("Superseded entirely by ADR-2", "superseded", [2]),
        ("Superseded in 2024 by ADR-2", "superseded", [2]),
        ("Superseded by ADR No. 2", "superseded", [2]),
        ('Superseded by the "Topic" way (ADR-2)', "superseded", [2]),
        ("Superseded by the decision in ADR-2", "superseded", [2]),
        ("Replaced and superseded by ADR-2", "superseded", [2]),
        ("The decision was superseded by ADR-2", "superseded", [2]),
        ("Overtaken by ADR-2", "superseded", [2]),
        ("Reversed by ADR-2", "superseded", [2]),
        ("Remplacée par l’ADR-2", "superseded", [2]),
        ("Abgelöst, siehe ADR-2", "superseded", [2]),
        ("Reemplazado por el ADR-2", "superseded", [2]),
        ("Substituída pela ADR-2", "superseded", [2]),
        ("Sostituita dalla ADR-2", "superseded", [2]),
        ("Vervangen door ADR-2", "superseded", [2]),
        ("Заменён ADR-2", "superseded", [2]),
        ("заменено на [2](0002-topic-2.md)", "superseded", [2]),
        ("已废弃（ADR-2 取代）", "superseded", [2]),
        ("已替换为 ADR-2", "superseded", [2]),
        ("ADR-2에 의해 대체됨", "superseded", [2]),
        ("대체됨 (→ ADR-2)", "superseded", [2]),
        ("Superseded (in part) by ADR-2", "partially superseded", [2]),
        ("Partially superseded → ADR-2", "partially superseded", [2]),
        ("Mostly superseded by ADR-2", "partially superseded", [2]),
        ("Substituído parcialmente pelo ADR-2", "partially superseded", [2]),
        ("Частично заменено ADR-2", "partially superseded", [2]),
        ("一部廃止（ADR-2により置換）", "partially superseded", [2]),
        ("superseded-in-part by [0002](0002-topic-2.md)", "partially superseded", [2]),
        ("Accepted, superseded in part by [ADR 2: topic](0002-topic-2.md)", "partially superseded", [2]),
        ("Accepted, partially superseded by ADR-2 and ADR-3; a clause amended by ADR-4", "partially superseded", [2, 3]),
        ("Accepted. **Section 1, and Section 3 are superseded by [ADR-2](0002-topic-2.md)**", "partially superseded", [2]),
        ("angenommen – die Regeln zum Cache sind ersetzt durch [ADR-2](0002-topic-2.md)", "partially superseded", [2]),
        ("Teilweise ersetzt durch [ADR-2](0002-topic-2.md)", "partially superseded", [2]),
        ("Superseded by ADR-2 (only the cache)", "partially superseded", [2]),
    ],
)
def test_a_record_names_what_replaced_it(text: str, status: str, by: list[int]) -> None:
    verdict = rule(says(1, text))[ONE]
    assert (verdict.status.value, successors(verdict)) == (status, [path(n) for n in by])


@pytest.mark.parametrize(
    "text",
    [
        "Amended by [2](0002-topic-2.md)",
        "amended-in-part by [2](0002-topic-2.md)",
        "Accepted, supplemented by ADR-2",
        "Accepted; extended by ADR-2",
        "Amendé par [0002](0002-topic-2.md)",
        "已被 ADR 0002 补充",
    ],
)
def test_an_amendment_does_not_end_a_record(text: str) -> None:
    verdict = rule(says(1, text))[ONE]
    assert verdict.status is Status.LIVE
    assert [s.path for s in verdict.amended_by] == [path(2)]


@pytest.mark.parametrize(
    ("place", "field", "text"),
    [
        (Place.SECTION, "status", "Accepted; supersedes ADR-1"),
        (Place.SECTION, "status", "Accepted (supersedes ADR-0001, ADR-0003)"),
        (Place.SECTION, "status", "Accepted. Overrides [ADR-1 topic](0001-topic-1.md)."),
        (Place.FRONT_MATTER, "supersedes", "[ADR-0001, ADR-0003]"),
        (Place.FRONT_MATTER, "replaces", "0001-topic-1.md"),
        (Place.HEADER, "supersedes", "https://example.org/me/repo/blob/main/docs/0001-topic-1.md"),
        (Place.HEADER, "remplace", "[Topic](0001-topic-1.md)"),
        (Place.LINK, "", "Supersedes [topic-1](0001-topic-1.md)"),
        (Place.NOTE, "", "Supersedes [0001](0001-topic-1.md). It fixed the right problem."),
        (Place.SENTENCE, "", "**Supersedes ADR 0001** (the old way) and **ADR 0003**"),
        (Place.SENTENCE, "", "This ADR supersedes [ADR 1](0001-topic-1.md) and goes further."),
        (Place.SENTENCE, "", "We supersede [ADR 1](/adr/1) with the current ADR."),
        (Place.SENTENCE, "", "2024: supersedes ADR-1."),
        (Place.SENTENCE, "", "We do not use queues any more, ADR-1 is superseded by this decision."),
        (Place.SENTENCE, "", "本ADRはADR-1を置換する"),
    ],
)
def test_a_record_in_force_ends_what_it_claims_to_supersede(place: Place, field: str, text: str) -> None:
    own = says(2, text, field, place, line=9)
    verdict = rule(says(1, "Accepted"), says(2, "Accepted"), own)[ONE]
    assert (verdict.status, successors(verdict)) == (Status.SUPERSEDED, [path(2)])
    assert verdict.evidence == f"{path(2)}:9"
    assert verdict.declared == "Accepted"


@pytest.mark.parametrize(
    ("place", "field", "text"),
    [
        (Place.SENTENCE, "", "It does **not** supersede [ADR 1](0001-topic-1.md)."),
        (Place.SENTENCE, "", "While this does not directly supersede [ADR 1](0001-topic-1.md), it comes close."),
        (Place.SENTENCE, "", "Supersedes nothing; extends [1](0001-topic-1.md)"),
        (Place.SENTENCE, "", "This ADR will supersede [ADR 1](0001-topic-1.md) once it is built."),
        (Place.SENTENCE, "", "[ADR 3](0003-topic-3.md) also covers the cache and supersedes [ADR 1](0001-topic-1.md)."),
        (Place.SENTENCE, "", "… the new queue supersedes [ADR 1](0001-topic-1.md)"),
        (Place.SENTENCE, "", "This ADR supersedes the follow-up note in #1."),
        (Place.SENTENCE, "", "0003 supersedes [0001](0001-topic-1.md)."),
        (Place.SENTENCE, "", "Neither ADR-3 nor ADR-1 is superseded by this ADR."),
        (Place.SENTENCE, "", "Our previous decision supersedes ADR-1."),
        (Place.HEADER, "supersedes", "None (extends ADR-1)"),
        (Place.HEADER, "supersedes", "N/A"),
        (Place.HEADER, "supersedes", "{ADR-1}"),
        (Place.HEADER, "supersedes", "RFC 0001"),
        (Place.HEADER, "supersedes", "https://example.org/other/repo/pull/1"),
        (Place.FRONT_MATTER, "superseded date", "0001-01-01"),
        (Place.FRONT_MATTER, "title", "Supersede ADR-1 by a queue"),
    ],
)
def test_what_is_no_claim_ends_nothing(place: Place, field: str, text: str) -> None:
    assert rule(says(1, "Accepted"), says(2, "Accepted"), says(2, text, field, place))[ONE].status is Status.LIVE


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("supersedes", "[ADR-1](0001-topic-1.md) rule 1 only"),
        ("supersedes", "ADR-1 (the cache only)"),
        ("supersedes", "Partially, and in some ways, [Topic](0001-topic-1.md)"),
        ("supersedes", "ADR 1 §7 behaviour"),
        ("supersedes section of", "0001"),
        ("supersedes in part", "ADR-1"),
    ],
)
def test_a_claim_on_a_part_ends_a_part(field: str, text: str) -> None:
    verdict = rule(says(1, "Accepted"), says(2, "Accepted"), says(2, text, field, Place.HEADER))[ONE]
    assert (verdict.status, successors(verdict)) == (Status.PARTIALLY_SUPERSEDED, [path(2)])


@pytest.mark.parametrize("word", ["Proposed", "Rejected", "TBD", "some prose"])
def test_a_record_that_is_not_in_force_cannot_end_another_one(word: str) -> None:
    verdict = rule(says(1, "Accepted"), says(2, word), says(2, "ADR-1", "supersedes", Place.HEADER))[ONE]
    assert verdict.status is Status.LIVE
    assert Trouble.NOT_IN_FORCE in troubles(verdict)


@pytest.mark.parametrize("word", ["Superseded by ADR-3", "Deprecated", "Accepted"])
def test_what_a_record_replaced_stays_replaced_when_its_own_time_is_over(word: str) -> None:
    claims = says(2, "ADR-1", "supersedes", Place.HEADER)
    assert rule(says(1, "Accepted"), says(2, word), claims, says(3, "Accepted"))[ONE].status is Status.SUPERSEDED


def test_a_record_that_says_superseded_stays_so_although_its_successor_is_only_proposed() -> None:
    verdict = rule(says(1, "Superseded by ADR-2"), says(2, "Proposed"))[ONE]
    assert (verdict.status, successors(verdict), verdict.current) == (Status.SUPERSEDED, [path(2)], ())
    assert Trouble.DEAD_END in troubles(verdict)


def test_a_proposed_claimant_may_name_itself_where_the_record_says_superseded_and_not_by_whom() -> None:
    verdict = rule(
        says(1, "Partly superseded"),
        says(2, "Pending"),
        says(2, "This ADR in part supersedes [1](0001-topic-1.md).", "", Place.SENTENCE),
    )
    assert (verdict[ONE].status, successors(verdict[ONE])) == (Status.PARTIALLY_SUPERSEDED, [path(2)])


def test_the_places_of_a_record_disagree_and_the_less_current_one_counts() -> None:
    verdict = rule(says(1, "accepted", place=Place.FRONT_MATTER, line=3), says(1, "Superseded by ADR-2"), says(2, "Accepted"))[
        ONE
    ]
    assert (verdict.status, verdict.evidence) == (Status.SUPERSEDED, f"{ONE}:7")
    assert Trouble.DISAGREEMENT in troubles(verdict)


@pytest.mark.parametrize("lines", [("Accepted", "Superseded by ADR-2"), ("Superseded by ADR-2", "Accepted (2024-02-01)")])
def test_the_lines_of_a_status_are_its_history_once_one_of_them_ends_it(lines: tuple[str, str]) -> None:
    assert rule(*(says(1, text, line=n) for n, text in enumerate(lines, 7)))[ONE].status is Status.SUPERSEDED


def test_a_status_that_went_from_proposed_to_accepted_is_live() -> None:
    assert rule(says(1, "Proposed 2024-01-01", line=7), says(1, "Accepted 2024-02-01", line=8))[ONE].status is Status.LIVE


def test_a_field_of_its_own_ends_a_record_whose_status_was_left_as_it_was() -> None:
    field = says(1, "[0002 Topic](0002-topic-2.md)", "superseded by", Place.HEADER, line=4)
    verdict = rule(says(1, "accepted", place=Place.HEADER, line=3), field, says(2, "Accepted"))[ONE]
    assert (verdict.status, successors(verdict), verdict.evidence) == (Status.SUPERSEDED, [path(2)], f"{ONE}:4")


@pytest.mark.parametrize("text", ["ADR-2, ADR-3", "[ADR-2, ADR-3]", "[2](0002-topic-2.md)\n[3](0003-topic-3.md)", "2 and 3"])
def test_a_field_may_name_several_successors(text: str) -> None:
    field = says(1, text, "superseded by", Place.HEADER)
    assert successors(rule(says(1, "Superseded"), field)[ONE]) == [path(2), path(3)]


@pytest.mark.parametrize("text", ["-", "N/A", "none", "null", "[]", "~", "TBD", ""])
def test_an_empty_successor_field_says_nothing(text: str) -> None:
    assert rule(says(1, "accepted"), says(1, text, "superseded by", Place.HEADER))[ONE].status is Status.LIVE


def test_its_own_pointer_comes_before_another_claimant_who_is_reported() -> None:
    claim = says(3, "ADR-1", "supersedes", Place.HEADER)
    verdict = rule(says(1, "Superseded by ADR-2"), says(2, "Accepted"), says(3, "Accepted"), claim)[ONE]
    assert successors(verdict) == [path(2)]
    assert any("ADR-0003" in str(warning) for warning in verdict.warnings)


def test_a_chain_is_followed_to_its_live_end() -> None:
    verdict = rule(says(1, "Superseded by ADR-2"), says(2, "Superseded by ADR-3"), says(3, "Accepted"))[ONE]
    assert (successors(verdict), [s.path for s in verdict.current]) == ([path(2)], [path(3)])


def test_a_record_that_replaces_itself_is_not_replaced() -> None:
    verdict = rule(says(1, "Deprecated"), says(1, "0001-topic-1.md", "replaces", Place.FRONT_MATTER))[ONE]
    assert verdict.status is Status.DEPRECATED
    assert Trouble.CYCLE in troubles(verdict)


def test_records_that_only_each_other_hold_superseded_are_unknown() -> None:
    claims = says(1, "ADR-2", "supersedes", Place.HEADER), says(2, "ADR-1", "supersedes", Place.HEADER)
    verdicts = rule(says(1, "Accepted"), says(2, "Accepted"), *claims)
    assert [verdicts[path(n)].status for n in (1, 2)] == [Status.UNKNOWN, Status.UNKNOWN]
    assert Trouble.CYCLE in troubles(verdicts[ONE])


def test_in_a_circle_a_record_that_says_superseded_itself_stays_superseded() -> None:
    verdicts = rule(says(1, "Superseded by ADR-2"), says(2, "Accepted"), says(1, "ADR-2", "supersedes", Place.HEADER))
    assert [verdicts[path(n)].status for n in (1, 2)] == [Status.SUPERSEDED, Status.UNKNOWN]


TWINS = [*RECORDS, Document("docs/0002-other.md", "Other", "ADR-0002", aliases=("0002", "0002-other"))]


def test_an_ambiguous_number_keeps_a_record_superseded_with_its_successor_open() -> None:
    verdict = rule(says(1, "Superseded by ADR-2"), documents=TWINS)[ONE]
    assert (verdict.status, successors(verdict)) == (Status.SUPERSEDED, ["missing ADR-2"])
    assert Trouble.AMBIGUOUS in troubles(verdict)


def test_a_claim_on_an_ambiguous_number_has_no_effect_and_is_reported_on_all_that_it_may_mean() -> None:
    claim = says(1, "ADR-2", "supersedes", Place.HEADER)
    verdicts = rule(says(1, "Accepted"), says(2, "Accepted"), claim, documents=TWINS)
    assert verdicts[path(2)].status is Status.LIVE
    assert all(Trouble.AMBIGUOUS in troubles(verdicts[p]) for p in (path(2), "docs/0002-other.md"))


def test_a_link_elsewhere_in_the_claimant_tells_which_of_two_numbers_it_means() -> None:
    linked = says(1, "[ADR 2 — Topic](0002-topic-2.md)", "extends", Place.HEADER)
    claim = says(1, 'ADR 0002 §7 "Detection" behaviour', "supersedes", Place.HEADER)
    verdicts = rule(says(1, "Accepted"), says(2, "Accepted"), linked, claim, documents=TWINS)
    assert verdicts[path(2)].status is Status.PARTIALLY_SUPERSEDED


def test_a_number_means_the_record_in_the_same_folder_first() -> None:
    documents = [
        Document(f"{team}/000{n}-x.md", f"X {n}", f"ADR-000{n}", aliases=(f"000{n}",)) for team in ("a", "b") for n in (1, 2)
    ]
    verdicts = rule(Declaration("b/0001-x.md", Place.SECTION, "status", "Superseded by ADR-2", 3), documents=documents)
    assert successors(verdicts["b/0001-x.md"]) == ["b/0002-x.md"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Superseded by ADR-99", "missing ADR-99"),
        ("Superseded by PR #2", "missing PR #2"),
        (
            "Superseded by [that](https://example.org/o/r/blob/main/adr/0044-that.md)",
            "https://example.org/o/r/blob/main/adr/0044-that.md",
        ),
    ],
)
def test_a_successor_outside_the_folder_leaves_a_record_superseded(text: str, wanted: str) -> None:
    verdict = rule(says(1, text))[ONE]
    assert (verdict.status, successors(verdict)) == (Status.SUPERSEDED, [wanted])


def test_an_address_in_the_folders_own_repository_means_its_record_even_with_a_common_name() -> None:
    documents = [Document("adr/0001-record-architecture-decisions.md"), Document("adr/0002-x.md")]
    address = "https://example.org/me/mine/blob/main/adr/0001-record-architecture-decisions.md"
    told = Declaration("adr/0002-x.md", Place.SECTION, "status", f"Superseded by [1]({address})", 5)
    assert successors(rule(told, documents=documents)["adr/0002-x.md"]) == [address]
    own = rule(told, documents=documents, repository="me/mine")["adr/0002-x.md"]
    assert successors(own) == ["adr/0001-record-architecture-decisions.md"]


def test_a_record_without_status_is_unknown_unless_a_default_is_configured_and_then_it_says_so() -> None:
    assert rule()[ONE].status is Status.UNKNOWN
    verdict = rule(default_status=Status.LIVE)[ONE]
    assert (verdict.status, verdict.by_default) == (Status.LIVE, True)
    assert not rule(says(1, "Accepted"), default_status=Status.LIVE)[ONE].by_default


def test_a_word_of_the_team_is_added_and_a_fixed_word_keeps_its_meaning() -> None:
    words = {"ratified by guild": Status.LIVE, "rejected": Status.LIVE}
    assert rule(says(1, "Ratified by guild"), words=words)[ONE].status is Status.LIVE
    assert rule(says(1, "Rejected"), words=words)[ONE].status is Status.REJECTED


def test_a_tag_counts_only_where_nothing_else_says_anything() -> None:
    tag = says(1, "[api, superseded]", "tags", Place.FRONT_MATTER)
    assert rule(tag)[ONE].status is Status.SUPERSEDED
    assert rule(tag, says(1, "Accepted"))[ONE].status is Status.LIVE


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("**Superseded by [0002](0002-topic-2.md):** the gate moved", "superseded"),
        ("Superseded (2024-05-16): the queue is retired by ADR 0002.", "superseded"),
        ("This ADR has been replaced with [Topic](0002-topic-2.md).", "superseded"),
        ('Note: the "decision" recorded below was partially superseded by [0002](0002-topic-2.md).', "partially superseded"),
        (
            "The guidance for caches in this ADR is dated; it has been superseded by [this ADR](https://example.org/x).",
            "partially superseded",
        ),
        ("Deprecated: use the queue.", "deprecated"),
        ("**Superseded** by our new way of doing it.", "superseded"),
        ("This ADR has been superseded by the guidelines of the guild.", "superseded"),
        ("This ADR replaces nothing.", "live"),
        ("Amended by [ADR 2](0002-topic-2.md): the old path is superseded by the queue.", "live"),
        ("Rejected options are kept at the end.", "live"),
        ("The old queue was superseded by [Kafka](https://example.org/kafka).", "live"),
    ],
)
def test_a_note_on_top_counts_where_it_is_about_the_record(text: str, status: str) -> None:
    assert rule(says(1, "Accepted"), says(1, text, "", Place.NOTE))[ONE].status.value == status


@pytest.mark.parametrize(
    ("place", "text", "status"),
    [
        (Place.SENTENCE, "Our previous decision was superseded by ADR-2.", "live"),
        (Place.SENTENCE, "This decision was superseded by ADR-2.", "superseded"),
        (Place.LINK, "0004 superseded by ADR-2", "live"),
        (Place.LINK, "2024 superseded by ADR-2", "superseded"),
        (Place.LINK, "Moved to Java 17", "live"),
        (Place.LINK, "Moved to ADR-44", "superseded"),
        (Place.LINK, "Moved to [the handbook](../handbook.md)", "superseded"),
        (Place.NOTE, "Moved to Java 17 in May.", "live"),
        (Place.NOTE, "Deprecated in favour of Kafka 3.", "superseded"),
        (Place.NOTE, "Deprecated in favour of the new queue.", "superseded"),
    ],
)
def test_only_what_is_said_of_the_record_itself_ends_it(place: Place, text: str, status: str) -> None:
    assert rule(says(1, "Accepted"), says(1, text, "", place))[ONE].status.value == status


@pytest.mark.parametrize(
    ("field", "text", "status"),
    [
        ("replacement", "The queue is replaced step by step.", "live"),
        ("replacement", "[2](0002-topic-2.md)", "superseded"),
        ("superseded by", "The guidelines of the guild.", "superseded"),
    ],
)
def test_a_section_on_how_to_replace_something_ends_nothing_unless_it_names_a_record(field: str, text: str, status: str) -> None:
    assert rule(says(1, "Accepted"), says(1, text, field, Place.SECTION))[ONE].status.value == status


def test_a_box_in_a_later_section_is_about_that_section() -> None:
    text = "**SUPERSEDED by ADR [0002](0002-topic-2.md):** the way of running it"
    assert rule(says(1, "Accepted"), says(1, text, "", Place.SENTENCE))[ONE].status is Status.LIVE


def test_a_bare_superseded_takes_its_successor_from_what_the_record_points_at() -> None:
    note = says(1, "This ADR has been replaced and may be out of date. For news see [Topic](0002-topic-2.md).", "", Place.NOTE)
    assert successors(rule(says(1, "Replaced"), note)[ONE]) == [path(2)]


@pytest.mark.parametrize(
    ("field", "status"), [("deprecated", "deprecated"), ("superseded", "superseded"), ("accepted", "unknown")]
)
def test_a_flag_in_the_front_matter_ends_a_record(field: str, status: str) -> None:
    assert rule(says(1, "true", field, Place.FRONT_MATTER))[ONE].status.value == status
    assert rule(says(1, "false", field, Place.FRONT_MATTER))[ONE].status is Status.UNKNOWN


def test_no_order_of_declarations_changes_a_verdict() -> None:
    said = [
        says(1, "Accepted"),
        says(2, "Accepted"),
        says(2, "ADR-1", "supersedes", Place.HEADER),
        says(3, "Superseded by ADR-2"),
    ]
    assert rule(*said) == rule(*reversed(said))


PAGE = Path(__file__).parents[1] / "docs" / "status-rule.md"
EXAMPLES = [dedent(block) for block in re.findall(r"^ *```text\n(.*?)^ *```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)]


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_of_the_page_on_the_rule_is_true(example: str, tmp_path: Path) -> None:
    rows, _, wanted = example.partition("=> ")
    name = ""
    for row in rows.splitlines():
        named, _, line = row.partition("| ")
        name = named.strip() or name
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as open_file:
            open_file.write(line + "\n")
    verdicts = DecisionIndex(tmp_path, AdrResolver(type="adr")).verdicts()
    assert "".join(shown(verdict) for verdict in verdicts.values()) == f"=> {wanted}"


def shown(verdict: Verdict) -> str:
    by = ", ".join(s.path or s.external or "?" for s in verdict.successors)
    ends = [s.path for s in verdict.current if s.path not in {s.path for s in verdict.successors}]
    decided = f" ({verdict.evidence})" if verdict.evidence else ""
    line = f"=> {verdict.path}: {verdict.status}{' → ' * bool(by)}{by}{', now ' * bool(ends)}{', '.join(ends)}{decided}\n"
    return line + "".join(f" ! {warning}\n" for warning in verdict.warnings)


def test_every_step_of_the_rule_has_an_example() -> None:
    sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert [section.partition(":")[0] for section in sections] == [f"R{n}" for n in range(13)]
    assert all("```text" in section for section in sections)
