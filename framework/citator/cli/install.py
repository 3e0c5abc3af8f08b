"""citator install AGENT."""

import argparse
from pathlib import Path

from citator.cli._common import add_verbose


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator install`."""
    add_agent(parser)
    parser.add_argument(
        "--scope", choices=["user", "project"], default="user", help="for all projects (default), or for this one"
    )
    parser.add_argument(
        "--statusline", action="store_true", help="show the line of citator statusline too; never over one of yours"
    )
    parser.set_defaults(run=run)


def add_agent(parser: argparse.ArgumentParser) -> None:
    """Adds what `install` and `uninstall` share."""
    parser.add_argument("agent", help="claude-code, codex, …; all are in docs/agents/README.md")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.add_argument("--project", type=Path, default=Path(), metavar="FOLDER", help="the project (default: this folder's)")
    add_verbose(parser)


def run(args: argparse.Namespace) -> int:
    """Shows what changes in the agent's settings, and changes it."""
    from citator import installing
    from citator.agents import load_agent

    agent = load_agent(args.agent)
    changes = installing.planned(agent, args.scope, args.project, statusline=args.statusline)
    for change in changes:
        print(change.diff(), end="")
    if args.dry_run:
        print(
            f"\nnothing was changed; without --dry-run the hooks of {agent.title} would be set" if changes else "all is in place"
        )
        return 0
    for change in changes:
        installing.apply(change)
    done = "\n".join(f"wrote {change.file}" for change in changes)
    print(f"\n{done}\nto undo: citator uninstall {agent.name}" if changes else "all is in place; nothing was changed")
    for note in agent.notes:
        print(f"note: {note}")
    return 0
