"""citator adr current."""

import argparse

from citator.cli._common import add_json, notice, print_json
from citator.cli.adr._folders import add_folders, find_entry, open_folders
from citator.cli.adr._table import named, standing
from citator.records import Status, Trouble
from citator.text import inert


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr current`."""
    parser.add_argument("id", help="as people write it: 46, ADR-46, ADR-0046, a slug, a path")
    add_folders(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints each record at which the chain ends, and where it is; 1 where nothing that is in force is there."""
    from citator.standings import row

    entry = find_entry(args.id, open_folders(args))
    holds = entry.verdict.status in (Status.LIVE, Status.PARTIALLY_SUPERSEDED)
    notice(f"{entry.document.label}: {inert(str(c))}" for c in entry.verdict.warnings if c.trouble is Trouble.UNREADABLE)
    if args.json:
        standing_row = row(entry.document, entry.verdict)
        print_json(
            [{"id": entry.document.label, "path": entry.document.path, "title": entry.document.title}]
            if holds
            else standing_row["current"]
        )
        return 0 if holds or entry.verdict.current else 1
    if holds:
        print(f"{inert(entry.document.label)}  {inert(entry.document.title)}  {entry.folder.shown(entry.document.file)}")
    if not holds or entry.verdict.status is Status.PARTIALLY_SUPERSEDED:
        for end in entry.verdict.current:
            where = entry.folder.shown(entry.folder.standings.documents[end.path].file) if end.path else end.external
            print(f"{named(end)}  {inert(end.title)}  {where}")
    if not holds and not entry.verdict.current:
        print(f"nothing: {inert(entry.document.label)} is {standing(entry.verdict)}")
        return 1
    return 0
