"""citator eval FILE.jsonl."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_project, notice, open_pipeline, print_json
from citator.errors import CitatorError

if TYPE_CHECKING:
    from citator.evaluating import Measures, Outcome

EXAMPLE = '{"id": …, "message": …, "records": [ids, paths or titles; none: recall nothing], "language": …, "kind": …}'

TOLD = 10
"""How many records that are not there are named."""

MEASURES = {
    "answerable": "messages with an answer",
    "recall_at_1": "  a right record is first",
    "recall_at_5": "  a right record is in the top five",
    "mrr": "  mean of 1 / rank",
    "kept": "  of these in the top five, handed something over",
    "right": "  of these in the top five, handed a right record over",
    "false_silence": "  handed nothing over",
    "unrelated": "messages without an answer",
    "false_injection": "  handed something over",
    "bytes_median": "bytes of what was handed over, median",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator eval`."""
    parser.add_argument("file", type=Path, help=f"a case on each line: {EXAMPLE}")
    parser.add_argument("--against", type=Path, metavar="FILE", help="another pipeline file to compare with, side by side")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recalls for each message and prints what came of it; 1 where a line is no case."""
    from citator.evaluating import Measures, evaluate, read_cases
    from citator.pipeline import Pipeline

    try:
        text = args.file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CitatorError(f"{args.file}: cannot be read: {error}; give a file of JSON lines in UTF-8") from error
    cases, problems = read_cases(text, str(args.file))
    notice(problems)
    pipelines = [open_pipeline(args)] + ([Pipeline.open(args.project, args.against)] if args.against else [])
    missing: list[str] = []
    made = [evaluate(pipeline, cases, missing.append) for pipeline in pipelines]
    several = list(dict.fromkeys(missing))
    notice(f"{args.file}:{line}" for line in several[:TOLD])
    notice([f"{args.file}: {len(several) - TOLD} more such lines; citator sync brings records in"] if len(several) > TOLD else [])
    if args.json:
        first, *others = map(_as_json, made)
        print_json({**first, **({"against": others[0]} if others else {})})
    else:
        for line in _table([Measures.of(outcomes) for outcomes in made]):
            print(line)
        for line in _groups(made):
            print(line)
    return 1 if problems else 0


def _as_json(outcomes: "list[Outcome]") -> dict[str, object]:
    from citator.evaluating import Measures, grouped

    parts = {field: {name: asdict(group) for name, group in grouped(outcomes, field).items()} for field in ("language", "kind")}
    return {**asdict(Measures.of(outcomes)), "by_language": parts["language"], "by_kind": parts["kind"]}


def _table(columns: "list[Measures]") -> Iterator[str]:
    if len(columns) > 1:
        yield f"{'':54}{'this':>9}{'against':>9}"
    for name, title in MEASURES.items():
        yield f"{title:54}{''.join(f'{_written(getattr(column, name)):>9}' for column in columns)}"
    for share in ("p50", "p95"):
        yield f"{f'milliseconds, {share}':54}{''.join(f'{column.milliseconds[share]:>9}' for column in columns)}"


def _groups(made: "list[list[Outcome]]") -> Iterator[str]:
    from citator.evaluating import grouped

    shown = ("answerable", "recall_at_5", "kept", "unrelated", "false_injection")
    for field in ("language", "kind"):
        several = [grouped(outcomes, field) for outcomes in made]
        if several[0]:
            yield f"\n{'by ' + field:24}" + "".join(f"{name:>17}" for name in shown)
        for group in several[0]:
            for column, against in zip(several, ("", "  against"), strict=False):
                yield f"{against or group:24}" + "".join(f"{_written(getattr(column[group], name)):>17}" for name in shown)


def _written(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) and value <= 1 else f"{value:.0f}"
