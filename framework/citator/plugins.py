"""Entry points -> what is offered, by whom, and what is broken."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from time import perf_counter
from typing import Any

import pluggy

from citator import hookspecs
from citator.embedding import Embedding
from citator.errors import PluginError
from citator.options import Options
from citator.postprocessing import Postprocessor
from citator.rendering import Renderer
from citator.sources import Source
from citator.status import StatusResolver

KINDS: Mapping[str, tuple[str, type[Options]]] = {
    "source": ("register_sources", Source),
    "status resolver": ("register_status_resolvers", StatusResolver),
    "renderer": ("register_renderers", Renderer),
    "embedding": ("register_embeddings", Embedding),
    "postprocessor": ("register_postprocessors", Postprocessor),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One name offered to the YAML: the class behind it and who offers it."""

    kind: str
    name: str
    cls: type[Any]
    plugin: str
    distribution: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A plugin, or one name of it, that cannot be used, with the reason in one line."""

    plugin: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.plugin} of {self.distribution}: {self.reason}"


@dataclass(slots=True)
class Plugins:
    """All installed plugins, loaded one by one, so that a broken one is named and the rest works."""

    offers: list[Offer] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, points: Iterable[EntryPoint] | None = None) -> "Plugins":
        """Loads the entry points of the group `citator`."""
        self = cls()
        manager = pluggy.PluginManager("citator")
        manager.add_hookspecs(hookspecs)
        owners: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group="citator") if points is None else points:
            if point not in owners.setdefault(point.name, []):
                owners[point.name].append(point)
        for name, found in sorted(owners.items()):
            if len(found) > 1:
                named = " and ".join(sorted(map(_distribution, found)))
                self.broken += [
                    Broken(name, _distribution(p), f"two plugins of this name, from {named}; uninstall one") for p in found
                ]
                continue
            start = perf_counter()
            self._register(manager, found[0])
            self.seconds[name] = perf_counter() - start
        self._refuse_duplicates()
        return self

    def _register(self, manager: pluggy.PluginManager, point: EntryPoint) -> None:
        distribution = _distribution(point)
        try:
            manager.register(point.load(), name=point.name)
            manager.check_pending()
            offers = [
                Offer(kind, name, offered, point.name, distribution)
                for kind, (hook, base) in KINDS.items()
                for name, offered in _answers(manager, point.name, hook, base)
            ]
        except Exception as error:
            if manager.has_plugin(point.name):
                manager.unregister(name=point.name)
            self.broken.append(Broken(point.name, distribution, _reason(error)))
        else:
            self.offers += offers

    def _refuse_duplicates(self) -> None:
        by_name: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.offers:
            by_name.setdefault((offer.kind, offer.name), []).append(offer)
        for (kind, name), offers in by_name.items():
            if len(offers) > 1:
                named = " and ".join(sorted(f"{o.plugin} ({o.distribution})" for o in offers))
                reason = f"the {kind} {name!r} is offered by {named}; uninstall one"
                self.broken += [Broken(o.plugin, o.distribution, reason) for o in offers]
                self.offers = [o for o in self.offers if o not in offers]

    def names(self, kind: str) -> list[str]:
        """The offered names of a kind, sorted."""
        return sorted(o.name for o in self.offers if o.kind == kind)

    def get(self, kind: str, name: str) -> type[Any]:
        """The class offered under a name; raises PluginError with a hint where nobody offers it."""
        for offer in self.offers:
            if (offer.kind, offer.name) == (kind, name):
                return offer.cls
        for broken in self.broken:
            if broken.plugin == name or f"the {kind} {name!r} is offered by" in broken.reason:
                raise PluginError(str(broken))
        close = difflib.get_close_matches(name, self.names(kind), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(self.names(kind)) or 'none'}"
        raise PluginError(f"no {kind} of type {name!r}; {hint}")


def _answers(
    manager: pluggy.PluginManager, plugin: str, hook: str, base: type[Options]
) -> Iterable[tuple[str, type[Any]]]:
    others = [p for n, p in manager.list_name_plugin() if n != plugin]
    for answer in manager.subset_hook_caller(hook, remove_plugins=others)():
        for name, offered in answer.items():
            if not (isinstance(offered, type) and issubclass(offered, base)):
                raise TypeError(f"{hook} offers {name!r}, which is no subclass of citator.api.{base.__name__}")
            yield name, offered


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def _reason(error: BaseException) -> str:
    if isinstance(error, pluggy.PluginValidationError) and "unknown hook" in str(error):
        hooks = [hook for hook, _ in KINDS.values()]
        wrong = str(error).split("unknown hook ")[1].split(" ")[0].strip("'")
        close = difflib.get_close_matches(wrong, hooks, n=1)
        return f"there is no hook {wrong!r}; " + (f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(hooks)}")
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
