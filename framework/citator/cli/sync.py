"""citator sync."""

import argparse
from time import perf_counter

from citator.cli._common import add_json, add_project, notice, open_pipeline, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator sync`."""
    parser.add_argument("--prune", action="store_true", help="also remove the records of a source that was full and is empty now")
    parser.add_argument("--rebuild", action="store_true", help="put the collection aside and build it anew")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Shows progress and time left, then a summary; 1 where a source could not be read to its end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from citator.pipeline import NO_SOURCE

    start = perf_counter()
    pipeline = open_pipeline(args, indexing=True)
    if args.rebuild:
        aside = pipeline.store.set_aside()
        notice([f"the old collection is kept as {aside}"] if aside else [])
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task("reading the sources", total=None)
        summary = pipeline.sync(
            lambda done, total: bars.update(bar, description="embedding records", completed=done, total=total), prune=args.prune
        )
    notice(summary.problems if pipeline.sources else [NO_SOURCE])
    seconds = perf_counter() - start
    if args.json:
        print_json({**summary.as_json(), "seconds": round(seconds, 2)})
    else:
        print(f"{summary} in {seconds:.1f} s")
    return 0 if summary.complete else 1
