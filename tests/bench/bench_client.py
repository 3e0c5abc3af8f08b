"""What a message costs an agent: the whole client process with a warm daemon, against an interpreter that does nothing.

.venv/bin/python tests/bench/bench_client.py             all of it, some ten minutes on two cores
.venv/bin/python tests/bench/bench_client.py message     one of: message, many, note, memory

1,000 made notes and 300 made decisions, the packaged model. A figure stands beside that of the bare interpreter in the same run.
"""

import json
import multiprocessing
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter, sleep

import psutil

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
from bench import WORDS, notes  # noqa: E402
from citator import client  # noqa: E402
from warm import User, make_interpreter, until  # noqa: E402

MESSAGES = 500
DECISIONS = 300
NOTES = 1000


def main() -> int:
    """Runs what was asked for, or all."""
    wanted = sys.argv[1:] or ["message", "many", "note", "memory"]
    with tempfile.TemporaryDirectory(prefix="citator-bench-") as scratch:
        user = User(make_interpreter(Path(scratch) / "python"))
        try:
            prepared(user)
            for name in wanted:
                {"message": message, "many": many, "note": note, "memory": memory}[name](user)
        finally:
            user.leave()
    return 0


def prepared(user: User) -> None:
    """The user's project with its records synced and the daemon warm."""
    chance = random.Random(3)
    for number in range(10, 10 + DECISIONS):
        user.decide(
            number, f"Use {' '.join(chance.choices(WORDS, k=3))}", "Accepted", " ".join(chance.choices(WORDS, k=80)) + "."
        )
    notes(user.project / "notes", NOTES, 6)
    user.configure(
        "sources:\n  - {type: adr, path: docs/decisions}\n  - {type: markdown, path: notes}\nsession: {repeat_after: 0}\n"
    )
    begin = perf_counter()
    user.send(b"")
    until(lambda: bool(user.status().get("sync", {}).get("last")), 1200)
    print(f"synced {NOTES} notes and {DECISIONS} decisions in {perf_counter() - begin:.0f} s, in the background")


def message(user: User) -> None:
    """The client's process on a quiet machine, and with both cores kept busy by others."""
    with_client(user, "quiet")
    with busy():
        with_client(user, "both cores busy")


def with_client(user: User, how: str) -> None:
    """One row: the client beside the bare interpreter, alternating."""
    bare, whole, lost, chance = [], [], 0, random.Random(5)
    for number in range(MESSAGES):
        event = user.event(prompt=prompt(chance), session=f"{how}-{number}")
        bare.append(timed(lambda: subprocess.run([user.python, "-I", "-S", "-c", "pass"], check=True)))
        told: list[str] = []
        whole.append(timed(lambda event=event, told=told: told.extend(user.send(event))))  # type: ignore[misc]
        lost += bool(told[1])
    entries = [json.loads(line) for line in (user.home / ".local/state/citator/ledger.jsonl").read_text().splitlines()]
    inside = sorted(entry["milliseconds"] for entry in entries[-MESSAGES:])
    print(
        f"{how}: client {shares(whole)}, bare {shares(bare)}, {statistics.median(whole) / statistics.median(bare):.1f} times; "
        f"in the daemon {shares(inside)}; {lost} of {MESSAGES} lost"
    )


def many(user: User) -> None:
    """Fifty clients at once, with a daemon and without one."""
    chance = random.Random(9)
    for how in ("a warm daemon", "no daemon"):
        if how == "no daemon":
            user.citator("daemon", "stop")
        begin = perf_counter()
        clients = [user.start_client(user.event(prompt=prompt(chance))) for _ in range(50)]
        codes = {one.wait() for one in clients}
        took = perf_counter() - begin
        troubles = [one.communicate()[1] for one in clients]
        until(lambda: bool(user.status().get("ready")))
        daemons = [p for p in user.daemons() if "citator.daemon.syncing" not in p.cmdline()]
        silent = sum(bool(trouble) for trouble in troubles)
        print(f"50 clients at once, {how}: {took:.1f} s, exit codes {codes}, {silent} got nothing, {len(daemons)} daemon")


def note(user: User) -> None:
    """From a note's last byte to the first answer that has it."""
    until(lambda: not user.status()["sync"]["running"])
    for how, first, count in (("soon after another", 0, 12), ("long after another", 12, 6)):
        times = []
        for number in range(first, first + count):
            if first:  # by then the process that syncs was let go
                psutil.Process(user.status()["sync"]["child"]).kill()
                sleep(0.5)
            name = f"Zebra{number} crossing"
            text = f"# {name}\n\nThe {name} is painted on {WORDS[number]} days.\n"
            (user.project / "notes" / f"new-{number}.md").write_text(text)
            begin = perf_counter()
            until(lambda name=name: name in user.ask(f"When is the {name} painted?", session=""))  # type: ignore[misc]
            times.append(1000 * (perf_counter() - begin))
            sleep(0.5)
        print(f"a note written {how} to the answer that has it: {shares(times)}")


def memory(user: User) -> None:
    """The daemon's memory over ten thousand messages, which are sent without a process for each."""
    process, chance = psutil.Process(user.status()["pid"]), random.Random(11)
    sizes = []
    for number in range(10_000):
        if number % 2000 == 0:
            sizes.append(process.memory_info().rss / 2**20)
        event = user.event(prompt=prompt(chance), session=str(number // 20))
        given = [repr(monotonic() + 10), "claude-code", str(user.project)]
        client.exchange(str(user.file("sock")), client.request("event", given, event))
    sizes.append(process.memory_info().rss / 2**20)
    print(f"memory over 10,000 messages, in MiB: {', '.join(f'{size:.0f}' for size in sizes)}")


def prompt(chance: random.Random) -> str:
    """A message about what the records are about."""
    return f"How do we {' '.join(chance.choices(WORDS, k=6))} today?"


@contextmanager
def busy() -> Iterator[None]:
    """Keeps each core busy with something else."""
    others = [multiprocessing.get_context("spawn").Process(target=spin, daemon=True) for _ in range(psutil.cpu_count() or 1)]
    for other in others:
        other.start()
    sleep(1)
    try:
        yield
    finally:
        for other in others:
            other.terminate()
            other.join()


def spin() -> None:
    """Works for nothing; ends by itself."""
    end = monotonic() + 1200
    while monotonic() < end:
        pass


def timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    begin = perf_counter()
    call()
    return 1000 * (perf_counter() - begin)


def shares(times: list[float]) -> str:
    """Median, 99th percentile and most."""
    ordered = sorted(times)
    return f"p50 {statistics.median(ordered):.0f} p99 {ordered[len(ordered) * 99 // 100]:.0f} max {ordered[-1]:.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
