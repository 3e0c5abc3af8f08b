"""Real clients and daemons for tests: a copy of citator in a Python of its own, a user with a home, a project with decisions."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from citator import client

CHECKOUT = Path(__file__).parents[1]

DECISION = """# {number}. {title}

Date: 2026-03-{day:02}

## Status

{status}

## Decision

{text}
"""

PLUGIN = """
from time import sleep

from citator.api import Embedding, hookimpl
from words import words_model


class Words(Embedding):
    seconds: float = 0
    broken: bool = False

    def load(self, *, indexing):
        sleep(self.seconds)
        if self.broken:
            raise RuntimeError("broken")
        return words_model()


@hookimpl
def register_embeddings():
    return {"words": Words}
"""


def make_interpreter(folder: Path) -> Path:
    """A Python that has a copy of this citator, all that it needs, and the plugin `words` with a model that loads at once."""
    venv.create(folder, symlinks=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    for package in ("framework/citator", "plugins/citator_plugins"):
        shutil.copytree(CHECKOUT / package, packages / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("configs", "docs/decisions"):
        shutil.copytree(CHECKOUT / part, packages / "citator" / part)
    (packages / "words_plugin.py").write_text(PLUGIN)
    shutil.copy(CHECKOUT / "tests" / "words.py", packages)
    about = packages / "words_plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: words-plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[citator]\nwords = words_plugin\n")
    # Behind its own packages, so that the copy is found first.
    (packages / "rest.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    return folder / "bin" / "python"


class User:
    """A user of citator: a home, a project with three decisions, and an agent that runs the client for each event."""

    def __init__(self, python: Path) -> None:
        self.python = python
        self.folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp")).resolve()
        self.home, self.project = self.folder / "home", self.folder / "shop"
        self.runtime = self.folder / "run"
        for made in (self.home / ".config" / "citator", self.project / "docs" / "decisions", self.runtime):
            made.mkdir(parents=True, mode=0o700)
        self.environment = {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
        }
        self.configure("embedding: words\npostprocessors: [marks]\n")
        self.decide(1, "Use RabbitMQ for background jobs", "Accepted", "Workers take jobs from a RabbitMQ queue.")
        self.decide(2, "Render pages on the server", "Accepted", "Templates are filled on the server.")
        self.decide(3, "Keep prices in Redis", "Rejected", "A cache of prices would go stale.")
        made = self.run(
            "-c", "import json\nfrom citator.runtime import client_command\nprint(json.dumps(client_command('claude-code')))"
        )
        self.command: list[str] = json.loads(made.stdout)

    def configure(self, text: str) -> None:
        (self.home / ".config" / "citator" / "pipeline.yaml").write_text(text)

    def decide(self, number: int, title: str, status: str, text: str = "") -> Path:
        file = self.project / "docs" / "decisions" / f"{number:04}-{title.lower().replace(' ', '-')}.md"
        file.write_text(DECISION.format(number=number, day=number % 28 + 1, title=title, status=status, text=text))
        return file

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, *arguments], cwd=self.project, env=self.environment, capture_output=True, text=True, check=False
        )

    def citator(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("-c", "import sys\nfrom citator.cli import main\nsys.exit(main(sys.argv[1:]))", *arguments)

    def start_client(self, event: bytes = b"", **environment: str) -> "subprocess.Popen[bytes]":
        """A client that runs by itself; its event is in a file, so that nobody has to feed it."""
        with tempfile.TemporaryFile() as file:
            file.write(event)
            file.seek(0)
            command = [*self.command, "--verbose"]
            given = {**self.environment, **environment}
            return subprocess.Popen(
                command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.project, env=given
            )

    def send(self, event: bytes, **environment: str) -> tuple[str, str]:
        """What an agent gets for an event, and what the client says of it; the exit code is 0 whatever happens."""
        client = self.start_client(event, **environment)
        out, err = client.communicate()
        assert client.returncode == 0
        return out.decode(), err.decode()

    def event(self, name: str = "UserPromptSubmit", session: str = "s-1", **fields: object) -> bytes:
        return json.dumps({"session_id": session, "cwd": str(self.project), "hook_event_name": name, **fields}).encode()

    def ask(self, prompt: str, session: str = "s-1") -> str:
        """The block that an agent gets for a prompt, or nothing; asks again where a busy machine was too slow."""
        for _ in range(20):
            out, why = self.send(self.event(prompt=prompt, session=session))
            if "in time" not in why:
                break
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    def warm(self) -> int:
        """Starts the daemon and waits until the first sync is done; gives its process id."""
        self.send(b"")
        until(lambda: bool(self.status().get("sync", {}).get("last")))
        return int(self.status()["pid"])

    def status(self) -> dict:  # type: ignore[type-arg]
        """What the daemon says of itself; empty where none answers."""
        try:
            return json.loads(client.exchange(str(self.file("sock")), client.request("status", ["inf", "", ""], b""), 10))
        except (OSError, StopIteration, client.Trouble):
            return {}

    def daemons(self) -> list[psutil.Process]:
        return [process for process in self.processes() if "citator.daemon" in process.cmdline()]

    def processes(self) -> list[psutil.Process]:
        """Everything that runs in this user's interpreter and home."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.cmdline()[:1] == [str(self.python)] and process.environ().get("HOME") == str(self.home):
                    found.append(process)
        return found

    def file(self, ending: str) -> Path:
        """The daemon's socket, lock or error file."""
        return next((self.runtime / "citator").glob(f"*.{ending}"))

    def log(self) -> str:
        return (self.home / ".local" / "state" / "citator" / "daemon.log").read_text()

    def leave(self) -> None:
        """Ends what is there; nothing may be left behind."""
        self.citator("daemon", "stop")
        with contextlib.suppress(AssertionError):
            until(lambda: not self.processes())
        left = self.processes()
        for process in left:
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, f"left behind: {left}"


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for something that has to come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


@contextlib.contextmanager
def suspended(pid: int) -> Iterator[None]:
    """A process that does nothing meanwhile, though it is there."""
    process = psutil.Process(pid)
    process.suspend()
    try:
        yield
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.resume()
