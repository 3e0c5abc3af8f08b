"""Which approaches a record weighed, and which of them it took, in the forms that people write."""

import pytest

from citator.records import Option
from citator_plugins.adr.resolver import AdrResolver

HEAD = "# Where jobs wait\n\nStatus: accepted\n\n"


def read(body: str, path: str = "0007-jobs.md") -> tuple[Option, ...]:
    return AdrResolver(type="adr").parse(path, HEAD + body).options


def turned_down(body: str) -> list[str]:
    return [option.name for option in read(body) if not option.chosen]


def test_madr_gives_the_options_with_the_first_reason_against_each() -> None:
    options = read(
        "## Considered Options\n\n* [Redis Streams](https://redis.example)\n* A table in `PostgreSQL`\n* Amazon SQS\n\n"
        '## Decision Outcome\n\nChosen option: "A table in PostgreSQL", because Redis Streams lose jobs.\n\n'
        "## Pros and Cons of the Options\n\n### Redis Streams\n\n* Good, because fast\n* Bad, because jobs get lost\n\n"
        "### Amazon SQS\n\n* Good, because managed\n"
    )
    assert [(o.name, o.line, o.chosen) for o in options] == [
        ("Redis Streams", 7, False),
        ("A table in PostgreSQL", 8, True),
        ("Amazon SQS", 9, False),
    ]
    assert [o.reason for o in options if not o.chosen] == ["jobs get lost", ""]


@pytest.mark.parametrize(
    "outcome",
    [
        "Chosen option: Option 2",
        'Chosen option: "Option 2: Lunr", because it is small',
        "Chosen option: **Lunr**. It is small.",
        "We decided to use Lunr.",
        "Lunr, since it is small.",
    ],
)
def test_the_chosen_one_is_found_however_the_outcome_names_it(outcome: str) -> None:
    options = "## Considered Options\n\n- Option 1: Fuse\n- Option 2: Lunr\n- Option 3: none of them\n\n"
    body = f"{options}## Decision Outcome\n\n{outcome}\n"
    assert turned_down(body) == ["Fuse", "none of them"]


def test_of_two_names_of_which_one_holds_the_other_the_longer_is_meant() -> None:
    body = '## Considered Options\n\n* Redis\n* Redis Streams\n\n## Decision Outcome\n\nChosen option: "Redis Streams"\n'
    assert turned_down(body) == ["Redis"]


def test_several_may_be_chosen_together() -> None:
    outcome = 'Chosen option: mix of "Vim" and "Emacs", because both.'
    body = f"## Considered Options\n\n* Vim\n* Emacs\n* Ed\n\n## Decision Outcome\n\n{outcome}\n"
    assert turned_down(body) == ["Ed"]


@pytest.mark.parametrize("outcome", ["We shall see.", 'Chosen option: "something quite different"', ""])
def test_where_the_outcome_names_none_of_them_nothing_is_turned_down(outcome: str) -> None:
    assert read(f"## Considered Options\n\n* Maven\n* Ant\n\n## Decision Outcome\n\n{outcome}\n") == ()


def test_a_mark_on_an_option_tells_the_chosen_one() -> None:
    body = "## Options\n\n### Maven\n\nKnown.\n\n### Gradle (chosen)\n\nLean.\n\n### Ant\n\n- Con: much writing\n"
    assert turned_down(body) == ["Maven", "Ant"]


@pytest.mark.parametrize(
    "title",
    [
        "Alternatives",
        "Alternatives considered",
        "Rejected alternatives",
        "Alternatives Considered and Rejected",
        "3. Alternatives",
    ],
)
def test_alternatives_are_what_was_not_chosen(title: str) -> None:
    body = f"## {title}\n\n- **A queue in memory.** Rejected because jobs are lost. More words.\n- **Cron**: too coarse\n"
    assert [(o.name, o.reason) for o in read(body)] == [
        ("A queue in memory", "jobs are lost."),
        ("Cron", "too coarse"),
    ]


def test_subsections_and_bold_paragraphs_are_alternatives_too() -> None:
    assert turned_down("## Alternatives\n\n### 1. A mutex\n\nIt blocks.\n\n### 2. A lease\n\nIt expires.\n") == [
        "A mutex",
        "A lease",
    ]
    assert turned_down("## Alternatives\n\n**A mutex.** It blocks.\n\n**A lease.** It expires.\n") == ["A mutex", "A lease"]


def test_a_list_of_arguments_is_no_list_of_alternatives() -> None:
    body = "## Alternatives\n\nWe could hold a lock. However:\n\nIt has drawbacks.\n\n- it blocks\n- it is slow\n"
    assert read(body) == ()


def test_placeholders_of_a_template_and_code_are_no_options() -> None:
    body = (
        "## Considered Options\n\n* {title of option 1}\n* Redis\n* Kafka\n\n```\n* not me\n```\n\n"
        '## Decision Outcome\n\nChosen option: "Kafka"\n'
    )
    assert turned_down(body) == ["Redis"]


def test_each_record_of_a_file_has_its_own() -> None:
    entry = "## ADR-{n}: {title}\n\nStatus: accepted\n\n### Alternatives\n\n- **{other}**: no\n\n"
    text = "# Log\n\n" + entry.format(n=1, title="One", other="Left") + entry.format(n=2, title="Two", other="Right")
    options = AdrResolver(type="adr").parse("decisions.md", text).options
    assert [(o.path.partition("#")[2][:5], o.name) for o in options] == [("adr-1", "Left"), ("adr-2", "Right")]
