"""What several commands share."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citator.pipeline import Pipeline


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """Adds `--verbose`, which every command has."""
    parser.add_argument("--verbose", action="store_true", help="show the whole traceback of an error")


def add_project(parser: argparse.ArgumentParser) -> None:
    """Adds the options that choose a pipeline."""
    add_verbose(parser)
    parser.add_argument("--project", type=Path, default=Path(), metavar="FOLDER", help="the project (default: this folder's)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="this pipeline file alone, not yours and the project's")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def print_json(value: object) -> None:
    """Prints a value for programs to read."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    print()


def notice(lines: Iterable[str]) -> None:
    """Tells what was left out, beside the output."""
    for line in lines:
        print(f"citator: {line}", file=sys.stderr)


def open_pipeline(args: argparse.Namespace, *, indexing: bool = False) -> "Pipeline":
    """The pipeline that the options choose, with its notices told."""
    from citator.pipeline import Pipeline

    pipeline = Pipeline.open(args.project, args.config, indexing=indexing)
    notice(pipeline.notices)
    return pipeline
