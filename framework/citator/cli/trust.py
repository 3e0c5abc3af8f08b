"""citator trust."""

import argparse

from citator.cli._common import add_project


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator trust`."""
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Trusts the project's own pipeline file until its next edit."""
    from citator.config import config_of
    from citator.project import worktree_of
    from citator.settings import PROJECT_FILE
    from citator.trusting import trust

    file = worktree_of(args.project) / PROJECT_FILE
    config_of(args.project, file)
    trust(file)
    print(f"{file} is obeyed as it reads now; after an edit it has to be trusted again")
    return 0
