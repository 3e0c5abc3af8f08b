"""citator replay."""

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from citator.cli._common import add_json, add_project, open_pipeline, print_json
from citator.errors import CitatorError
from citator.text import clean

if TYPE_CHECKING:
    from citator.replaying import Replayed

SHOWN = 100
"""Characters of a message that are shown."""


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator replay`."""
    parser.add_argument("--last", type=int, default=200, metavar="N", help="the latest N messages (default: 200)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="ask which were right, and add those as cases for citator eval")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what would have been handed over for each past message, and how often that is nothing; writes nothing but FILE."""
    from citator.replaying import Totals, replay

    replayed = list(replay(open_pipeline(args), args.last))
    if not replayed:
        raise CitatorError(
            "no past messages of this project: a source of type conversations reads them from Claude Code's transcripts"
        )
    totals = Totals.of(replayed)
    if args.json:
        print_json({**asdict(totals), "replayed": [each.as_json() for each in replayed]})
    for each in [] if args.json else replayed:
        if each.block:
            print(f"> {clean(each.message)[:SHOWN]}\n{each.block}\n")
    if not args.json:
        print(
            f"messages  {totals.messages}, {totals.silent} of them answered with nothing ({totals.silent / totals.messages:.0%})"
        )
        print(f"bytes     {totals.bytes_median or 0:.0f}, median of the others")
        print(f"time      {totals.milliseconds_median or 0:.0f} ms, median")
    if args.save:
        _save([each for each in replayed if each.block], args.save)
    return 0


def _save(handed: "list[Replayed]", file: Path) -> None:
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as cases:
            saved = _ask(handed, cases)
    except OSError as error:
        raise CitatorError(f"{file}: cannot be written: {error.strerror}; name another file") from error
    print(f"{saved} cases added to {file}; run: citator eval {file}")


def _ask(handed: "list[Replayed]", cases: TextIO) -> int:
    """Asks for each message which lines were right; the number of cases made of the answers."""
    saved = 0
    print("\nWhich lines were right? Their numbers, as in 1 3; none: nothing should have come; Enter: skip; q: enough")
    for each in handed:
        print(f"\n> {clean(each.message)[:SHOWN]}")
        for number, hit in enumerate(each.hits, 1):
            print(f"{number}  {hit.record.kind} {hit.record.label or hit.record.date} {hit.record.title}")
        try:
            answer = input("right: ").split()
        except EOFError:
            break
        if answer == ["q"]:
            break
        chosen = [each.hits[int(word) - 1].record.id for word in answer if word.isdecimal() and 0 < int(word) <= len(each.hits)]
        if answer == ["none"] or chosen:
            cases.write(f"{each.case(chosen)}\n")
            saved += 1
    return saved
