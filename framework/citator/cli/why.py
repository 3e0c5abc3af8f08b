"""citator why "message"."""

import argparse

from citator.cli._common import add_json, add_project, notice, open_pipeline, print_json
from citator.cli.recall import as_json, line

SHOWN = 20


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator why`."""
    parser.add_argument("message", help="what a person would write to the agent")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints each candidate with its score, its verdict and why it is in or out."""
    recall = open_pipeline(args).recall(args.message)
    notice(recall.problems)
    if args.json:
        print_json(as_json(recall))
        return 0
    for candidate in recall.candidates[:SHOWN]:
        print(("in   " if candidate.handed_over else "out  ") + line(candidate))
        verdict = candidate.hit.verdict
        if candidate.why:
            print(f"       {candidate.why}")
        if verdict:
            said = f"{verdict.status}, by {verdict.evidence}: {verdict.declared}" if verdict.evidence else str(verdict.status)
            print(f"       {said}")
            for warning in verdict.warnings:
                print(f"       {warning}")
    more = len(recall.candidates) - SHOWN
    if more > 0:
        print(f"and {more} more with lower scores")
    spent = ", ".join(f"{step} {time:.1f} ms" for step, time in recall.milliseconds.items())
    print(f"{len(recall.hits)} of {len(recall.candidates)} handed over, {len(recall.block.encode())} bytes; {spent}")
    return 0
