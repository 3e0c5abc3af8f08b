"""citator demo."""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter

from citator.cli._common import add_verbose, notice

PROJECT = Path("/demo/shop")
"""Where the people of the sample worked; the folder need not exist."""

MESSAGES = (
    "Which queue should the new invoice worker use?",
    "The nightly import fails when two shops have a product with the same number, where did we talk about that?",
    "Why does citator use Qdrant Edge and not a Qdrant server?",
    "Write a haiku about autumn in Kyoto.",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator demo`."""
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - every command has the same form
    """Syncs a sample home and citator's own decisions into a temporary store and recalls for a few messages."""
    import yaml

    from citator.config import load_config, shipped
    from citator.pipeline import Pipeline
    from citator.plugins import Plugins

    home = shipped("configs") / "demo"
    sources = [
        {"type": "memory", "path": str(home / "claude")},
        {"type": "conversations", "path": str(home / "claude")},
        {"type": "adr", "path": str(home / "shop" / "docs" / "decisions")},
        {"type": "adr", "path": str(shipped("docs/decisions"))},
    ]
    start = perf_counter()
    with tempfile.TemporaryDirectory(prefix="citator-demo-") as scratch:
        folder = Path(scratch)
        file = folder / "pipeline.yaml"
        file.write_text(yaml.safe_dump({"sources": sources}), encoding="utf-8")
        plugins = Plugins.load()
        config = load_config(plugins, PROJECT, folder, file)
        pipeline = Pipeline(config, PROJECT, folder)
        _ = pipeline.model
        print(f"loaded the packaged model in {perf_counter() - start:.1f} s")
        start = perf_counter()
        summary = pipeline.sync(lambda done, total: None)  # noqa: ARG005
        notice(summary.problems)
        print(f"{summary} in {perf_counter() - start:.1f} s")
        for message in MESSAGES:
            recall = pipeline.recall(message)
            print(f"\n> {message}\n{recall.block or '(nothing is handed over)'}")
            spent = ", ".join(f"{step} {time:.1f}" for step, time in recall.milliseconds.items())
            print(f"  [{len(recall.block.encode())} bytes; ms: {spent}]")
    print('\nYour own records: citator init, then citator sync, then citator recall "…"')
    return 0
