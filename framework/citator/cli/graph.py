"""citator graph RECORD."""

import argparse

from citator.cli.adr import add_reading, graph
from citator.cli.adr._folders import add_folders, find_entry, open_folders
from citator.errors import CitatorError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator graph`."""
    parser.add_argument("record", help="its number, label, file or title")
    add_folders(parser)
    add_reading(parser)
    graph.add_output(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draws a record with all that is connected with it, each connection with the line that declares it."""
    from citator.graph import around

    entry = find_entry(args.record, open_folders(args))
    drawn = around(entry.folder.standings, entry.document.path)
    if not drawn.arrows:
        raise CitatorError(f"{entry.document.label or entry.document.path} is connected with no other record")
    graph.write([drawn], [f"What is connected with {entry.document.label or entry.document.path}"], args)
    return 0
