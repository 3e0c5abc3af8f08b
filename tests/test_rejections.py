"""How records are connected, and which approaches are still rejected: pure, over what a folder declares."""

from pathlib import Path

import pytest

from citator.graph import around, dot, html, mermaid
from citator.index import DecisionIndex, judge
from citator.records import EdgeKind
from citator.standings import Standings
from citator_plugins.adr.resolver import AdrResolver

MADR = """---
status: {status}
---
# {title}

{links}

## Considered Options

* {chosen}
* {other}

## Decision Outcome

Chosen option: "{chosen}"
"""


def folder(root: Path, **files: str) -> Standings:
    for name, text in files.items():
        number = name.removeprefix("n")
        (root / f"{number}-record.md").write_text(text)
    resolver = AdrResolver(type="adr")
    return judge(resolver.read(root), resolver)


def madr(title: str, chosen: str, other: str, status: str = "accepted", links: str = "") -> str:
    return MADR.format(title=title, chosen=chosen, other=other, status=status, links=links)


def edges(standings: Standings, path: str) -> list[tuple[str, str, str]]:
    return [(str(edge.kind), edge.end, edge.evidence) for edge in standings.edges.get(path, ())]


def test_each_kind_has_an_inverse_that_leads_back() -> None:
    assert all(kind.inverse.inverse is kind for kind in EdgeKind)


@pytest.mark.parametrize(
    ("line", "kind", "inverse"),
    [
        ("Superseded by [b](0002-record.md)", "superseded by", "supersedes"),
        ("Amends: ADR-2", "amends", "amended by"),
        ("Depends on: [b](0002-record.md)", "depends on", "needed by"),
        ("Clarifies: 0002", "clarifies", "clarified by"),
        ("Conflicts with: ADR-0002", "conflicts with", "conflicts with"),
        ("Invalidated by: ADR-0002", "invalidated by", "invalidates"),
        ("Decision for: ADR-0002", "decision for", "decided by"),
        ("Affects: ADR-0002", "affects", "affected by"),
        ("Documents: ADR-0002", "documents", "documented by"),
        ("Related: ADR-0002", "relates to", "relates to"),
    ],
)
def test_a_field_connects_both_records_and_says_where(tmp_path: Path, line: str, kind: str, inverse: str) -> None:
    status = f"Status: {line}" if kind == "superseded by" else f"Status: accepted\n{line}"
    standings = folder(tmp_path, n0001=f"# A\n\n{status}\n", n0002="# B\n\nStatus: accepted\n")
    number = 3 if kind == "superseded by" else 4
    assert edges(standings, "0001-record.md") == [(kind, "0002-record.md", f"0001-record.md:{number}")]
    assert edges(standings, "0002-record.md") == [(inverse, "0001-record.md", f"0001-record.md:{number}")]


def test_front_matter_and_a_list_of_links_connect_too(tmp_path: Path) -> None:
    standings = folder(
        tmp_path,
        n0001="---\nstatus: accepted\nrelated: [ADR-0002]\n---\n# A\n\n## Links\n\n"
        "* See [the other](0003-record.md)\n* Refines [b](0002-record.md)\n",
        n0002="# B\n\nStatus: accepted\n",
        n0003="# C\n\nStatus: accepted\n",
    )
    assert [(kind, end) for kind, end, _ in edges(standings, "0001-record.md")] == [
        ("relates to", "0002-record.md"),
        ("link", "0003-record.md"),
        ("amends", "0002-record.md"),
    ]
    assert standings.verdicts["0001-record.md"].status == "live"


def test_what_is_only_announced_or_means_itself_connects_nothing(tmp_path: Path) -> None:
    own = "# A\n\nStatus: accepted\nRelates to: ADR-0001\nWill be superseded by: ADR-0002\n"
    standings = folder(tmp_path, n0001=own, n0002="# B\n\nStatus: accepted\n")
    assert standings.edges == {}


def test_an_option_not_chosen_is_rejected_while_its_decision_is_in_force(tmp_path: Path) -> None:
    records = {"n0001": madr("Where jobs wait", "A table", "Redis Streams")}
    [rejection] = folder(tmp_path, **records).rejections
    assert (rejection.id, rejection.instead, rejection.evidence) == (
        "0001-record.md#rejected:redis-streams",
        "A table",
        "0001-record.md:11",
    )
    for status in ("proposed", "deprecated", "superseded by ADR-0009", ""):
        assert folder(tmp_path, n0001=madr("Where jobs wait", "A table", "Redis Streams", status)).rejections == ()


