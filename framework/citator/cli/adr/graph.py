"""citator adr graph."""

import argparse
from pathlib import Path

from citator.cli.adr._folders import add_folders, open_folders
from citator.errors import CitatorError

FORMATS = ("mermaid", "dot", "svg", "html")


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr graph`."""
    add_folders(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: by the ending of --output, else mermaid")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    parser.add_argument("--all", action="store_true", help="also the records that nothing replaced or amended")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the picture of each folder, one after the other."""
    from citator import graph

    ending = args.output.suffix.lstrip(".") if args.output else ""
    chosen = args.format or (ending if ending in FORMATS else "mermaid")
    folders = open_folders(args)
    if len(folders) > 1 and chosen in ("svg", "html"):
        raise CitatorError(f"one {chosen} has one picture and there are {len(folders)} folders; name one of them")
    drawn = [graph.graph_of(folder.standings, args.all) for folder in folders]
    if chosen == "html":
        texts = [graph.html(picture, f"Decisions in {folder.root}") for picture, folder in zip(drawn, folders, strict=True)]
    else:
        texts = [{"mermaid": graph.mermaid, "dot": graph.dot, "svg": graph.svg}[chosen](picture) for picture in drawn]
    if args.output is None:
        print("\n".join(texts))
        return 0
    try:
        args.output.write_text("\n".join(texts) + "\n", encoding="utf-8")
    except OSError as error:
        raise CitatorError(f"{args.output}: cannot be written ({error.strerror}); name another file") from error
    return 0
