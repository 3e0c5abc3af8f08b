"""citator stats."""

import argparse
from datetime import UTC, datetime, timedelta

from citator.cli._common import add_json, add_verbose, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator stats`."""
    parser.add_argument("--days", type=float, metavar="N", help="of the last N days only")
    add_json(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints how often nothing was handed over and why, how much otherwise, and how long it took."""
    from dataclasses import asdict

    from citator.ledger import Statistics, entries
    from citator.runtime import state_folder

    since = (datetime.now(UTC) - timedelta(days=args.days)).isoformat() if args.days else ""
    made = Statistics.of(entry for entry in entries(state_folder()) if entry.at >= since)
    if args.json:
        print_json(asdict(made))
        return 0
    if not made.messages:
        print("no message yet")
        return 0
    print(f"messages   {made.messages}, {made.silent} of them answered with nothing ({100 * made.silent / made.messages:.0f} %)")
    for reason, count in made.reasons.items():
        print(f"           {count} {reason}")
    print(f"records    {made.records} handed over, {made.repeats} repeats left out")
    print(f"bytes      {made.bytes_per_message:.0f} per message")
    print("latency    " + ", ".join(f"{name} {value:.0f} ms" for name, value in made.latencies.items()) + " in the daemon")
    return 0
