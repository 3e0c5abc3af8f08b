"""Plugins come in by entry points, one by one; what is wrong with one is told in a line, and the others work on."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from citator import hookspecs
from citator.api import Embedding, PluginError, Postprocessor, Renderer, Source, StatusResolver
from citator.cli import main
from citator.plugins import KINDS, Broken, Plugins

RENDERER = """
from citator.api import Renderer, hookimpl

class Plain(Renderer):
    def render(self, hits):
        return "plain"

@hookimpl
def register_renderers():
    return {NAME: Plain}
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with one plugin, or several, on the path, as pip leaves it on disk."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    modules = []

    def installs(distribution: str, source: str = "", /, **plugins: str) -> None:
        module = distribution.replace("-", "_")
        modules.append(module)
        info = site / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in (plugins or {module: module}).items()]
        (info / "entry_points.txt").write_text("\n".join(["[citator]", *lines]))
        if source:
            (site / f"{module}.py").write_text(source)

    yield installs
    for module in modules:
        sys.modules.pop(module, None)


def renderer(name: str) -> str:
    return RENDERER.replace("NAME", repr(name))


def plain(right: str, wrong: str) -> str:
    """A plugin that offers the renderer `plain`, with something wrong in it."""
    return renderer("plain").replace(right, wrong)


def broken(plugin: str) -> str:
    """What is said of a broken plugin, which must be one line."""
    [line] = [str(b) for b in Plugins.load().broken if b.plugin == plugin]
    assert "\n" not in line
    return line


def offered(hook_source: str, base: str, body: str) -> str:
    return f"""
from citator.api import *
from pathlib import Path

class Mine({base}):
    size: int = 3
{body}

@hookimpl
def {hook_source}():
    return {{"mine": Mine}}
"""


def assert_offers(install: Install, hook: str, base: type, body: str) -> None:
    install("citator-mine", offered(hook, base.__name__, body))
    plugins = Plugins.load()
    [offer] = [o for o in plugins.offers if o.distribution == "citator-mine 1.0"]
    assert (offer.name, offer.plugin) == ("mine", "citator_mine")
    assert plugins.get(offer.kind, "mine") is offer.cls
    assert issubclass(offer.cls, base)
    assert offer.cls(type="mine", size=4).size == 4


def test_hook_register_sources(install: Install) -> None:
    body = "    root = property(lambda self: Path())\n    def load(self, problems):\n        yield from ()"
    assert_offers(install, "register_sources", Source, body)


def test_hook_register_status_resolvers(install: Install) -> None:
    assert_offers(
        install, "register_status_resolvers", StatusResolver, "    def parse(self, path, text):\n        return Reading()"
    )


def test_hook_register_renderers(install: Install) -> None:
    assert_offers(install, "register_renderers", Renderer, "    def render(self, hits):\n        return ''")


def test_hook_register_embeddings(install: Install) -> None:
    assert_offers(install, "register_embeddings", Embedding, "    def load(self):\n        raise EmbeddingError('none')")


def test_hook_register_postprocessors(install: Install) -> None:
    assert_offers(
        install, "register_postprocessors", Postprocessor, "    def build(self, view):\n        raise PluginError('none')"
    )


def test_every_hook_belongs_to_a_kind_and_has_a_test() -> None:
    hooks = {name for name in vars(hookspecs) if name.startswith("register_")}
    assert {hook for hook, _ in KINDS.values()} == hooks
    assert {f"test_hook_{hook}" for hook in hooks} <= set(globals())


