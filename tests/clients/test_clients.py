"""The real agents, offline against a fake model: what their hooks hand over is looked for in the request that the model got.

They are run by the scripts in ../shared/clients, whose README says how to install them; CLIENTS_DIR is another folder to look in.
"""

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from citator.config import shipped

CHECKOUT = Path(__file__).parents[2]
SCRIPTS = CHECKOUT.parent / "shared" / "clients"
CLIENTS = Path(os.environ.get("CLIENTS_DIR") or Path.home() / ".cache" / "agent-clients") / "node_modules"
CITATOR = Path(sysconfig.get_path("scripts")) / "citator"

QUESTION = "Which queue should the new invoice worker use for its jobs?"
MARK = "⚠️superseded → ADR-0007"
BLOCK = "Past records that may be related"

pytestmark = pytest.mark.clients


@dataclass(frozen=True)
class Client:
    """How one of the scripts is called."""

    agent: str
    script: str
    program: str
    onwards: tuple[str, ...]
    """Goes on with the last session."""

    read: Callable[[str], object] | None = None
    """What its fake model says to have a file opened; None where no event tells which file that was."""

    kept: bool = True
    """Whether the agent keeps the block in the session's history."""

    settings: dict[str, str] = field(default_factory=dict)
    """Files in the home that it does not start without."""


GEMINI = """{
  // chosen once; with a model named, no other one is asked first which to take
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "model": {"name": "gemini-2.5-flash"}
}
"""
REPLIES = 'import os; replies=json.load(open(os.environ["RC_SCRIPT"])) if "RC_SCRIPT" in os.environ else []'
ALL = (
    Client(
        "claude-code",
        "claude.sh",
        "@anthropic-ai/claude-code",
        ("--continue",),
        lambda file: {"tool": {"name": "Read", "input": {"file_path": file}}},
    ),
    Client("codex", "codex.sh", "@openai/codex", ("resume", "--last")),
    Client("copilot-cli", "copilot.sh", "@github/copilot", ("--continue",)),
    Client(
        "opencode",
        "opencode.sh",
        "opencode-ai",
        ("--continue",),
        lambda file: {"tool": {"name": "read", "input": {"filePath": file}}},
    ),
    Client(
        "gemini-cli",
        "gemini.sh",
        "@google/gemini-cli",
        ("--resume", "latest"),
        lambda file: {"functionCall": {"name": "read_file", "args": {"file_path": file}}},
        kept=False,
        settings={".gemini/settings.json": GEMINI},
    ),
)


