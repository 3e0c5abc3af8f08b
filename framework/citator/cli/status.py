"""citator status."""

import argparse

from citator.cli._common import add_json, add_project, notice, print_json


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator status`."""
    add_json(parser)
    add_project(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what this project's pipeline has, and how the daemon is."""
    from citator import runtime
    from citator.cli.daemon import described

    state = runtime.project_state(args.project, args.config)
    daemon = runtime.ask("status")
    if args.json:
        print_json({**state, "daemon": daemon})
        return 0
    notice(state["notices"])
    print(f"project  {state['project']}")
    print(f"files    {', '.join([*state['files'], 'the shipped default'])}")
    print(f"model    {state['model'].get('model') or state['model']['type']} ({state['fingerprint']})")
    print(f"store    {state['store']}{'' if state['calibrated'] else ', not calibrated yet: nothing is handed over'}")
    for source in state["sources"]:
        print(f"source   {source['type']} {source['root']}: {source['records']} records")
    if not state["sources"]:
        print("source   none was found")
    for line in (described(daemon) if daemon else "not running; the next message starts it").splitlines():
        print(f"daemon   {line}")
    return 0
