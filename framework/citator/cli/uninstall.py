"""citator uninstall AGENT."""

import argparse

from citator.errors import CitatorError


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator uninstall`."""
    from citator.cli.install import add_agent

    add_agent(parser)
    parser.add_argument(
        "--scope", choices=["user", "project"], help="only what was set for all projects, or for this one (default: both)"
    )
    parser.add_argument(
        "--purge",
        action="store_true",
        help="end the daemon and delete the store, exported models, the ledger, the logs and the cache; your own YAML files stay",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Takes the hooks out of every settings file that they were written to, and gives back what was there."""
    from citator import installing
    from citator.agents import load_agent

    agent = load_agent(args.agent)
    changes = installing.planned_removal(agent, args.project, args.scope)
    removed = {(change.agent, change.file) for change in changes}
    others = sorted({entry.agent for entry in installing.installed() if (entry.agent, entry.file) not in removed})
    if args.purge and others:
        raise CitatorError(f"--purge deletes what {', '.join(others)} needs as well; uninstall that first, or leave out --purge")
    for change in changes:
        print(change.diff(), end="")
    if args.dry_run:
        print("\nnothing was changed" if changes else "nothing is installed")
        return 0
    for change in changes:
        installing.apply(change)
        print(f"{'restored' if change.then is not None else 'removed'} {change.file}")
    if not changes:
        print("nothing was installed")
    if args.purge:
        _purge()
    return 0


def _purge() -> None:
    import shutil

    from citator import runtime

    runtime.stop()
    for folder in runtime.folders():
        if folder.exists():
            shutil.rmtree(folder)
            print(f"deleted {folder}")
    for file in runtime.remove_daemon_files():
        print(f"deleted {file}")
