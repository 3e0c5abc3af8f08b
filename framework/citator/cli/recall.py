"""citator recall "message"."""

import argparse
from collections.abc import Mapping
from typing import Any

from citator.cli._common import add_json, add_project, notice, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator recall`."""
    parser.add_argument("message", help="what a person would write to the agent")
    parser.add_argument("-k", type=int, metavar="N", help="the top N records whatever the gate says: score, kind, mark, name")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the block, which may be nothing."""
    recall = recalled(args)
    if args.json:
        print_json(recall)
    elif args.k is not None:
        for candidate in sorted(recall["candidates"], key=lambda candidate: -candidate["score"])[: args.k]:
            print(line(candidate))
    elif recall["block"]:
        print(recall["block"])
    return 0


def recalled(args: argparse.Namespace) -> dict[str, Any]:
    """Everything about the message, by the daemon where it runs, with what was left out told."""
    from citator import runtime

    recall = runtime.recall(args.message, args.project, args.config)
    notice(recall["problems"])
    return recall


def line(candidate: Mapping[str, Any]) -> str:
    """Score, kind, mark and name of a candidate."""
    name = " ".join(filter(None, (candidate["mark"], candidate["label"] or candidate["date"].rstrip("~"), candidate["title"])))
    return f"{candidate['score']:.3f}  {candidate['kind']:12}  {name}"