@dataclass(frozen=True)
class Stage:
    """A home with citator installed for one agent, a project with decisions in it, and a daemon that knows them."""

    client: Client
    home: Path
    project: Path
    log: Path
    scripts: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def citator(self, *words: str) -> str:
        done = subprocess.run(
            [CITATOR, *words], cwd=self.project, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def wait(self) -> int:
        """Until the daemon is ready and has synced; gives its process id."""
        self.citator("daemon", "start")
        end = time.monotonic() + 240
        while time.monotonic() < end:
            status = json.loads(self.citator("daemon", "status", "--json"))
            if status["ready"] and not status["sync"]["running"]:
                return int(status["pid"])
            time.sleep(0.5)
        pytest.fail("the daemon is not ready after four minutes")

    def say(self, prompt: str, *more: str, script: object = None) -> str:
        """The last request that the model got for a prompt, as text."""
        extra = {"CLIENTS_DIR": str(CLIENTS.parent), "RC_HOME": str(self.home), "RC_LOG": str(self.log)}
        if script:
            (self.home / "script.json").write_text(json.dumps(script))
            extra["RC_SCRIPT"] = str(self.home / "script.json")
        command = ["bash", self.scripts / self.client.script, self.project, prompt, *more]
        self.log.unlink(missing_ok=True)
        done = subprocess.run(command, env={**os.environ, **extra}, capture_output=True, text=True, check=False, timeout=180)
        found = [line for line in self.requests().splitlines() if prompt in line]
        assert found, done.stderr
        return found[-1]

    def requests(self) -> str:
        """The requests of the conversation itself; those for a title or a classification have no tools."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        bodies = [json.loads(line)["body"] for line in lines if line.endswith("}")]
        return "\n".join(
            json.dumps(body, ensure_ascii=False)
            for body in bodies
            if isinstance(body, dict) and (body.get("tools") or body.get("tool_choice"))
        )


def scripted(folder: Path) -> Path:
    """The scripts, with RC_SCRIPT for opencode and Gemini CLI too; for the latter it lists parts of an answer."""
    shutil.copytree(SCRIPTS, folder)
    for name, before, after in (
        ("opencode.sh", '--port-file "$pf"', '--port-file "$pf" ${RC_SCRIPT:+--script "$RC_SCRIPT"}'),
        ("fake_gemini.py", '[{"text":"canned gemini reply"}]', '[replies.pop(0) if replies else {"text":"canned gemini reply"}]'),
        ("fake_gemini.py", "lock=threading.Lock()", f"lock=threading.Lock(); {REPLIES}"),
    ):
        text = (folder / name).read_text()
        assert text.count(before) == 1
        (folder / name).write_text(text.replace(before, after))
    return folder


@pytest.fixture(scope="module", params=ALL, ids=lambda client: client.agent)
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    client: Client = request.param
    if not SCRIPTS.is_dir():
        pytest.skip("the scripts that run the clients are not beside the checkout")
    if not (CLIENTS / client.program).is_dir():
        pytest.skip(f"{client.program} is not installed in {CLIENTS}")
    folder = tmp_path_factory.mktemp(client.agent)
    made = Stage(client, folder / "home", folder / "shop", folder / "requests.jsonl", scripted(folder / "scripts"))
    for name, content in {**client.settings, ".keep": ""}.items():
        (made.home / name).parent.mkdir(parents=True, exist_ok=True)
        (made.home / name).write_text(content)
    shutil.copytree(shipped("configs") / "demo" / "shop", made.project)
    subprocess.run(["git", "init", "-q", made.project], check=True)
    (made.project / ".citator.yaml").write_text("sources: [{type: adr, path: docs/decisions}]\n")
    made.citator("trust")
    made.citator("sync")
    made.citator("install", client.agent)
    made.wait()
    yield made
    made.citator("daemon", "stop")
    made.citator("uninstall", client.agent)
    for name, content in client.settings.items():
        assert (made.home / name).read_text() == content


def test_a_replaced_decision_reaches_the_model_with_its_mark(stage: Stage) -> None:
    sent = stage.say(QUESTION)
    assert f"- {MARK} decision ADR-0003" in sent
    assert sent.count(BLOCK) == 1


def test_what_the_session_was_shown_is_not_shown_again(stage: Stage) -> None:
    sent = stage.say(f"{QUESTION} Think again.", *stage.client.onwards)
    assert "canned" in sent, "the model's last answer is not there: this is another session"
    assert sent.count(MARK) == stage.client.kept


def test_an_everyday_message_brings_nothing(stage: Stage) -> None:
    assert BLOCK not in stage.say("Write a haiku about autumn in Kyoto.")


def test_a_message_goes_through_where_the_daemon_was_killed(stage: Stage) -> None:
    os.kill(stage.wait(), signal.SIGKILL)
    assert BLOCK not in stage.say("Which queue should the picture worker use for its jobs?")
    stage.wait()


def test_an_agent_is_told_the_standing_of_a_record_that_it_opens(stage: Stage) -> None:
    if stage.client.read is None:
        pytest.skip("no event of it tells which file was opened")
    opened = stage.project / "docs" / "decisions" / "0003-use-rabbitmq-for-background-jobs.md"
    sent = stage.say("Please read the third one.", script=[stage.client.read(str(opened)), {"text": "done"}])
    assert "Background workers take their jobs from a RabbitMQ queue" in sent
    assert f"{MARK}: ADR-0003" in sent
