"""citator calibrate."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_project, open_pipeline, print_json
from citator.errors import CitatorError

if TYPE_CHECKING:
    from citator.curves import Curves, Passed

LOW, HIGH, BINS = -3, 8, 2
"""The standings that are drawn, and bars for each standard deviation."""


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator calibrate`."""
    parser.add_argument("--rate", type=float, default=0.04, help="the rate to tell the languages apart by (default: 0.04)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the curves into a page of their own")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what everyday messages and the records' own titles reach, and what each rate of the gate would let through."""
    from citator.curves import RATES, Passed, measure

    if not 0 < args.rate < 0.5:
        raise CitatorError(f"--rate {args.rate}: must be between 0 and 0.5, as the gate's false_injection")
    curves = measure(open_pipeline(args))
    if args.html:
        try:
            args.html.write_text(_page(curves, args.rate), encoding="utf-8")
        except OSError as error:
            raise CitatorError(f"{args.html}: cannot be written: {error.strerror}; name another file") from error
    if args.json:
        rates = [
            {
                "rate": rate,
                "everyday": asdict(Passed.by(rate, curves.background)),
                "titles": asdict(Passed.by(rate, curves.titles)),
            }
            for rate in RATES
        ]
        languages = {name: asdict(Passed.by(args.rate, spoken)) for name, spoken in curves.everyday.items()}
        print_json({"rates": rates, "languages": languages})
    else:
        for line in _lines(curves, args.rate):
            print(line)
    return 0


def _lines(curves: "Curves", rate: float) -> Iterator[str]:
    from citator.curves import RATES, Passed

    everyday, titles = _shares(curves.background), _shares(curves.titles)
    yield f"{'standing':>9}  {'everyday messages':30}  titles of the records"
    for at, (ours, theirs) in enumerate(zip(everyday, titles, strict=True)):
        yield f"{LOW + at / BINS:9.1f}  {'█' * round(60 * ours):30.30}  {'█' * round(60 * theirs):.30}".rstrip()
    yield f"\n{'rate':>9}  {'everyday messages it lets through':36}  titles of the records"
    for each in RATES:
        yield f"{each:9.1%}  {_written(Passed.by(each, curves.background)):36}  {_written(Passed.by(each, curves.titles))}"
    yield f"\n{'language':>9}  everyday messages let through at {rate:.1%}"
    for name, spoken in curves.everyday.items():
        yield f"{name:>9}  {_written(Passed.by(rate, spoken))}"


def _written(passed: "Passed") -> str:
    return f"{passed.count} of {passed.of}, {passed.share:.1%} ({passed.low:.1%} to {passed.high:.1%})"


def _shares(reached: Sequence[float]) -> list[float]:
    """The share of messages in each bar."""
    counts = Counter(min(max(int((value - LOW) * BINS), 0), (HIGH - LOW) * BINS) for value in reached)
    return [counts[at] / len(reached) for at in range((HIGH - LOW) * BINS + 1)]


def _page(curves: "Curves", rate: float) -> str:
    from html import escape

    from citator.gating import threshold

    wide, tall = 900, 320

    def line(reached: Sequence[float], colour: str) -> str:
        shares = _shares(reached)
        top = max(shares)
        points = " ".join(
            f"{wide * at / (len(shares) - 1):.0f},{tall - 0.9 * tall * share / top:.0f}" for at, share in enumerate(shares)
        )
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'

    limit = wide * (threshold(rate) - LOW) / (HIGH - LOW)
    text = escape("\n".join(_lines(curves, rate)))
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>citator calibrate</title>
<body style="font-family: sans-serif; max-width: 60em; margin: 2em auto">
<h1>What the gate lets through</h1>
<p><b style="color:#777">grey</b>: everyday messages; <b style="color:#07c">blue</b>: titles of the records, as messages;
dashed: a rate of {rate:.1%}. From left to right: standard deviations above everyday messages, {LOW} to {HIGH}.</p>
<svg viewBox="0 0 {wide} {tall}" width="100%">{line(curves.background, "#777")}{line(curves.titles, "#07c")}
<line x1="{limit:.0f}" x2="{limit:.0f}" y1="0" y2="{tall}" stroke="#c30" stroke-dasharray="6"/></svg>
<pre>{text}</pre>
</body></html>
"""
