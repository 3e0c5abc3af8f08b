"""citator log."""

import argparse
from collections import deque
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_verbose, print_json

if TYPE_CHECKING:
    from citator.ledger import Entry


HANDED = {
    "start": "the decisions in force",
    "read": "the standing of the record read",
    "forget": "the session no longer has what it was shown",
}
"""What a moment is told of that is no message."""


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator log`."""
    parser.add_argument("-n", type=int, default=20, metavar="N", help="how many events, the newest last (default: 20)")
    parser.add_argument("--session", metavar="ID", help="of this session only; the beginning of its id is enough")
    add_json(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what was handed over, to which session and when, or why nothing was."""
    from dataclasses import asdict

    from citator.ledger import entries
    from citator.runtime import state_folder

    found = (entry for entry in entries(state_folder()) if entry.session.startswith(args.session or ""))
    newest = deque(found, maxlen=args.n)
    if args.json:
        print_json([asdict(entry) for entry in newest])
        return 0
    for entry in newest:
        print("  ".join(filter(None, (entry.at[:19], f"{entry.session[:8]:8}", f"{entry.agent:12}", entry.project))))
        print(f"    {entry.moment}: {_told(entry)}")
        if entry.text:
            print(f"    > {' '.join(entry.text.split())[:160]}")
        for record in entry.records:
            print(f"    {record.score:.3f}  {' '.join(filter(None, (record.mark, record.name)))}")
    return 0


def _told(entry: "Entry") -> str:
    if entry.moment == "forget":
        return HANDED["forget"]
    count = len(entry.records)
    handed = HANDED.get(entry.moment) or f"{count} record{'s' if count != 1 else ''}"
    took = f", {entry.milliseconds:.0f} ms" if entry.milliseconds else ""
    return (entry.silent or f"{handed}, {entry.bytes} bytes") + took