def test_the_built_in_plugins_come_by_the_same_door_and_none_is_broken() -> None:
    ours = [point for point in entry_points(group="citator") if point.dist and point.dist.name == "citator"]
    plugins = Plugins.load(ours)
    assert [str(b) for b in plugins.broken] == []
    assert {offer.plugin for offer in plugins.offers} == {point.name for point in ours}
    assert "headlines" in plugins.names("renderer")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("raise ValueError('first line\\nsecond line')", "ValueError: first line second line"),
        ("raise ValueError", "ValueError"),
        ("raise SystemExit(1)", "SystemExit: 1"),
        ("def register_renderers(): return {}", "citator_bad has no hook; is @hookimpl missing?"),
        (plain("register_renderers", "register_renderer"), "'register_renderer'; did you mean 'register_renderers'?"),
        (plain("register_renderers", "paint"), "no hook 'paint'; there are: register_embeddings, "),
        (plain("register_renderers()", "register_renderers(config)"), "'config'"),
        (plain("{'plain': Plain}", "1 / 0"), "ZeroDivisionError: division by zero"),
        (plain("{'plain': Plain}", "[Plain]"), "register_renderers() gives a list; it must give a mapping"),
        (plain("{'plain': Plain}", "{7: Plain}"), "it must give a mapping from names to classes"),
        (plain(": Plain}", ": Plain(type='plain')}"), "offers 'plain', which is no subclass of citator.api.Renderer"),
        (plain("register_renderers", "register_sources"), "offers 'plain', which is no subclass of citator.api.Source"),
        (plain("def render(", "def rendr("), "offers 'plain', which lacks render"),
    ],
)  # fmt: skip
def test_a_broken_plugin_is_named_with_its_reason_and_the_others_work(install: Install, source: str, reason: str) -> None:
    install("citator-bad", source)
    install("citator-good", renderer("good"))
    assert broken("citator_bad").startswith("plugin citator_bad of citator-bad 1.0: ")
    assert reason in broken("citator_bad")
    assert "good" in Plugins.load().names("renderer")
    assert "headlines" in Plugins.load().names("renderer")
    assert "plain" not in Plugins.load().names("renderer")


def test_a_plugin_whose_module_is_gone_is_named(install: Install) -> None:
    install("citator-gone")
    assert (
        broken("citator_gone") == "plugin citator_gone of citator-gone 1.0: ModuleNotFoundError: No module named 'citator_gone'"
    )


def test_of_two_plugins_of_one_name_neither_is_used_and_both_are_named(install: Install) -> None:
    install("citator-one", renderer("one"), twin="citator_one")
    install("citator-two", renderer("two"), twin="citator_two")
    plugins = Plugins.load()
    reason = "two plugins have this name, of citator-one 1.0 and citator-two 1.0; uninstall one"
    assert [b for b in plugins.broken if b.plugin == "twin"] == [
        Broken("twin", "citator-one 1.0", reason),
        Broken("twin", "citator-two 1.0", reason),
    ]
    assert not {"one", "two"} & set(plugins.names("renderer"))


def test_a_plugin_that_takes_a_built_in_plugins_name_is_left_out_and_the_built_in_works(install: Install) -> None:
    install("citator-usurper", renderer("mine"), headlines="citator_usurper")
    plugins = Plugins.load()
    assert "mine" not in plugins.names("renderer")
    [said] = [b for b in plugins.broken if b.plugin == "headlines"]
    assert said.distribution == "citator-usurper 1.0"
    assert re.search(r"have this name, of citator [\d.]+ and citator-usurper 1\.0; citator's own is used; uninstall", said.reason)
    assert plugins.get("renderer", "headlines") is built_in().get("renderer", "headlines")


def test_two_distributions_with_the_same_plugin_in_them_are_two_plugins(install: Install) -> None:
    install("citator-one", renderer("one"), same="citator_one")
    install("citator-fork", same="citator_one")
    assert "two plugins have this name" in {b.plugin: b.reason for b in Plugins.load().broken}["same"]


def test_of_a_name_offered_twice_neither_wins_and_the_rest_of_both_plugins_works(install: Install) -> None:
    both = renderer("same").replace("{'same': Plain}", "{'same': Plain, OWN: Plain}")
    install("citator-one", both.replace("OWN", "'one'"))
    install("citator-two", both.replace("OWN", "'two'"))
    plugins = Plugins.load()
    assert {"one", "two"} <= set(plugins.names("renderer"))
    assert "same" not in plugins.names("renderer")
    by = "citator_one (citator-one 1.0) and citator_two (citator-two 1.0)"
    assert {b.reason for b in plugins.broken if b.offered == "same"} == {f"the renderer 'same' is offered by {by}; uninstall one"}
    with pytest.raises(PluginError, match=re.escape(by)):
        plugins.get("renderer", "same")


