"""The command line: one small file for each command, imported only to answer for itself."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from citator.errors import CitatorError

COMMANDS = {
    "init": "write a pipeline for this project: finds notes, conversations and decision records",
    "install": "set an agent's hooks, so that each of its messages is recalled for",
    "uninstall": "take an agent's hooks out again",
    "sync": "read the sources and embed what changed",
    "recall": "print what an agent would be handed for a message",
    "why": "show each candidate for a message, and why it is in or out",
    "eval": "measure a pipeline on messages with known answers, or two side by side",
    "replay": "show what would have been handed over for your own past messages",
    "calibrate": "show what each rate of the gate would let through, for this pipeline's records",
    "rejected": "list the approaches that were turned down, with what was chosen instead and where that is written",
    "graph": "draw a record with all that is declared to be connected with it",
    "adr": "list decision records with their real standing, or show one",
    "model": "choose an embedding model, or export one to the quick form",
    "plugins": "list what is offered by whom, and what is broken",
    "config": "show the pipeline as resolved",
    "trust": "obey this project's own pipeline file as it reads now",
    "forget": "remove records from the store",
    "status": "show what this project's pipeline has, and how the daemon is",
    "doctor": "look for what is wrong, and mend what can be",
    "daemon": "start, stop or look at the warm process that answers agents",
    "log": "show what was handed over, to which session and when",
    "statusline": "print what the last message of a session was handed, for an agent's status line",
    "stats": "count how often nothing was handed over, how much otherwise, and how long it took",
    "mcp": "serve read-only tools to an agent that asks for itself",
    "demo": "run the whole way on records that come with citator",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; 0 is success, 1 a problem told in a line on standard error, 2 a wrong command line, 130 an interrupt."""
    if sys.platform == "win32":
        print("citator: Windows is not supported yet", file=sys.stderr)
        return 1
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who calls, who wants to hear nothing
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    words = list(sys.argv[1:] if argv is None else argv)
    args = _parser(words).parse_args(words)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except CitatorError as error:
        if args.verbose:
            raise
        for line in str(error).splitlines():
            print(f"citator: {line}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("citator: interrupted; what is done stays", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if args.verbose:
            raise
        print(f"citator: {error.filename or 'the disk'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except Exception as error:
        if args.verbose:
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        print(f"citator: unexpected: {reason} (--verbose shows where; please report it)", file=sys.stderr)
        return 1
    return code


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="citator", description="Related records for a coding agent's message, each decision with its real standing."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    called = next((word for word in words if not word.startswith("-")), None)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == called:
            import_module(f"citator.cli.{name}").add(command)
    return parser


class _Version(argparse.Action):
    """Prints the version; to look it up takes longer than the rest of the start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        parser.exit(message=f"citator {version('citator')}\n")
