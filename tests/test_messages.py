"""Which messages are worth a recall."""

import pytest

from citator.messages import why_silent, worded

WORTH_IT = [
    "Which queue should the new invoice worker use?",
    "/home/ada/shop/worker.py fails with a TypeError since Monday, why?",
    "キューは何を使う?",
    "Можно ли снова использовать RabbitMQ?",
    "<ide_selection>lines 3 to 9 of worker.py</ide_selection>\nwhy does this retry for ever?",
    "```\nTraceback: KeyError 'price'\n```\nwhere does this come from, and did we see it before?",
    "<div> is not closed in the invoice template, how did we want to fix those?",
]

NOT_WORTH_IT = [
    ("<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>", "machine"),
    ("<local-command-stdout>ok, everything is fine here</local-command-stdout>", "machine"),
    ("<command-name>/review</command-name>\n<command-args>the queue worker</command-args>", "machine"),
    ("<bash-input>git log --oneline | head</bash-input>", "machine"),
    ("[Request interrupted by user for tool use]", "machine"),
    ("This session is being continued from a previous conversation that ran out of context.", "machine"),
    ("/compact keep the facts about the queue worker", "command"),
    ("/plugin:review the queue worker", "command"),
    ("!ls -la /var/log/worker", "command"),
    ("yes", "short"),
    ("ok, go on", "short"),
    ("はい", "short"),
    ("", "empty"),
    (" \n\t ", "empty"),
    ("<system-reminder>The queue worker was changed by a linter.</system-reminder>", "empty"),
    ("<private>our customer's name is Lovelace</private>", "empty"),
]


@pytest.mark.parametrize("message", WORTH_IT)
def test_what_a_person_asks_is_recalled_for(message: str) -> None:
    assert why_silent(message) == ""


@pytest.mark.parametrize(("message", "reason"), NOT_WORTH_IT)
def test_what_machines_write_and_what_says_nothing_is_not(message: str, reason: str) -> None:
    assert why_silent(message) == reason


def test_what_tools_and_privacy_put_around_a_message_is_left_out() -> None:
    message = (
        "<hook_context>Use tabs.</hook_context>\nWhich queue?\n<private>for Lovelace</private> <my-mem-context>x</my-mem-context>"
    )
    assert worded(message) == "Which queue?"


def test_a_private_part_that_is_not_closed_is_private_to_its_end() -> None:
    assert worded("Which queue? <private>for Lovelace and nobody else") == "Which queue?"


def test_of_a_pasted_block_only_the_beginning_counts() -> None:
    pasted = "\n".join(f"  File 'worker.py', line {number}" for number in range(1000))
    own = worded(f"```\nKeyError: 'price'\n{pasted}\n```\nDid we see this before?")
    assert "KeyError" in own and own.endswith("Did we see this before?") and len(own) < 600
