"""citator doctor."""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from citator.cli._common import add_json, add_project, print_json

OLD_SECONDS = 24 * 3600.0
PROBE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `what` says how it is and, where it is not well, the likely fix."""

    state: Literal["ok", "note", "bad"]
    about: str
    what: str


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator doctor`."""
    parser.add_argument("--fix", action="store_true", help="start the daemon, and another one where it does not answer")
    parser.add_argument("--deep", action="store_true", help="also run the client as an agent would")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what is well and what is not; 1 where something is bad."""
    from dataclasses import asdict

    findings = list(_looked_at(args))
    if args.json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            print(f"{finding.state:4}  {finding.about:8}  {finding.what}")
    return int(any(finding.state == "bad" for finding in findings))


def _looked_at(args: argparse.Namespace) -> Iterator[Finding]:
    if args.fix:
        yield _mended()
    yield from _hooks(args.project)
    yield from _daemon()
    yield from _pipeline(args)
    yield from _disk()
    yield from _errors()
    if args.deep:
        yield from _probe(args.project)


def _mended() -> Finding:
    from citator import runtime
    from citator.errors import CitatorError

    try:
        runtime.start(seconds=PROBE_SECONDS)
    except CitatorError:
        runtime.stop()
        return Finding("note", "fix", f"it did not answer and was ended; process {runtime.start()['pid']} is the new daemon")
    return Finding("ok", "fix", "the daemon answers")


def _hooks(folder: Path) -> Iterator[Finding]:
    from citator.agents import load_agent, names
    from citator.errors import CitatorError
    from citator.installing import wired

    found = False
    for name in names():
        try:
            files = wired(load_agent(name), folder)
        except CitatorError as error:
            yield Finding("bad", "hook", str(error))
            continue
        found = found or bool(files)
        if files:
            yield Finding("ok", "hook", f"{name}: {', '.join(map(str, files))}")
    if not found:
        yield Finding("bad", "hook", f"no agent runs citator; citator install AGENT sets it up, for {', '.join(names())}")


def _daemon() -> Iterator[Finding]:
    from citator import client, runtime
    from citator.cli.daemon import described
    from citator.errors import CitatorError

    try:
        client.folder()
        status = runtime.ask("status")
    except (CitatorError, client.Trouble) as error:
        yield Finding("bad", "daemon", f"{error}; citator doctor --fix ends it and starts another")
        return
    if status:
        yield Finding("ok", "daemon", described(status).splitlines()[0])
        for last in status.get("sync", {}).get("last", []):
            if last.get("error"):
                yield Finding("bad", "sync", f"{last['folder']}: {last['error']}")
            elif time.time() - last["at"] > OLD_SECONDS:
                yield Finding("note", "sync", f"{last['folder']}: the last sync is a day old; citator sync")
    elif holder := runtime.pid():
        yield Finding("bad", "daemon", f"process {holder} has its lock but does not answer; citator doctor --fix")
    else:
        yield Finding("note", "daemon", "not running; the next message starts it")


def _pipeline(args: argparse.Namespace) -> Iterator[Finding]:
    from citator import runtime
    from citator.errors import CitatorError
    from citator.plugins import Plugins

    for broken in Plugins.load().broken:
        yield Finding("bad", "plugin", str(broken))
    try:
        state: dict[str, Any] = runtime.project_state(args.project, args.config)
    except CitatorError as error:
        for line in str(error).splitlines():
            yield Finding("bad", "pipeline", line)
        return
    for line in state["notices"]:
        yield Finding("note", "pipeline", line)
    yield Finding("ok", "model", f"{state['model'].get('model') or state['model']['type']} ({state['fingerprint']})")
    for source in state["sources"]:
        told = f"{source['type']} {source['root']}: {source['records']} records"
        yield Finding("ok", "source", told) if source["records"] else Finding("note", "source", f"{told}; citator sync")
    if not state["sources"]:
        yield Finding("bad", "source", f"none was found for {state['project']}; name one in .citator.yaml (citator init)")


def _disk() -> Iterator[Finding]:
    import platformdirs

    from citator.state import disk, holders
    from citator.store.folder import HEADROOM

    data = platformdirs.user_data_path("citator")
    size = disk(data)
    told = f"{data}: {size['used'] / 2**20:.0f} MiB used, {size['free'] / 2**20:.0f} MiB free"
    if size["free"] < HEADROOM:
        yield Finding("bad", "disk", f"{told}; nothing is written below {HEADROOM // 2**20} MiB: free some space")
    else:
        yield Finding("ok", "disk", told)
    for place, pid in holders(data / "store"):
        yield Finding("ok", "store", f"{place}: held by process {pid}")


def _errors() -> Iterator[Finding]:
    from citator.cli.daemon import last_lines

    lines = [line for line in last_lines(500) if " ERROR " in line or " WARNING " in line]
    for line in lines[-5:]:
        yield Finding("note", "log", line)


def _probe(folder: Path) -> Iterator[Finding]:
    """Runs the client as an agent would, twice: the first may find no daemon."""
    import subprocess

    from citator.runtime import client_command, start

    start()
    command = [*client_command("claude-code"), "--verbose"]
    event = b'{"hook_event_name": "UserPromptSubmit", "session_id": "", "prompt": "Which decisions of this project still stand?"}'
    begin = time.monotonic()
    ran = subprocess.run(command, input=event, capture_output=True, cwd=folder, timeout=PROBE_SECONDS, check=False)
    took = f"{1000 * (time.monotonic() - begin):.0f} ms, {len(ran.stdout)} bytes"
    told = ran.stderr.decode("utf-8", "replace").strip()
    yield Finding(
        "bad" if ran.returncode or told else "ok", "client", f"exit code {ran.returncode} after {took}{told and ': '}{told}"
    )
