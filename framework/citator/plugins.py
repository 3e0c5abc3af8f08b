"""Entry points -> what is offered, by whom, and what is broken."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import pluggy

from citator import hookspecs
from citator.errors import PluginError, hint, reason

T = TypeVar("T")

KINDS: Mapping[str, tuple[str, str]] = {
    "source": ("register_sources", "sources.Source"),
    "status resolver": ("register_status_resolvers", "status.StatusResolver"),
    "renderer": ("register_renderers", "rendering.Renderer"),
    "embedding": ("register_embeddings", "embedding.Embedding"),
    "postprocessor": ("register_postprocessors", "postprocessing.Postprocessor"),
}
"""The hook of each kind, and where the base class is."""


def base_of(kind: str) -> type[object]:
    """The class that all plugins of a kind are derived from."""
    module, _, name = KINDS[kind][1].partition(".")
    base: type[object] = getattr(import_module(f"citator.{module}"), name)
    return base


@dataclass(frozen=True, slots=True)
class Offer:
    """One name offered to the YAML: the class behind it and who offers it."""

    kind: str
    name: str
    cls: type[Any]
    plugin: str
    point: EntryPoint

    @property
    def distribution(self) -> str:
        """Who brings the plugin."""
        return _distribution(self.point)


@dataclass(frozen=True, slots=True)
class Broken:
    """A plugin that cannot be used, or of which one `offered` name cannot, with the reason in one line."""

    plugin: str
    distribution: str
    reason: str
    offered: str = ""

    def __str__(self) -> str:
        return f"plugin {self.plugin} of {self.distribution}: {self.reason}"


@dataclass(slots=True)
class Plugins:
    """All installed plugins, loaded one by one, so that a broken one is named and the rest works."""

    offers: list[Offer] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, points: Iterable[EntryPoint] | None = None, kinds: Iterable[str] = KINDS) -> "Plugins":
        """Loads the entry points of the group `citator`, those alone that may offer something of these kinds."""
        self, hooks = cls(), {kind: KINDS[kind][0] for kind in kinds}
        by_name: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group="citator") if points is None else points:
            by_name.setdefault(point.name, []).append(point)
        for name, found in sorted(by_name.items()):
            used = _winner(found, found)
            if used:
                start = perf_counter()
                self._add(used, hooks)
                self.seconds[name] = perf_counter() - start
            twice = f"two plugins have this name, of {_and(map(_distribution, found))}; {_way_out(used)}"
            self.broken += [
                Broken(name, _distribution(point), twice) for point in sorted(found, key=_distribution) if point is not used
            ]
        self._refuse_duplicates()
        return self

    def _add(self, point: EntryPoint, hooks: Mapping[str, str]) -> None:
        try:
            if len(hooks) == len(KINDS) or _names_any(point.module, hooks.values()):
                self.offers += _offers(point, hooks)
        except (Exception, SystemExit) as error:
            self.broken.append(Broken(point.name, _distribution(point), _reason(error)))

    def _refuse_duplicates(self) -> None:
        by_name: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.offers:
            by_name.setdefault((offer.kind, offer.name), []).append(offer)
        for (kind, name), offers in by_name.items():
            if len(offers) > 1:
                by = _and(f"{offer.plugin} ({offer.distribution})" for offer in offers)
                used = _winner(offers, [offer.point for offer in offers])
                twice = f"the {kind} {name!r} is offered by {by}; {_way_out(used)}"
                refused = [offer for offer in offers if offer is not used]
                self.broken += [Broken(offer.plugin, offer.distribution, twice, name) for offer in refused]
                self.offers = [offer for offer in self.offers if offer not in refused]

    def names(self, kind: str) -> list[str]:
        """The offered names of a kind, sorted."""
        return sorted(offer.name for offer in self.offers if offer.kind == kind)

    def get(self, kind: str, name: str) -> type[Any]:
        """The class offered under a name; raises PluginError with a hint where nobody offers it."""
        for offer in self.offers:
            if (offer.kind, offer.name) == (kind, name):
                return offer.cls
        for broken in self.broken:
            if name == (broken.offered or broken.plugin):
                raise PluginError(str(broken))
        suspects = sorted({broken.plugin for broken in self.broken if not broken.offered})
        broken_too = f" (or mend the broken: {', '.join(suspects)})" if suspects else ""
        raise PluginError(f"no {kind} of type {name!r}; {hint(name, self.names(kind))}{broken_too}")


def _winner(claims: Sequence[T], points: Sequence[EntryPoint]) -> T | None:
    """Who has a name of those that claim it: the only one, else citator's own, so that no package can switch that off."""
    own = [claim for claim, point in zip(claims, points, strict=True) if point.dist and point.dist.name == "citator"]
    rest = own or claims
    return rest[0] if len(rest) == 1 else None


def _way_out(used: object) -> str:
    return "citator's own is used; uninstall the other" if used else "uninstall one"


def _names_any(module: str, hooks: Iterable[str]) -> bool:
    """Whether the code of a module has one of these names in it: who does not name a hook does not answer it."""
    spec = find_spec(module)
    code = b""
    with suppress(OSError):  # in an archive
        code = Path(spec.origin).read_bytes() if spec and spec.has_location and spec.origin else b""
    return not code or b"import *" in code or any(hook.encode() in code for hook in hooks)


def _offers(point: EntryPoint, hooks: Mapping[str, str]) -> list[Offer]:
    # A manager for each plugin: what one of them does wrong cannot reach another, and no order of calls can matter.
    manager = pluggy.PluginManager("citator")
    manager.add_hookspecs(hookspecs)
    plugin = point.load()
    manager.register(plugin, name=point.name)
    manager.check_pending()
    if not manager.get_hookcallers(plugin):
        raise PluginError(f"{point.value} has no hook; is @hookimpl missing?")
    return [
        Offer(kind, name, _checked(offered, f"{hook}() offers {name!r},", base_of(kind)), point.name, point)
        for kind, hook in hooks.items()
        for answer in getattr(manager.hook, hook)()
        for name, offered in _mapping(answer, hook).items()
    ]


def _mapping(answer: object, hook: str) -> Mapping[str, object]:
    if not isinstance(answer, Mapping) or not all(isinstance(name, str) for name in answer):
        raise PluginError(f"{hook}() gives a {type(answer).__name__}; it must give a mapping from names to classes")
    return answer


def _checked(offered: object, what: str, base: type[object]) -> type[object]:
    if not (isinstance(offered, type) and issubclass(offered, base)):
        raise PluginError(f"{what} which is no subclass of citator.api.{base.__name__}")
    if missing := sorted(getattr(offered, "__abstractmethods__", ())):
        raise PluginError(f"{what} which lacks {', '.join(missing)}")
    return offered


def _distribution(point: EntryPoint) -> str:
    return _named(point.dist) if point.dist else "an unknown distribution"


@lru_cache
def _named(distribution: Distribution) -> str:
    metadata = distribution.metadata  # is read and parsed each time that it is asked for
    return f"{metadata['Name']} {metadata['Version']}"


def _and(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _reason(error: BaseException) -> str:
    if isinstance(error, PluginError):
        return str(error)
    if unknown := re.search(r"unknown hook '(\w+)'", str(error)):
        return f"there is no hook {unknown[1]!r}; {hint(unknown[1], (hook for hook, _ in KINDS.values()))}"
    return reason(error)
