"""citator adr list."""

import argparse

from citator.cli._common import add_json
from citator.cli.adr._folders import add_folders, entries, open_folders
from citator.cli.adr._table import print_entries, totals
from citator.records import Status

_STATUSES = ", ".join(status.value.replace(" ", "-") for status in Status)


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr list`."""
    add_folders(parser)
    parser.add_argument(
        "--status",
        action="append",
        metavar="STATUS",
        type=_status,
        help=f"only these; may be given several times: {_STATUSES}",
    )
    parser.add_argument(
        "--as-of", metavar="DATE", help="as the git history has the records on that day, or at the end of that month"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def _status(text: str) -> Status:
    try:
        return Status(" ".join(text.lower().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        raise argparse.ArgumentTypeError(f"there is no status {text!r}; choose from {_STATUSES}") from None


def run(args: argparse.Namespace) -> int:
    """Prints a table or an array of objects, then the totals."""
    found = entries(open_folders(args, as_of=args.as_of))
    print_entries([entry for entry in found if not args.status or entry.verdict.status in args.status], args)
    if not args.json:
        print(totals(found))
    return 0
