"""citator model."""

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_project, add_verbose, print_json

if TYPE_CHECKING:
    from citator.models import Choice, Speed


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator model`."""
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    command = commands.add_parser("list", help="the models with a short name, and what a message costs with each on this machine")
    add_json(command)
    add_verbose(command)
    command.set_defaults(run=_list)
    command = commands.add_parser("use", help="write a model into the project's pipeline file, or into yours where it has none")
    command.add_argument("name", help="a short name, any sentence-transformers name, or a folder")
    add_project(command)
    command.set_defaults(run=_use)
    command = commands.add_parser("export", help="make an ONNX file of a sentence-transformers model (needs the extra export)")
    command.add_argument("name", help="bge-m3, any sentence-transformers name, or a folder")
    precision = command.add_mutually_exclusive_group()
    precision.add_argument(
        "--int8", dest="precision", action="store_const", const="int8", help="a quarter of the size; for processors"
    )
    precision.add_argument("--fp16", dest="precision", action="store_const", const="float16", help="half the size; for GPUs")
    add_verbose(command)
    command.set_defaults(run=_export, precision="float32")
    command = commands.add_parser("check", help="compare an export with its original again")
    command.add_argument("name", help="the export, as citator model list names it")
    add_verbose(command)
    command.set_defaults(run=_check)
    command = commands.add_parser("remove", help="remove an export")
    command.add_argument("name", help="the export, as citator model list names it")
    add_verbose(command)
    command.set_defaults(run=_remove)


def _list(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from citator.models import choices, measured

    found = [(choice, measured(choice)) for choice in choices()]
    if args.json:
        print_json([{**asdict(one), **({"problem": speed} if isinstance(speed, str) else asdict(speed))} for one, speed in found])
        return 0
    print("\n".join(listed(found)))
    return 0


def listed(found: Iterable[tuple["Choice", "Speed | str"]]) -> Iterator[str]:
    """Two lines for each model, and one more for what is wrong with it."""
    for choice, speed in found:
        yield f"{choice.name:20}  {choice.size:>7}  {choice.licence:14}  languages: {choice.languages}"
        if isinstance(speed, str):
            yield f"{'':20}  {choice.how}"
            yield from [f"{'':20}  {speed}"] if speed else []
        else:
            cost = f"{speed.milliseconds:.0f} ms a message, {speed.dimension} dimensions, {speed.window} tokens"
            yield f"{'':20}  {cost}; {choice.how}"


def _use(args: argparse.Namespace) -> int:
    from citator.config import choose_embedding, flow
    from citator.models import choice
    from citator.project import worktree_of
    from citator.settings import PROJECT_FILE, user_file

    own = worktree_of(args.project) / PROJECT_FILE
    file = args.config or (own if own.is_file() else user_file())
    chosen = choice(args.name)
    choose_embedding(file, chosen.options, args.project)
    print(f"wrote {file}: {flow(chosen.options)}")
    if chosen.options["type"] == "huggingface":
        print(f"it runs on torch; citator model export {args.name} --int8 makes it several times as quick")
    print("next: citator sync; until it is complete, the model before goes on answering")
    return 0


def _export(args: argparse.Namespace) -> int:
    import sys

    from citator.exporting import export

    made, agreement = export(args.name, args.precision, lambda step: print(f"citator: {step} …", file=sys.stderr))
    print(f"{made.name}: {made.size}; against the original: {agreement}")
    print(f"next: citator model use {made.name}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from citator.exporting import check

    agreement = check(args.name)
    print(f"{args.name}: against the original: {agreement}")
    return 0 if agreement.is_good else 1


def _remove(args: argparse.Namespace) -> int:
    from citator.models import remove

    remove(args.name)
    print(f"removed {args.name}")
    return 0
