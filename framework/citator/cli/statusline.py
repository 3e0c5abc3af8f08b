"""citator statusline, which an agent may run several times a second: as `python -m citator.cli.statusline` it starts quicker."""

import argparse
import json
import sys

from citator.ledger import last_message
from citator.runtime import state_folder


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator statusline`."""
    parser.add_argument("--verbose", action="store_true", help="say what is wrong; an agent would show that")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the line for the session that the JSON on standard input names as `session_id`; nothing on any trouble."""
    try:
        event = json.load(sys.stdin.buffer)
        session = event.get("session_id") if isinstance(event, dict) else None
        if not isinstance(session, str):
            raise ValueError("names no session; give what the agent gives, JSON with a session_id")
        entry = last_message(state_folder(), session) if session else None
        if entry and entry.records:
            sys.stdout.buffer.write(f"{entry.line()}\n".encode())
    except Exception as error:
        if args.verbose:
            print(f"citator: standard input: {' '.join(str(error).split())}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(run(argparse.Namespace(verbose=False)))
