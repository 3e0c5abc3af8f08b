"""citator plugins [NAME]."""

import argparse
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_verbose, print_json
from citator.errors import PluginError

if TYPE_CHECKING:
    from citator.plugins import Offer, Plugins


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator plugins`."""
    parser.add_argument("name", nargs="?", help="an offered type: show its options")
    parser.add_argument("--time", action="store_true", help="show what loading each plugin costs")
    add_json(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Lists offers and broken plugins; 1 where something is broken."""
    from citator.plugins import Plugins

    plugins = Plugins.load()
    if args.name:
        _options(plugins, args.name)
        return 0
    offers = sorted(plugins.offers, key=lambda offer: (offer.kind, offer.name))
    if args.json:
        print_json(
            {
                "offers": [_offer(offer) for offer in offers],
                "broken": [{"plugin": b.plugin, "distribution": b.distribution, "reason": b.reason} for b in plugins.broken],
            }
        )
        return 1 if plugins.broken else 0
    for offer in offers:
        print(f"{offer.kind:16}  {offer.name:16}  {offer.plugin} of {offer.distribution}")
    for broken in plugins.broken:
        print(f"broken            {broken}")
    if args.time:
        for name, seconds in sorted(plugins.seconds.items(), key=lambda item: -item[1]):
            print(f"{1000 * seconds:7.1f} ms  {name}")
    return 1 if plugins.broken else 0


def _offer(offer: "Offer") -> dict[str, str]:
    return {"kind": offer.kind, "name": offer.name, "plugin": offer.plugin, "distribution": offer.distribution}


def _options(plugins: "Plugins", name: str) -> None:
    offers = [offer for offer in plugins.offers if offer.name == name]
    if not offers:
        raise PluginError(f"nobody offers {name!r}; there are: {', '.join(sorted({o.name for o in plugins.offers}))}")
    from citator.options import docstrings, fields_of

    for offer in offers:
        print(f"{offer.kind} {offer.name}, by {offer.plugin} of {offer.distribution}")
        print(f"  {(offer.cls.__doc__ or '').strip().splitlines()[0]}")
        about = docstrings(offer.cls)
        for key, field in fields_of(offer.cls).items():
            if key != "type":
                default = "required" if field.is_required() else repr(field.get_default(call_default_factory=True))
                print(f"  {key}: {default}")
                print(f"      {' '.join((field.description or about.get(key, '')).split())}")