def test_a_name_that_a_built_in_offers_stays_the_built_ins_and_the_other_is_told(install: Install) -> None:
    install("citator-mine", renderer("headlines"))
    assert re.search(
        r"'headlines' is offered by citator_mine \(citator-mine 1.0\) and headlines \(citator .*; citator's own is used",
        broken("citator_mine"),
    )
    assert Plugins.load().get("renderer", "headlines") is built_in().get("renderer", "headlines")


def test_one_name_may_be_offered_for_two_kinds(install: Install) -> None:
    install("citator-mine", renderer("minilm"))
    assert "minilm" in Plugins.load().names("renderer")


def test_an_unknown_type_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(PluginError, match=r"^no renderer of type 'headline'; did you mean 'headlines'\?$"):
        built_in().get("renderer", "headline")


def test_an_unknown_type_that_resembles_nothing_is_refused_with_all_names() -> None:
    with pytest.raises(PluginError, match=r"^no renderer of type 'xyz'; there are: headlines$"):
        built_in().get("renderer", "xyz")


def test_asking_for_what_a_broken_plugin_would_have_offered_tells_why_it_is_broken(install: Install) -> None:
    install("citator-bullets", "import no_such_module", bullets="citator_bullets")
    with pytest.raises(PluginError, match=r"plugin bullets of citator-bullets 1\.0: ModuleNotFoundError"):
        Plugins.load().get("renderer", "bullets")
    with pytest.raises(PluginError, match=r"no renderer of type 'stars'; .*\(or mend the broken: .*\bbullets\b"):
        Plugins.load().get("renderer", "stars")


def test_loading_the_plugins_loads_no_model_and_no_store() -> None:
    heavy = "{'torch', 'llama_index', 'qdrant_client', 'qdrant_edge', 'numpy', 'transformers'}"
    code = f"import sys; from citator.plugins import Plugins; Plugins.load(); print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def built_in() -> Plugins:
    plugins = Plugins.load(point for point in entry_points(group="citator") if point.dist and point.dist.name == "citator")
    plugins.broken.clear()
    return plugins


def test_a_plugin_is_loaded_only_for_the_kinds_whose_hooks_its_code_names(install: Install) -> None:
    install("citator-plain", renderer("plain"))
    resolvers = Plugins.load(kinds=["status resolver"])
    assert "citator_plain" not in sys.modules
    assert {offer.kind for offer in resolvers.offers} == {"status resolver"}
    assert {"adr", "kep", "pep"} <= set(resolvers.names("status resolver"))
    assert "plain" in Plugins.load(kinds=["renderer"]).names("renderer")


FAILING = r"""
from llama_index.core.postprocessor.types import BaseNodePostprocessor

from citator.api import Postprocessor, Renderer, hookimpl

class Nothing(Renderer):
    def render(self, hits):
        return None

class Raises(Renderer):
    def render(self, hits):
        raise ValueError("first line\nsecond line")

class Unbuilt(Postprocessor):
    def build(self, view):
        raise KeyError("top")

class Step(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes, query_bundle=None):
        return 1 / 0

class Divides(Postprocessor):
    def build(self, view):
        return Step()

@hookimpl
def register_renderers():
    return {"nothing": Nothing, "raises": Raises}

@hookimpl
def register_postprocessors():
    return {"unbuilt": Unbuilt, "divides": Divides}
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("renderer: nothing", "renderer nothing: gives a NoneType; it must give a text, which may be empty"),
        ("renderer: raises", "renderer raises: failed: ValueError: first line second line"),
        ("postprocessors: [unbuilt]", "postprocessor unbuilt: cannot be built: KeyError: 'top'"),
        ("postprocessors: [divides]", "postprocessor divides: failed: ZeroDivisionError: division by zero"),
    ],
)
def test_a_step_that_fails_at_its_work_is_named_in_one_line(
    install: Install, tmp_path: Path, home: Path, line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    install("citator-mine", FAILING)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "queue.md").write_text("# Queue\n\nJobs wait in a table.\n")
    file = tmp_path / "pipeline.yaml"
    sources = f"sources: [{{type: markdown, path: {notes}}}]\n"
    file.write_text(f"{sources}postprocessors: []\n")
    assert main(["sync", "--config", str(file)]) == 0
    file.write_text(f"{sources}{line}\n")
    capsys.readouterr()
    assert main(["recall", "--config", str(file), "where do jobs wait?"]) == 1
    assert capsys.readouterr().err == f"citator: {told}\n"
