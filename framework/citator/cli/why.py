"""citator why "message"."""

import argparse

from citator.cli._common import add_json, add_project, print_json
from citator.cli.recall import line, recalled

SHOWN = 20


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator why`."""
    parser.add_argument("message", help="what a person would write to the agent")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints each candidate with its score, its verdict and why it is in or out."""
    recall = recalled(args)
    if args.json:
        print_json(recall)
        return 0
    candidates = recall["candidates"]
    for candidate in candidates[:SHOWN]:
        print(("in   " if candidate["handed_over"] else "out  ") + line(candidate))
        if candidate["why"]:
            print(f"       {candidate['why']}")
        if verdict := candidate["verdict"]:
            by = f", by {verdict['evidence']}: {verdict['declared']}" if verdict["evidence"] else ""
            print(f"       {verdict['status']}{by}")
            for warning in verdict["warnings"]:
                print(f"       {warning['text']}")
    if len(candidates) > SHOWN:
        print(f"and {len(candidates) - SHOWN} more with lower scores")
    spent = ", ".join(f"{step} {time:.1f} ms" for step, time in recall["milliseconds"].items())
    handed = sum(candidate["handed_over"] for candidate in candidates)
    print(f"{handed} of {len(candidates)} handed over, {recall['bytes']} bytes; {spent}")
    return 0
