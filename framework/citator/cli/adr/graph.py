"""citator adr graph."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli.adr._folders import add_folders, open_folders
from citator.errors import CitatorError

if TYPE_CHECKING:
    from citator.graph import Graph

FORMATS = ("mermaid", "dot", "svg", "html")
_ENDINGS = {name: name for name in FORMATS} | {"": "mermaid", "mmd": "mermaid", "md": "mermaid", "gv": "dot", "htm": "html"}


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr graph`."""
    add_folders(parser)
    add_output(parser)
    parser.add_argument("--all", action="store_true", help="also the records that nothing replaced or amended")
    parser.set_defaults(run=run)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say what is written, and where."""
    parser.add_argument("--format", choices=FORMATS, help="default: by the ending of --output, else mermaid")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")


def run(args: argparse.Namespace) -> int:
    """Writes the picture of each folder, one after the other."""
    from citator.graph import graph_of

    folders = open_folders(args)
    drawn = [graph_of(folder.standings, args.all) for folder in folders]
    write(drawn, [f"Decisions in {folder.root}" for folder in folders], args)
    return 0


def write(drawn: "Sequence[Graph]", headings: Sequence[str], args: argparse.Namespace) -> None:
    """Writes the pictures in the form and to the place that the options choose."""
    from citator import graph

    ending = args.output.suffix.lstrip(".").lower() if args.output else ""
    chosen = args.format or _ENDINGS.get(ending)
    if not chosen:
        raise CitatorError(f"{args.output}: no format ends in .{ending}; end it in .mmd, .dot, .svg or .html, or give --format")
    if len(drawn) > 1 and chosen in ("svg", "html"):
        raise CitatorError(f"one {chosen} has one picture and there are {len(drawn)} folders; name one of them")
    if chosen == "html":
        texts = [graph.html(picture, heading) for picture, heading in zip(drawn, headings, strict=True)]
    else:
        texts = [{"mermaid": graph.mermaid, "dot": graph.dot, "svg": graph.svg}[chosen](picture) for picture in drawn]
    if args.output is None:
        print("\n".join(texts))
        return
    try:
        args.output.write_text("\n".join(texts) + "\n", encoding="utf-8")
    except OSError as error:
        raise CitatorError(f"{args.output}: cannot be written ({error.strerror}); name another file") from error
