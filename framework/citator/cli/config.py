"""citator config show."""

import argparse
import sys

from citator.cli._common import add_json, add_project, notice, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator config`."""
    parser.add_argument("what", choices=["show"], help="show: the pipeline as it holds in the end")
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the resolved pipeline as YAML, with the files that it came from."""
    import yaml

    from citator.config import config_of

    config = config_of(args.project, args.config)
    notice(config.notices)
    content = config.as_json()
    if args.json:
        print_json(content)
        return 0
    print("# from: " + ", ".join([*map(str, config.files), "the shipped default"]))
    yaml.safe_dump(content, sys.stdout, sort_keys=False, allow_unicode=True)
    return 0
