"""citator adr show."""

import argparse
from contextlib import suppress

from citator.cli._common import add_json, print_json
from citator.cli.adr._folders import add_folders, find_entry, open_folders
from citator.cli.adr._table import named
from citator.text import inert


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr show`."""
    parser.add_argument("id", help="as people write it: 46, ADR-46, ADR-0046, a slug, a path")
    add_folders(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the effective status and what replaced the record, what it declares itself, then the record."""
    from citator.files import content, decode
    from citator.standings import row

    entry = find_entry(args.id, open_folders(args))
    document, verdict = entry.document, entry.verdict
    if args.json:
        print_json(row(document, verdict))
        return 0
    print(f"{inert(document.label)}  {inert(document.title)}")
    print(f"status: {verdict.status}{' (by default)' if verdict.by_default else ''}")
    for name, others in (("superseded by", verdict.successors), ("current", verdict.current), ("amended by", verdict.amended_by)):
        for other in others:
            print(f"{name}: {' · '.join(filter(None, (named(other), inert(other.title))))}")
    if verdict.declared:
        print(f"declared: {inert(verdict.declared)}")
    if verdict.evidence:
        print(f"decided by: {verdict.evidence}")
    for warning in verdict.warnings:
        print(f"warning: {inert(str(warning))}")
    print(f"file: {inert(entry.folder.shown(document.file))}\n")
    with suppress(OSError, ValueError):  # which is told already
        print(decode(content(entry.folder.root, document.file)).rstrip("\n"))
    return 0
