"""citator daemon start|stop|restart|status|logs."""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citator.cli._common import add_json, add_verbose, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator daemon`."""
    parser.add_argument("what", choices=["start", "stop", "restart", "status", "logs"], help="logs: the end of its log")
    parser.add_argument("-n", type=int, default=40, metavar="N", help="for logs: how many lines")
    add_json(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Does it and says in a line what is now; for status, 1 where no daemon runs."""
    from citator import runtime

    if args.what == "logs":
        for line in last_lines(args.n):
            print(line)
        return 0
    if args.what in ("stop", "restart"):
        stopped = runtime.stop()
        if args.what == "stop":
            print("stopped" if stopped else "no daemon was running")
            return 0
    status = runtime.start() if args.what in ("start", "restart") else runtime.ask("status")
    if args.json:
        print_json(status or {})
    elif status is None:
        holder = runtime.pid()
        print(f"not running, but process {holder} has its lock" if holder else "not running; the next message starts it")
    else:
        print(described(status))
    return 0 if status else 1


def described(status: Mapping[str, Any]) -> str:
    """The daemon in a few lines."""
    lines = [f"process {status['pid']}, version {status['version']}, running for {_span(time.time() - status['began'])}"]
    lines[0] += f", {status['answered']} requests, {memory(status['pid'])}" + ("" if status["ready"] else ", loading")
    lines += [f"pipeline of {pipeline['folder']}: {len(pipeline['sources'])} sources" for pipeline in status.get("pipelines", [])]
    sync = status.get("sync", {})
    if sync.get("running"):
        lines.append(f"syncing {sync['running']}")
    for last in sync.get("last", []):
        lines.append(f"synced {last['folder']} {_span(time.time() - last['at'])} ago: {last.get('error') or last.get('summary')}")
    return "\n".join(lines)


def last_lines(count: int) -> list[str]:
    """The last lines of the log, and of what the process wrote before it had one."""
    from citator import runtime

    lines: list[str] = []
    for file in (Path(f"{runtime.log_file()}.1"), runtime.log_file(), runtime.daemon_file("err")):
        if file.exists():
            lines += file.read_text("utf-8", "replace").splitlines()
    return lines[-count:]


def memory(pid: int) -> str:
    """How much memory a process has."""
    import subprocess

    found = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout.strip()
    return f"{int(found) / 1024:.0f} MiB" if found.isdigit() else "memory unknown"


def _span(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
