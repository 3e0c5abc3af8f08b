"""citator forget."""

import argparse

from citator.cli._common import add_project, open_pipeline
from citator.errors import StoreError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator forget`."""
    parser.add_argument("id", help="a record's id, as `citator recall --json` gives it, or a source's key with --source")
    parser.add_argument("--source", action="store_true", help="forget all records of the source with this key")
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Removes records from the store; those that are still in their source come back with the next sync."""
    pipeline = open_pipeline(args)
    forgotten = pipeline.forget_source(args.id) if args.source else pipeline.forget(args.id)
    if not forgotten:
        raise StoreError(f"nothing has the {'key' if args.source else 'id'} {args.id!r}; citator recall --json shows them")
    print(f"forgot {forgotten} record{'s' if forgotten > 1 else ''}")
    return 0
