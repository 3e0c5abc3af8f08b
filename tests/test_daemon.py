"""The daemon with real clients in real processes: there is one, it answers, and it comes back from whatever happens to it."""

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from citator import client
from warm import User, make_interpreter, suspended, until

QUESTION = "Which queue do the background jobs of our workers use?"
QUEUE = "ADR-0001 · Use RabbitMQ for background jobs"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_interpreter(tmp_path_factory.mktemp("python"))


@pytest.fixture
def user(python: Path) -> Iterator[User]:
    user = User(python)
    yield user
    user.leave()


def send(user: User, sent: bytes) -> bytes:
    """What the daemon answers to bytes."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(user.file("sock")))
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_the_first_message_starts_a_daemon_which_answers_the_later_ones(user: User) -> None:
    out, why = user.send(user.event(prompt=QUESTION))
    assert out == "" and "no daemon was there" in why
    until(lambda: QUEUE in user.ask(QUESTION))
    assert len(user.daemons()) == 1 or len(user.daemons()) == 2  # the second is its sync
    assert "ready after" in user.log()


def test_fifty_clients_at_once_start_one_daemon(user: User) -> None:
    clients = [user.start_client(user.event(prompt=QUESTION)) for _ in range(50)]
    results = [(*one.communicate(), one.returncode) for one in clients]
    assert {(out, code) for out, _, code in results} == {(b"", 0)}
    assert sum(b"started one" in why for _, why, _ in results) == 1
    until(lambda: bool(user.status().get("ready")))
    assert user.log().count("begins") == 1


def test_fifty_clients_at_once_are_answered_or_get_nothing(user: User) -> None:
    before = user.warm()
    clients = [user.start_client(user.event(prompt=QUESTION, session=str(number))) for number in range(50)]
    results = [(*one.communicate(), one.returncode) for one in clients]
    assert {code for _, _, code in results} == {0}
    for out, why, _ in results:
        assert (QUEUE in json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else why
    assert user.status()["pid"] == before
    assert len([process for process in user.daemons() if "citator.daemon.syncing" not in process.cmdline()]) == 1


def test_a_daemon_killed_in_the_middle_of_a_message_costs_that_message_only(user: User) -> None:
    daemon = user.warm()
    with suspended(daemon):
        waiting = user.start_client(user.event(prompt=QUESTION))
        until(lambda: waiting.poll() is not None or _is_connected(user))
        os.kill(daemon, signal.SIGKILL)
        out, _ = waiting.communicate()
    assert (out, waiting.returncode) == (b"", 0)
    until(lambda: QUEUE in user.ask(QUESTION))
    assert user.status()["pid"] != daemon


def _is_connected(user: User) -> bool:
    return str(user.file("sock")) in Path("/proc/net/unix").read_text() if Path("/proc/net/unix").exists() else True


def test_a_daemon_that_hangs_is_not_waited_for_and_can_be_replaced(user: User) -> None:
    daemon = user.warm()
    with suspended(daemon):
        assert user.send(user.event(prompt=QUESTION)) == ("", "citator: no answer in time\n")
        assert user.citator("daemon", "stop").stdout == "stopped\n"
    assert user.warm() != daemon


def test_a_sync_ends_with_its_daemon(user: User) -> None:
    daemon = user.warm()
    child = psutil.Process(user.status()["sync"]["child"])
    os.kill(daemon, signal.SIGKILL)
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_killed_sync_is_followed_by_another(user: User) -> None:
    user.warm()
    child = user.status()["sync"]["child"]
    with suspended(child):
        user.decide(4, "Send mail through a provider", "Accepted", "The provider sends newsletters and mail to customers.")
        until(lambda: bool(user.status()["sync"]["running"]))
        os.kill(child, signal.SIGKILL)
        until(lambda: "ended with -9" in str(user.status()["sync"]["last"]))
    assert QUEUE in user.ask(QUESTION)


def test_a_record_is_found_though_what_syncs_was_killed_since(user: User) -> None:
    user.warm()
    child = psutil.Process(user.status()["sync"]["child"])
    child.kill()
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
    user.decide(4, "Send mail through a provider", "Accepted", "Mail is sent through a provider.")
    until(lambda: "ADR-0004" in user.ask("Is mail sent through a provider?", session=""), 30)


def test_a_socket_and_a_lock_that_a_dead_daemon_left_are_no_hindrance(user: User) -> None:
    os.kill(user.warm(), signal.SIGKILL)
    assert user.file("sock").exists() and user.file("lock").exists()
    until(lambda: QUEUE in user.ask(QUESTION))


def test_a_daemon_whose_socket_is_taken_away_ends(user: User) -> None:
    daemon = psutil.Process(user.warm())
    user.file("sock").unlink()
    until(lambda: not daemon.is_running())
    assert "the socket is gone" in user.log()


def test_a_daemon_that_ended_before_it_could_answer_is_not_started_with_each_message(user: User) -> None:
    packages = user.python.parents[1] / "lib"
    service = next(packages.glob("python*/site-packages/citator/daemon/service.py"))
    content = service.read_text()
    try:
        service.write_text("raise RuntimeError('broken')\n")
        assert "started one" in user.send(user.event(prompt=QUESTION))[1]
        said = []

        def is_told() -> bool:
            said.append(user.send(user.event(prompt=QUESTION))[1])
            return "ended before it could answer" in said[-1]

        until(is_told)
        assert not [line for line in said if "started one" in line]
        until(lambda: not user.daemons())
    finally:
        service.write_text(content)
    assert user.citator("daemon", "start").returncode == 0


def test_a_record_that_is_written_is_found(user: User) -> None:
    user.warm()
    assert "newsletter" not in user.ask("How do we send the newsletter to all customers?")
    user.decide(4, "Send the newsletter through a provider", "Accepted", "The provider sends the newsletter to all customers.")
    until(lambda: "ADR-0004 · Send the newsletter" in user.ask("How do we send the newsletter to all customers?", session=""))


def test_a_folder_that_comes_later_is_synced_then(user: User) -> None:
    folder = user.project / "docs" / "decisions"
    away = folder.rename(user.project / "away")
    user.configure("embedding: words\npostprocessors: [marks]\nsources: [{type: adr, path: docs/decisions}]\n")
    user.warm()
    assert user.ask(QUESTION) == ""
    away.rename(folder)
    until(lambda: QUEUE in user.ask(QUESTION, session=""), 30)


def test_another_model_in_the_file_is_built_at_once_while_the_one_before_answers(user: User) -> None:
    user.warm()
    user.configure("embedding: minilm\npostprocessors: [marks]\n")
    assert QUEUE in user.ask(QUESTION)
    until(lambda: "3 embedded" in str(user.status()["sync"]["last"]))
    until(lambda: [model["type"] for model in user.status()["models"]] == ["minilm"])
    assert QUEUE in user.ask(QUESTION, session="s-2")


def test_a_session_is_shown_a_record_once_and_again_when_its_standing_changed(user: User) -> None:
    user.warm()
    assert QUEUE in user.ask(QUESTION)
    assert user.ask(QUESTION) == ""
    assert QUEUE in user.ask(QUESTION, session="s-2")
    file = user.decide(4, "Use PostgreSQL as the job queue", "Accepted", "Jobs are rows.")
    user.decide(1, "Use RabbitMQ for background jobs", f"Superseded by [ADR-4]({file.name})")
    assert f"⚠️superseded → ADR-0004 decision {QUEUE}" in user.ask(QUESTION)


def test_a_compacted_session_is_shown_everything_again(user: User) -> None:
    user.warm()
    assert QUEUE in user.ask(QUESTION)
    user.send(user.event("SessionStart", source="compact"))
    assert QUEUE in user.ask(QUESTION)


def test_a_short_message_that_names_a_record_brings_it_however_often(user: User) -> None:
    user.warm()
    assert [QUEUE in user.ask("ADR-1?") for _ in range(3)] == [True, True, True]
    assert user.ask("ADR-9?") == ""


def test_a_session_begins_with_the_current_decisions(user: User) -> None:
    user.warm()
    out, _ = user.send(user.event("SessionStart", source="startup"))
    told = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert "2 live, 1 rejected" in told and "ADR-0002 · Render pages on the server" in told and "Redis" not in told
    assert "citator adr find" in told


def test_decisions_are_only_counted_where_their_list_does_not_fit_and_not_told_where_nobody_wants_them(user: User) -> None:
    user.warm()
    user.configure("embedding: words\npostprocessors: [marks]\nsession: {bytes: 230}\n")
    out, _ = user.send(user.event("SessionStart", source="startup"))
    told = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert "2 live, 1 rejected" in told and "ADR-0002" not in told and len(told.encode()) <= 230
    user.configure("embedding: words\npostprocessors: [marks]\nsession: {decisions: false}\n")
    assert user.send(user.event("SessionStart", source="startup")) == ("", "")


def test_who_reads_a_decision_that_does_not_stand_is_told(user: User) -> None:
    file = user.decide(4, "Use PostgreSQL as the job queue", "Accepted")
    old = user.decide(1, "Use RabbitMQ for background jobs", f"Superseded by [ADR-4]({file.name})")
    user.warm()
    out, _ = user.send(user.event("PostToolUse", tool_name="Read", tool_input={"file_path": str(old)}))
    told = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert told.startswith("⚠️superseded → ADR-0004: ADR-0001 · Use RabbitMQ") and str(file) in told
    for other in (file, user.project / "worker.py"):
        assert user.send(user.event("PostToolUse", tool_name="Read", tool_input={"file_path": str(other)})) == ("", "")


def test_a_pipeline_file_counts_as_it_reads_now(user: User) -> None:
    user.warm()
    user.configure("embedding: wurds\n")
    out, why = user.send(user.event(prompt=QUESTION))
    assert out == "" and "did you mean 'words'?" in why
    user.configure("embedding: words\npostprocessors: [marks]\nrenderer: {type: headlines, header: Once upon a time}\n")
    assert user.ask(QUESTION).startswith("Once upon a time\n")


def test_an_unknown_agent_is_told_to_whom_asks(user: User) -> None:
    user.warm()
    user.command[-1] = "claude-cod"
    assert "did you mean 'claude-code'?" in user.send(user.event(prompt=QUESTION))[1]


def test_a_new_version_on_disk_takes_over_in_the_same_process(user: User) -> None:
    daemon = user.warm()
    module = next((user.python.parents[1] / "lib").glob("python*/site-packages/citator/errors.py"))
    module.write_text(module.read_text() + "\n")
    until(lambda: user.log().count(f"process {daemon} begins") == 2)
    until(lambda: QUEUE in user.ask(QUESTION))
    assert user.status()["pid"] == daemon


def test_a_newer_client_ends_the_daemon_and_an_older_one_does_not(user: User) -> None:
    daemon = psutil.Process(user.warm())

    def of_version(version: str) -> bytes:
        return client.request("status", ["inf", "", ""], b"").replace(client.VERSION.encode(), version.encode())

    assert send(user, of_version("0.0.9")).startswith(b"+")
    assert send(user, of_version("9.0.0")) == b"!\n"
    until(lambda: not daemon.is_running())


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"citator/9 5 0\nx",
        b"citator/1 5 9\nx",
        b"citator/1 -1 1\n",
        b"citator/1 a b\n",
    ],
)
def test_what_is_no_request_is_refused_and_harms_nobody(user: User, sent: bytes) -> None:
    user.warm()
    assert send(user, sent).startswith(b"-")
    assert QUEUE in user.ask(QUESTION)


def test_damaged_events_get_nothing(user: User) -> None:
    user.warm()
    for event in (
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"hook_event_name": 7}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": {}}',
    ):
        assert user.send(event) == ("", "")


def test_an_idle_daemon_ends_by_itself(user: User) -> None:
    start = """
