import pytest

from citator.naming import named, names, only_names
from citator.records import Document

DOCUMENTS = [
    Document("0046-use-a-table.md", "Use a table", "ADR-0046"),
    Document("0460-other.md", "Other", "ADR-0460"),
    Document("pep-0484.rst", "Type hints", "PEP 484"),
    Document("use-a-queue.md", "Use a queue", "use-a-queue"),
]


@pytest.mark.parametrize(
    ("message", "paths"),
    [
        ("why did we drop ADR-46?", ["0046-use-a-table.md"]),
        ("see adr 0046, please", ["0046-use-a-table.md"]),
        ("ADR46", ["0046-use-a-table.md"]),
        ("ADR-0046 and PEP-484", ["0046-use-a-table.md", "pep-0484.rst"]),
        ("is pep 484 still right", ["pep-0484.rst"]),
        ("46 failures in 484 tests", []),
        ("ADR-4600 or XADR-46 or ADR-46b", []),
        ("use a queue", []),
        ("", []),
    ],
)
def test_a_message_names_records_as_people_write_them(message: str, paths: list[str]) -> None:
    assert named(names(message), DOCUMENTS) == paths


@pytest.mark.parametrize(
    ("message", "only"),
    [
        ("ADR-77?", True),
        ("why ADR-77 and PEP 8?", True),
        ("ADR-77 はなぜ?", True),
        ("why did we drop ADR-77?", False),
        ("ADR-77はなぜ廃止されたのですか", False),
        ("python 3 migration", False),
        ("why?", False),
    ],
)
def test_a_message_may_be_nothing_but_names(message: str, only: bool) -> None:
    assert only_names(message, [document.label for document in DOCUMENTS]) == only
