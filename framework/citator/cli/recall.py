"""citator recall "message"."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from citator.cli._common import add_json, add_project, notice, open_pipeline, print_json

if TYPE_CHECKING:
    from citator.pipeline import Candidate, Recall


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator recall`."""
    parser.add_argument("message", help="what a person would write to the agent")
    parser.add_argument("-k", type=int, metavar="N", help="the top N records whatever the gate says: score, kind, mark, name")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the block, which may be nothing."""
    recall = open_pipeline(args).recall(args.message)
    notice(recall.problems)
    if args.json:
        print_json(as_json(recall))
    elif args.k is not None:
        for candidate in recall.best(args.k):
            print(line(candidate))
    elif recall.block:
        print(recall.block)
    return 0


def line(candidate: "Candidate") -> str:
    """Score, kind, mark and name of a candidate."""
    hit = candidate.hit
    name = " ".join(filter(None, (hit.mark, hit.record.label or hit.record.date.rstrip("~"), hit.record.title)))
    return f"{hit.score:.3f}  {hit.record.kind:12}  {name}"


def as_json(recall: "Recall") -> dict[str, Any]:
    """Everything about one message, for programs."""
    return {
        "message": recall.message,
        "block": recall.block,
        "bytes": len(recall.block.encode()),
        "milliseconds": {step: round(time, 2) for step, time in recall.milliseconds.items()},
        "candidates": [
            {
                "source": c.hit.source,
                "id": c.hit.record.id,
                "kind": c.hit.record.kind,
                "label": c.hit.record.label,
                "title": c.hit.record.title,
                "description": c.hit.record.description,
                "date": c.hit.record.date,
                "path": c.hit.record.path,
                "score": c.hit.score,
                "mark": c.hit.mark,
                "verdict": asdict(c.hit.verdict) if c.hit.verdict else None,
                "handed_over": c.handed_over,
                "why": c.why,
            }
            for c in recall.candidates
        ],
    }
