"""The client against a daemon of the test's own, and alone: it hands over a whole answer or nothing, and never fails."""

import ast
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from citator import client
from citator.runtime import Request, client_command
from warm import User, make_interpreter

CLIENT = Path(client.__file__)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_interpreter(tmp_path_factory.mktemp("python"))


@pytest.fixture
def user(python: Path) -> Iterator[User]:
    user = User(python)
    yield user
    user.leave()


class Answering:
    """A daemon that gives one made answer to everybody and keeps what it was sent."""

    def __init__(self, path: str, answer: bytes | None) -> None:
        self.answer = answer
        self.sent: list[bytes] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        self._kept: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            sent = b""
            while part := connection.recv(65536):
                sent += part
            self.sent.append(sent)
            if self.answer is None:
                self._kept.append(connection)
                continue
            connection.sendall(self.answer)
            connection.close()

    def close(self) -> None:
        self._listener.close()
        for connection in self._kept:
            connection.close()


@pytest.fixture
def answering(user: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes | None], Answering]]:
    for key in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(key, raising=False)
    for key in ("HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(key, user.environment[key])
    made: list[Answering] = []

    def make(answer: bytes | None) -> Answering:
        made.append(Answering(f"{client.name()}.sock", answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    "event",
    [b"", b"{}", '{"prompt": "キュー 🐇\\u0000"}\n'.encode(), b"\xff\xfe no json \0\0\n", b"x" * 3_000_000],
    ids=["nothing", "json", "unicode", "no text", "three megabytes"],
)
def test_the_event_arrives_as_it_was(answering: Callable[[bytes | None], Answering], user: User, event: bytes) -> None:
    daemon = answering(b"+0\n")
    assert user.send(event, CLAUDE_CONFIG_DIR="/somewhere", SECRET_KEY="sesame") == ("", "")
    request = Request.parse(daemon.sent[0])
    assert (request.body, request.agent, request.folder) == (event, "claude-code", str(user.project))
    assert request.environment == {"CLAUDE_CONFIG_DIR": "/somewhere"}
    assert b"sesame" not in daemon.sent[0]


def test_the_answer_is_handed_over_as_it_is(answering: Callable[[bytes | None], Answering], user: User) -> None:
    answer = '{"a": "ключ\\n"}\n+3\n'.encode()
    answering(b"+%d\n%b" % (len(answer), answer))
    assert user.send(b"{}") == (answer.decode(), "")


@pytest.mark.parametrize("answer", [b"", b"+", b"+5\nfour", b"+5\nsix_67", b"five\nfive", b"+x\n", b"\0" * 99])
def test_an_answer_that_is_not_whole_is_not_handed_over(
    answering: Callable[[bytes | None], Answering], user: User, answer: bytes
) -> None:
    answering(answer)
    out, why = user.send(b"{}")
    assert (out, why) == ("", "citator: the daemon ended before its answer was whole\n")


def test_a_reason_for_nothing_is_told_only_when_asked_for(answering: Callable[[bytes | None], Answering], user: User) -> None:
    answering(b"-the store is away: mount it\n")
    assert user.send(b"{}") == ("", "citator: the store is away: mount it\n")
    quiet = subprocess.run(user.command, input=b"{}", capture_output=True, env=user.environment, check=True)
    assert (quiet.stdout, quiet.stderr) == (b"", b"")


def test_a_daemon_that_never_answers_is_not_waited_for(answering: Callable[[bytes | None], Answering], user: User) -> None:
    answering(None)
    assert user.send(b"{}") == ("", "citator: no answer in time\n")


def test_an_agent_that_never_ends_its_event_is_not_waited_for(user: User) -> None:
    hanging = subprocess.Popen(
        [*user.command, "--verbose"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=user.environment
    )
    assert hanging.wait(30) == 0
    out, err = hanging.communicate()
    assert (out, err) == (b"", b"citator: no answer in time\n")


def test_it_does_not_answer_to_citator_itself(answering: Callable[[bytes | None], Answering], user: User) -> None:
    daemon = answering(b"+2\nhi")
    assert user.send(b"{}", CITATOR_SELF="1") == ("", "citator: called by citator itself (CITATOR_SELF is set)\n")
    assert not daemon.sent


def test_without_an_agent_it_says_how_it_is_used(user: User) -> None:
    ran = subprocess.run([*user.command[:-1], "--verbose"], capture_output=True, env=user.environment, check=True, text=True)
    assert ran.stderr == "citator: usage: citator-client AGENT [--verbose]\n"


def test_it_runs_in_a_folder_that_is_gone(answering: Callable[[bytes | None], Answering], user: User) -> None:
    daemon = answering(b"+0\n")
    user.run(
        "-c", f"import os, subprocess; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); subprocess.run({user.command!r})"
    )
    assert Request.parse(daemon.sent[0]).folder == ""


def test_a_socket_folder_that_others_may_enter_is_not_used(user: User) -> None:
    (user.runtime / "citator").mkdir()
    (user.runtime / "citator").chmod(0o755)
    assert "is not a folder for this user alone" in user.send(b"{}")[1]


def test_where_citator_was_uninstalled_the_message_still_goes_through(user: User, tmp_path: Path) -> None:
    elsewhere = user.command[4].replace(str(user.python.parents[1]), str(tmp_path))
    assert elsewhere != user.command[4]
    ran = subprocess.run([*user.command[:4], elsewhere, "claude-code"], capture_output=True, env=user.environment, check=False)
    assert ran.returncode == 1, "2 would make Claude Code throw the message away"
    assert ran.stdout == b""


def test_its_version_is_the_distributions() -> None:
    assert version("citator") == client.VERSION


def test_it_imports_only_what_an_interpreter_has_or_gets_at_once() -> None:
    tree = ast.parse(CLIENT.read_text())
    names = {
        name
        for node in tree.body
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")])
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert names == {"os", "sys", "_signal", "_socket", "binascii", "time"}


def test_the_command_names_the_interpreter_and_its_fastest_flags() -> None:
    command = client_command("codex")
    assert command[0] == sys.executable and command[1:4] == ["-I", "-S", "-c"] and command[-1] == "codex"


def test_a_sockets_path_is_short_wherever_the_runtime_folder_is(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for runtime in ("", "relative", "/no/such/folder", str(user.runtime / ("long" * 30))):
        if "long" in runtime:
            Path(runtime).mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        assert len(f"{client.name()}.sock".encode()) <= 103
        assert str(user.runtime) not in client.name()


def test_another_home_has_another_daemon(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(user.runtime))
    names = set()
    for home in ("/home/ada", "/home/bob"):
        monkeypatch.setenv("HOME", home)
        names.add(client.name())
    assert len(names) == 2