import fcntl, os, sys
from citator import client
lock = os.open(client.name() + ".lock", os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
os.dup2(lock, 3)
os.set_inheritable(3, True)
os.execv(sys.executable, [sys.executable, "-E", "-P", "-m", "citator.daemon", client.name(), os.getcwd(), "--idle", "1"])
"""
    assert user.run("-c", start).returncode == 0
    assert "ends: idle" in user.log()
    assert not list((user.runtime / "citator").glob("*.sock"))


def test_commands_ask_the_daemon_where_it_runs_and_do_without_it_where_not(user: User) -> None:
    assert user.citator("sync").returncode == 0
    alone = user.citator("recall", QUESTION).stdout
    user.warm()
    assert user.citator("recall", QUESTION).stdout == alone
    assert QUEUE in alone
    user.decide(4, "Send mail through a provider", "Accepted")
    assert user.citator("sync").returncode == 0, "the daemon lets go of the store for it"
    assert QUEUE in user.ask(QUESTION)


def test_the_commands_about_the_daemon_say_how_it_is(user: User) -> None:
    assert user.citator("daemon", "status").returncode == 1
    assert user.citator("daemon", "stop").stdout == "no daemon was running\n"
    pid = user.warm()
    assert f"process {pid}" in user.citator("daemon", "status").stdout
    assert "9 records" not in user.citator("status").stdout and ": 3 records" in user.citator("status").stdout
    user.ask(QUESTION)
    assert "ADR-0001" in user.citator("log").stdout
    assert QUESTION not in user.citator("log", "--json").stdout
    assert "messages   1" in user.citator("stats").stdout
    assert "ready after" in user.citator("daemon", "logs").stdout
    doctor = user.citator("doctor", "--deep", "--json")
    states = {(finding["about"], finding["state"]) for finding in json.loads(doctor.stdout)}
    assert {("daemon", "ok"), ("client", "ok"), ("source", "ok"), ("hook", "bad")} <= states
    assert user.citator("daemon", "restart").returncode == 0
    assert user.status()["pid"] != pid


def test_no_message_is_in_the_log(user: User) -> None:
    user.warm()
    user.ask("xyzzy is a word that nobody else writes")
    user.configure("embedding: wurds\n")
    user.ask("xyzzy is a word that nobody else writes")
    kept = [file for file in user.folder.rglob("*") if file.is_file() and b"xyzzy" in file.read_bytes()]
    assert kept == []


def test_a_model_that_loads_for_long_keeps_nobody_else_waiting(user: User) -> None:
    user.warm()
    other = user.folder / "other"
    other.mkdir()
    (other / ".citator.yaml").write_text("embedding: {type: words, seconds: 4}\n")
    user.citator("trust", "--project", str(other))
    event = user.event(prompt=QUESTION, cwd=str(other))
    assert "the model words is being loaded" in user.send(event)[1]
    assert QUEUE in user.ask(QUESTION, session="")
    assert "is being loaded" in user.send(event)[1], "the question was answered while the model was loading"
    until(lambda: "is being loaded" not in user.send(event)[1])


def test_a_plugin_that_raises_anything_does_not_end_the_daemon(user: User) -> None:
    user.configure("embedding: {type: words, broken: true}\n")
    assert user.citator("daemon", "start").returncode == 0
    until(lambda: bool(user.status().get("ready")))
    daemon = user.status()["pid"]
    until(lambda: "RuntimeError" in user.send(user.event(prompt=QUESTION))[1])
    user.configure("embedding: words\npostprocessors: [marks]\n")
    until(lambda: QUEUE in user.ask(QUESTION))
    assert user.status()["pid"] == daemon


def test_only_what_the_block_had_room_for_counts_as_shown(user: User) -> None:
    decided = "Workers take jobs from a RabbitMQ queue."
    user.decide(4, "Use RabbitMQ for background mail jobs", "Accepted", decided)
    user.configure("embedding: words\npostprocessors: [marks]\nrenderer: {type: headlines, lines: 1}\n")
    user.warm()
    first = user.ask("Which RabbitMQ queue do workers take jobs from?")
    second = user.ask("And which RabbitMQ queue do workers take jobs from?")
    assert {number for block in (first, second) for number in ("ADR-0001", "ADR-0004") if number in block} == {
        "ADR-0001",
        "ADR-0004",
    }
    why = json.loads(user.citator("why", "--json", "Which RabbitMQ queue do workers take jobs from?").stdout)["candidates"]
    assert next(c["why"] for c in why if not c["handed_over"]) == "the block has no room for it"


def test_a_full_disk_costs_the_news_only(user: User) -> None:
    data = user.home / ".local" / "share"
    data.mkdir(parents=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", data], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        user.warm()
        free = shutil.disk_usage(data).free
        (data / "filler").write_bytes(bytes(free - 2**20))
        user.decide(4, "Send mail through a provider", "Accepted")
        until(lambda: "bytes free" in str(user.status()["sync"]["last"]))
        assert QUEUE in user.ask(QUESTION)
        with suppress(OSError), (data / "filler").open("ab", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
        user.citator("daemon", "restart")
        until(lambda: bool(user.status().get("ready")))
        assert QUEUE in user.ask(QUESTION, session="")
        (data / "filler").unlink()
        user.decide(5, "Send mail twice", "Accepted", "Mail is sent twice by the provider.")
        until(lambda: "ADR-0005" in user.ask("Is mail sent twice by the provider?", session=""))
    finally:
        user.citator("daemon", "stop")
        until(lambda: not user.processes())
        subprocess.run(["umount", data], check=True)


def test_a_daemon_that_has_only_just_been_started_can_be_stopped(user: User) -> None:
    user.send(user.event(prompt=QUESTION))
    assert user.citator("daemon", "stop").stdout == "stopped\n"
    until(lambda: not user.processes())
