"""citator forget."""

import argparse
from pathlib import Path

from citator.cli._common import add_project, open_pipeline
from citator.errors import StoreError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator forget`."""
    parser.epilog = (
        "A record whose file is still there comes back with the next sync, and so does a source that the pipeline names."
    )
    parser.add_argument("id", help="a record's id, as `citator recall --json` gives it, or a source's key with --source")
    parser.add_argument("--source", action="store_true", help="forget all records of the source with this key")
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Removes records from the store; those that are still in their source come back with the next sync."""
    pipeline = open_pipeline(args)
    with pipeline.store:
        files = [row["path"] for row in pipeline.store.records(pipeline.sources) if row["record"] == args.id]
    forgotten = pipeline.forget_source(args.id) if args.source else pipeline.forget(args.id)
    if not forgotten:
        raise StoreError(f"nothing has the {'key' if args.source else 'id'} {args.id!r}; citator recall --json shows them")
    print(f"forgot {forgotten} record{'s' if forgotten > 1 else ''}")
    if args.source and args.id in pipeline.sources:
        print("the pipeline still names this source: the next sync brings its records back; take it out of the pipeline first")
    for file in dict.fromkeys(files):
        if Path(file).is_file():
            print(f"its file is still there: the next sync brings it back; delete or move {file} first")
    return 0
