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


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ("1. Fuse\n2. Lunr\n3. none of them\n", "Chosen option: 2 because it is small."),
        ("- A — Fuse\n- B — Lunr\n- C — none of them\n", "**Chosen option: B — Lunr**, small as it is."),
        ("- **Option 1:** Fuse\n- **Option 2:** Lunr\n- **Option 3:** none of them\n", "Adopt Option 2."),
        ("1. Fuse\n2. Lunr\n3. none of them\n", "Option (2) was chosen. It is small."),
        ("- Fuse\n- Lunr, as a file of its own\n- none of them\n", "We use Lunr instead of Fuse."),
        ("- Fuse\n- Lunr ✓ SELECTED\n- none of them\n", ""),
        ("- Fuse\n- **Lunr** — chosen: small.\n- none of them\n", ""),
        ("- Fuse\n- **Lunr**\n- none of them\n", ""),
        ("- Fuse\n- Lunr (gewählt)\n- none of them\n", ""),
        ("- Fuse\n- Lunr（採用）\n- none of them\n", ""),
        ("- Fuse\n- Lunr (escolhida): leve.\n- none of them\n", ""),
    ],
)
def test_the_chosen_one_is_told_by_number_by_mark_or_by_standing_out(options: str, outcome: str) -> None:
    body = f"## Options considered\n\n{options}\n## Decision Outcome\n\n{outcome}\n"
    assert turned_down(body) == ["Fuse", "none of them"]


def test_where_mark_and_outcome_disagree_nothing_is_turned_down() -> None:
    body = '## Considered Options\n\n* Maven (chosen)\n* Ant\n* Gradle\n\n## Decision Outcome\n\nChosen option: "Gradle"\n'
    assert read(body) == ()


def test_options_that_say_themselves_that_they_were_rejected_need_no_other_to_be_chosen() -> None:
    lock, file = "**A lock** — Rejected because it blocks.", "A file: simple, but slow; rejected."
    body = f"## Considered options\n\n- {lock}\n- {file}\n- A queue: fine.\n"
    assert [(o.name, o.reason) for o in read(body)] == [("A lock", "it blocks."), ("A file", "simple, but slow; rejected.")]


@pytest.mark.parametrize(
    "answers",
    [
        '### Storage\n\nChosen option: "Postgres"\n\n### Cache\n\nChosen option: "none"\n',
        "**Storage**\nOption (2) was chosen.\n\n**Cache**\nOption (1) was chosen.\n",
    ],
)
def test_several_questions_are_answered_each_by_its_own_part_of_the_outcome(answers: str) -> None:
    lead = "### {}\n\n" if answers.startswith("#") else "**{}**\n"
    options = f"{lead.format('Storage')}1. MySQL\n2. Postgres\n\n{lead.format('Cache')}1. none\n2. Postgres tables\n\n"
    assert turned_down(f"## Considered Options\n\n{options}## Decision Outcome\n\n{answers}") == ["MySQL", "Postgres tables"]


def test_the_rows_of_a_table_of_options_are_options_and_those_of_a_table_of_criteria_are_not() -> None:
    table = (
        "| # | Option | Nachteil | Bewertung |\n|---|---|---|---|\n"
        "| A | Eine Datei | langsam | verworfen |\n| B | **Eine Tabelle** | keiner | **gewählt** |\n"
    )
    assert [(o.name, o.reason, o.chosen) for o in read(f"## Betrachtete Optionen\n\n{table}")] == [
        ("Eine Datei", "langsam", False),
        ("Eine Tabelle", "keiner", True),
    ]
    criteria = "| Driver | A | B |\n|---|---|---|\n| Cost | low | high |\n| Speed | low | chosen |\n"
    assert read(f"## Options considered\n\n{criteria}") == ()
    rejected = "| Alternative | Why rejected |\n| --- | --- |\n| A cron job | Too coarse |\n"
    assert [(o.name, o.reason) for o in read(f"## Rejected alternatives\n\n{rejected}")] == [("A cron job", "Too coarse")]


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("We considered a lock in Redis, but it is lost at failover.", [("a lock in Redis", "it is lost at failover.")]),
        ("Polling every second was tried and reverted. It cost too much.", [("Polling every second", "It cost too much.")]),
        ("We considered this to be desirable and went on.", []),
        ("It depends on the load. We shall see.", []),
    ],
)
def test_a_paragraph_that_says_what_was_considered_is_an_alternative(prose: str, found: list[tuple[str, str]]) -> None:
    assert [(o.name, o.reason) for o in read(f"## Alternatives considered\n\n{prose}\n")] == found


def test_an_alternative_that_the_decision_took_is_not_turned_down() -> None:
    body = "## Decision\n\nWe will use leases.\n\n## Alternatives considered\n\n- A mutex: it blocks\n- Leases: they expire\n"
    assert turned_down(body) == ["A mutex"]


@pytest.mark.parametrize(
    "against",
    [
        "- **Cons**\n  - it blocks\n",
        "* `-` it blocks\n",
        "* Bad, because it blocks\n",
        "**Pro:** simple. **Contra:** it blocks\n",
    ],
)
def test_the_first_argument_against_is_the_reason(against: str) -> None:
    body = f"## Options\n\n### A mutex\n\n- **Pros**\n  - simple\n{against}\n### A lease (chosen)\n\nIt expires.\n"
    assert [o.reason for o in read(body) if not o.chosen] == ["it blocks"]
