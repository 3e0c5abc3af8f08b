"""citator rejected ["words"]."""

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_project, notice, print_json

if TYPE_CHECKING:
    from citator.config import PipelineConfig


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator rejected`."""
    parser.add_argument("words", nargs="?", default="", help="only those with all of these words in name, question or reason")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints each approach that was turned down, what was chosen instead, and where that is written."""
    from citator.config import config_of

    config = config_of(args.project, args.config)
    notice(config.notices)
    asked = args.words.casefold().split()
    rows = list(_rows(config))
    found = [row for row in rows if all(word in _searched(row) for word in asked)]
    if args.json:
        print_json(found)
        return 0
    for row in found:
        instead = f" → {row['instead']}" if row["instead"] else ""
        print(f"{row['record']}: {row['name']}{instead}")
        print(f"    {': '.join(filter(None, (row['evidence'], row['reason'])))}")
    of = f" of {len(rows)}" if asked else ""
    print(f"{len(found)}{of} rejected approach{'es' if len(rows) != 1 else ''}")
    return 0


def _searched(row: Mapping[str, str]) -> str:
    return " ".join((row["name"], row["question"], row["reason"])).casefold()


def _rows(config: "PipelineConfig") -> Iterator[dict[str, str]]:
    from citator.errors import SourceError
    from citator.index import DecisionIndex
    from citator.text import inert

    for source in config.sources:
        try:
            if source.status:
                standings = DecisionIndex(source.root, source.status).standings()
                for rejection in standings.rejections:
                    document = standings.documents[rejection.path]
                    yield {
                        "record": inert(document.label or document.path),
                        "name": inert(rejection.name),
                        "instead": inert(rejection.instead),
                        "question": inert(document.title),
                        "evidence": str(source.root / rejection.evidence),
                        "reason": inert(rejection.reason),
                    }
            else:
                for record in source.rejected():
                    yield {
                        "record": record.kind,
                        "name": inert(record.title),
                        "instead": "",
                        "question": "",
                        "evidence": record.path,
                        "reason": inert(record.description),
                    }
        except SourceError as error:
            notice([str(error)])