def test_a_rejected_decision_is_a_rejected_approach_and_its_options_are_none(tmp_path: Path) -> None:
    standings = folder(tmp_path, n0001=madr("Keep invoices in a blockchain", "Ethereum", "Bitcoin", "rejected"))
    assert [(r.id, r.name) for r in standings.rejections] == [("0001-record.md#rejected", "Keep invoices in a blockchain")]


def test_an_option_that_a_later_decision_took_is_not_rejected_any_more(tmp_path: Path) -> None:
    first = madr("Where jobs wait", "A table", "Redis Streams")
    assert folder(tmp_path, n0001=first, n0002="# Use Redis Streams\n\nStatus: accepted\n").rejections == ()
    [still] = folder(tmp_path, n0001=first, n0002="# Use Redis Streams\n\nStatus: proposed\n").rejections
    assert still.name == "Redis Streams"
    [other] = folder(tmp_path, n0001=first, n0002="# Use Redis Streams for metrics\n\nStatus: accepted\n").rejections
    assert other.name == "Redis Streams"
    amending = "# Use Redis Streams for urgent jobs\n\nStatus: accepted\nAmends: ADR-0001\n"
    assert folder(tmp_path, n0001=first, n0002=amending).rejections == ()


def test_an_option_that_an_earlier_decision_had_taken_is_rejected(tmp_path: Path) -> None:
    records = {"n0001": "# Use Redis Streams\n\nStatus: accepted\n", "n0002": madr("Where jobs wait", "A table", "Redis Streams")}
    assert [rejection.name for rejection in folder(tmp_path, **records).rejections] == ["Redis Streams"]


def test_a_neighbourhood_is_drawn_with_the_lines_that_declare_it(tmp_path: Path) -> None:
    standings = folder(
        tmp_path,
        n0001="# A\n\nStatus: superseded by ADR-0002\n",
        n0002="# B\n\nStatus: accepted\nSupersedes: ADR-0001\nRelated: ADR-0003\n",
        n0003="# C\n\nStatus: accepted\n",
        n0004="# D\n\nStatus: accepted\n",
    )
    drawn = around(standings, "0002-record.md")
    assert list(drawn.nodes) == ["0002-record.md", "0001-record.md", "0003-record.md"]
    assert len(drawn.arrows) == 2
    assert "0001-record.md:3" in mermaid(drawn)
    assert 'label="relates to (0002-record.md:5)", style=dashed' in dot(drawn)
    assert "<script" not in html(drawn, "B")


def test_a_claim_without_effect_is_drawn_as_one_unless_the_other_record_takes_it(tmp_path: Path) -> None:
    claims = {"n0002": "# B\n\nStatus: proposed\nSupersedes: ADR-0001\n"}
    [arrow] = around(folder(tmp_path, n0001="# A\n\nStatus: accepted\n", **claims), "0001-record.md").arrows
    assert arrow == ("0001-record.md", "0002-record.md", "would be superseded by (0002-record.md:4)")
    taken = folder(tmp_path, n0001="# A\n\nStatus: superseded\n", **claims)
    assert edges(taken, "0001-record.md") == [("superseded by", "0002-record.md", "0002-record.md:4")]
    assert not taken.edges["0001-record.md"][0].idle


def test_a_link_in_running_text_connects_unless_the_two_are_connected_anyway(tmp_path: Path) -> None:
    (tmp_path / "0001-a.md").write_text(
        '# A\n\nStatus: superseded by [B](0002-b.md)\n\n## Context\n\nAs in [C](0003-c.md "C").\n'
    )
    (tmp_path / "0002-b.md").write_text("# B\n\nStatus: accepted\n\n## Context\n\nUnlike [A](0001-a.md) and ![x](0003-c.md).\n")
    (tmp_path / "0003-c.md").write_text(
        "# C\n\nStatus: accepted\n\n```\n[B](0002-b.md)\n```\n\n[this](#c) and [that](nothing.md)\n"
    )
    standings = DecisionIndex(tmp_path, AdrResolver(type="adr")).standings()
    assert [(edge.kind, edge.end, edge.evidence) for edge in standings.edges["0001-a.md"]] == [
        (EdgeKind.SUPERSEDED_BY, "0002-b.md", "0001-a.md:3"),
        (EdgeKind.LINK, "0003-c.md", "0001-a.md:7"),
    ]
    assert [edge.kind for edge in standings.edges["0002-b.md"]] == [EdgeKind.SUPERSEDES]
    assert standings.verdicts["0003-c.md"].status == "live"
