"""citator adr supersede."""

import argparse

from citator.cli.adr._changes import apply
from citator.cli.adr._folders import add_folders, find_entry, open_folders
from citator.cli.adr._table import standing
from citator.errors import CitatorError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr supersede`."""
    parser.add_argument("old", metavar="OLD", help="the record that is replaced")
    parser.add_argument("new", metavar="NEW", help="the record that replaces it")
    add_folders(parser)
    parser.add_argument("--yes", action="store_true", help="make the changes without asking")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Shows what has to be written into both records and writes it; 1 where that is not agreed to."""
    from citator.editing import Editor

    folders = open_folders(args, whole=True)
    old, new = find_entry(args.old, folders), find_entry(args.new, folders)
    if old.folder is not new.folder:
        raise CitatorError(f"{args.old!r} and {args.new!r} are in different folders; write it by hand")
    folder = old.folder
    sheets = Editor(folder.root, folder.resolver, folder.standings).supersede(old.document, new.document)
    if not sheets:
        print("both records say so already")
        return 0
    if not apply([(folder.root, sheet) for sheet in sheets], args.yes):
        return 1
    changed = find_entry(str(folder.file(old.document.path)), open_folders(args, again=True))
    print(f"{changed.document.label}: {standing(changed.verdict)}")
    return 0
