"""citator adr new."""

import argparse
from datetime import date
from pathlib import Path

from citator.cli.adr._changes import write
from citator.cli.adr._folders import open_folders
from citator.errors import CitatorError, SourceError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr new`."""
    parser.add_argument("title", nargs="+", metavar="TITLE", help="what is decided, in a few words")
    parser.add_argument(
        "--in", dest="folders", action="append", default=[], type=Path, metavar="FOLDER", help="default: the one found"
    )
    parser.add_argument("--status", default="proposed", help="default: proposed")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the record and prints its path."""
    from citator.drafting import draft

    try:
        folders = open_folders(args, whole=True)
    except SourceError as error:
        if args.folders:
            raise
        raise CitatorError(
            "no folder of decision records was found; name the one to begin in: citator adr new … --in docs/adr"
        ) from error
    if len(folders) > 1:
        raise CitatorError(
            f"there are {len(folders)} folders; name one with --in: {', '.join(str(folder.root) for folder in folders)}"
        )
    [folder] = folders
    title = " ".join(args.title)
    path, text = draft(folder.root, folder.resolver, folder.standings, title, args.status, date.today().isoformat())
    file = folder.root / path
    if file.exists():
        raise CitatorError(f"{file}: is there already; choose another title")
    write(file, text)
    print(folder.shown(path))
    return 0
