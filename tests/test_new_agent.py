"""An agent that nobody has heard of, from its YAML file to a block in its own envelope: nothing of citator is changed for it."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from warm import User, make_interpreter

CONTRACT = """
# Parley, a made-up agent: its events are nested, its answer is a list, its hooks are shell commands.
agent:
  title: Parley
  event: what
  session: talk.id
  folder: talk.places.0
  events:
    said: {moment: message, message: talk.words}
    opened: {moment: start}
    viewed: {moment: read, path: file.name, only: {file.kind: [text]}}
  answer: {say: [{kind: aside, about: $event, text: $block}]}
  line: note
  show_line: true
  install:
    - user: ${PARLEY_HOME:-~/.parley}/on.json
      add: {version: 3, said: [{run: $command}], viewed: [{run: $command}]}
  notes: [Parley asks once whether it may run this]
"""


@pytest.fixture
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    user = User(make_interpreter(tmp_path_factory.mktemp("python")))
    yield user
    user.leave()


def test_a_new_agent_is_one_yaml_file_and_no_code(user: User) -> None:
    contract = user.home / ".config" / "citator" / "agents" / "parley.yaml"
    contract.parent.mkdir()
    contract.write_text(CONTRACT)
    settings = user.home / ".parley" / "on.json"

    out = user.citator("install", "parley").stdout
    assert f"wrote {settings}\n" in out and "note: Parley asks once whether it may run this" in out
    command = json.loads(settings.read_text())["said"][0]["run"]

    def answer(**event: object) -> object:
        talk = {"id": "t-1", "places": [str(user.project)], "words": event.pop("words", None)}
        sent = json.dumps({"talk": talk, **event}).encode()
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=sent, env=user.environment, cwd="/", capture_output=True, check=True
        )
        return json.loads(done.stdout) if done.stdout else None

    user.warm()
    told = answer(what="said", words="Which queue do the background jobs of our workers use?")
    assert isinstance(told, dict)
    [aside] = told["say"]
    assert (aside["kind"], aside["about"]) == ("aside", "said")
    assert "ADR-0001 · Use RabbitMQ for background jobs" in aside["text"]
    assert told["note"].startswith("citator: ")
    assert answer(what="said", words="Which queue do the background jobs of our workers use?") is None, "shown once in a session"
    assert answer(what="heard", words="Which queue?") is None

    rejected = user.project / "docs" / "decisions" / "0003-keep-prices-in-redis.md"
    read = answer(what="viewed", file={"name": str(rejected), "kind": "text"})
    assert isinstance(read, dict) and "⚠️rejected" in read["say"][0]["text"]
    assert answer(what="viewed", file={"name": str(rejected), "kind": "picture"}) is None

    user.citator("uninstall", "parley")
    assert not settings.parent.exists()
