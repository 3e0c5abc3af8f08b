"""What notes declare to be connected with, and which of them are about a rejected approach."""

from pathlib import Path

import pytest

from citator.records import Record
from citator.sources import Problems
from citator_plugins.markdown import Markdown


def load(folder: Path, **notes: str) -> dict[str, Record]:
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text)
    problems = Problems()
    found = {record.id: record for record in Markdown(type="markdown", path=folder).load(problems)}
    assert not problems.lines
    return found


def ends(record: Record) -> list[tuple[str, str]]:
    return [(str(edge.kind), edge.end) for edge in record.edges]


def test_a_note_is_connected_by_links_and_by_front_matter_once_each(tmp_path: Path) -> None:
    notes = load(
        tmp_path,
        a="---\nname: one\nrelated: [two, ADR-0007]\naffects: checkout, billing\n---\n"
        "See [[Two]], [b](b.md#part), [[unknown note|that]], [out](https://example.org/x.md) and ![i](picture.png).\n",
        b="---\nname: two\n---\nNothing.\n",
    )
    assert ends(notes["a.md"]) == [
        ("relates to", "b.md"),
        ("relates to", "ADR-0007"),
        ("affects", "checkout"),
        ("affects", "billing"),
        ("link", "unknown note"),
    ]
    assert [edge.evidence.rpartition(":")[2] for edge in notes["a.md"].edges] == ["3", "3", "4", "4", "6"]
    assert notes["b.md"].edges == ()


def test_a_note_comes_from_its_conversation(tmp_path: Path) -> None:
    session = "0c9f4b39-1111-2222-3333-9f7c2f6d7d3b"
    notes = load(tmp_path, a=f"---\nmetadata:\n  originSessionId: {session}\n---\nText.\n")
    assert ends(notes["a.md"]) == [("comes from", session)]


def test_connections_are_part_of_what_makes_a_record_another_one(tmp_path: Path) -> None:
    before = load(tmp_path, a="# A\n\ntext", b="# B\n\ntext")["a.md"]
    assert before.hash == Record("other.md", "note", "A", before.text).hash
    after = load(tmp_path, a="---\nrelated: b\n---\n# A\n\ntext")["a.md"]
    assert after.hash != before.hash


@pytest.mark.parametrize("front", ["type: rejected-approach", "metadata: {type: Rejected-Approach}"])
def test_a_note_of_the_type_is_a_rejected_approach(tmp_path: Path, front: str) -> None:
    load(tmp_path, a=f"---\n{front}\n---\n# No cron jobs\n\nThey overlap.\n", b="# B\n\ntext")
    source = Markdown(type="markdown", path=tmp_path)
    assert [(record.id, record.title) for record in source.rejected()] == [("a.md#rejected", "No cron jobs")]


@pytest.mark.parametrize(
    "text", ["[[]]", "[[a", "[x](", "[x]()", "---\nrelated: {a: b}\n---\n[[" + "x" * 5000 + "]]", "[[a]]" * 3000]
)
def test_whatever_a_note_holds_it_is_read(tmp_path: Path, text: str) -> None:
    assert len(load(tmp_path, n=text)["n.md"].edges) <= 50
