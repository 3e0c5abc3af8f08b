"""citator adr: the decision index on the command line, without a store or a model."""

import argparse
from importlib import import_module

from citator.cli._common import add_verbose

COMMANDS = {
    "list": "every record with its standing, and the totals",
    "find": "the records that speak of something",
    "show": "one record, with its standing on top",
    "current": "what holds in place of a record: the live end of its chain",
    "check": "what is wrong or unclear in the records, for CI too",
    "graph": "a picture of what replaced what",
    "new": "begin a record in the folder's own form",
    "supersede": "say in both records that one replaces the other",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the commands below `citator adr`."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        import_module(f"citator.cli.adr.{name}").add(command)
        add_reading(command)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how the folders are read."""
    parser.add_argument("--dialect", metavar="NAME", help="how the records are written (default: told from the folder)")
    parser.add_argument("--verify", action="store_true", help="read every file, even where nothing seems to have changed")
    add_verbose(parser)
