"""The documentation is true: what a page shows is run, and what it refers to is there.

The fenced blocks of a page (README.md, docs/*.md) are played in a folder of its own:

- a block whose first line is a comment with a file name (`# citator_titles.py`) is that file; a `pyproject.toml` is installed;
- all other `python` blocks of a page are one program, which is run; where it holds hooks, it is a plugin of that page;
- every other `yaml` block is a pipeline, or a part of one, and is loaded with the plugins of the page;
- files named `test_*.py` are run by pytest.

A block that is none of these has another word behind its fence (`text`, `console`).
"""

import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from citator import hookspecs
from citator.plugins import KINDS

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w./-]+\.\w+)\n")
CITATOR = Path(sysconfig.get_path("scripts")) / "citator"


def test_what_a_user_is_told_to_install_is_the_clone() -> None:
    """The project itself is on no package index."""
    files = [
        ROOT / "README.md",
        *(file for top in ("docs", "framework", "plugins", "configs") for file in (ROOT / top).rglob("*.*")),
    ]
    texts = {file: file.read_text("utf-8") for file in files if file.suffix in (".md", ".py", ".yaml", ".ts", ".json")}
    assert [file for file, text in texts.items() if re.search(r"(pip|pipx|uv tool) install '?citator\b", text)] == []


@dataclass(frozen=True)
class Played:
    """A page's folder with its files and plugins in place."""

    folder: Path
    pipelines: list[str]

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CITATOR_"))}
        path = f"{CITATOR.parent}{os.pathsep}{os.environ['PATH']}"
        python = f"{self.folder / 'site'}{os.pathsep}{self.folder}"
        environment = {**kept, "HOME": str(self.folder / "home"), "PATH": path, "PYTHONPATH": python}
        return subprocess.run([*map(str, command)], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def succeed(self, *command: object) -> str:
        done = self.run(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def play(page: Path, folder: Path) -> Played:
    program: list[str] = []
    pipelines: list[str] = []
    for word, content in BLOCK.findall(page.read_text("utf-8")):
        if named := FILE.match(content):
            (folder / named[1]).write_text(content, "utf-8")
        elif word == "python":
            program.append(content)
        elif word == "yaml":
            pipelines.append(content)
    (folder / "page.py").write_text("\n\n".join(program), "utf-8")
    (folder / "home").mkdir()
    site = folder / "site"
    site.mkdir()
    if "@hookimpl" in "".join(program):
        plugin = site / "page-1.0.dist-info"
        plugin.mkdir()
        (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: page\nVersion: 1.0\n")
        (plugin / "entry_points.txt").write_text("[citator]\npage = page\n")
    if (folder / "pyproject.toml").exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
        subprocess.run([*install, "--target", site, folder], check=True, capture_output=True)
    return Played(folder, pipelines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_works(page: Path, tmp_path: Path) -> None:
    played = play(page, tmp_path)
    played.succeed(sys.executable, "page.py")
    for pipeline in played.pipelines:
        (tmp_path / "pipeline.yaml").write_text(pipeline, "utf-8")
        played.succeed(CITATOR, "config", "show", "--config", "pipeline.yaml")
    if tests := list(tmp_path.glob("test_*.py")):
        played.succeed(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    prose = BLOCK.sub("", page.read_text("utf-8"))
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", prose):
        linked = (page.parent / target) if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text("utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings]


def test_the_page_of_the_plugins_shows_what_citator_says(tmp_path: Path) -> None:
    page = ROOT / "docs" / "plugins.md"
    played = play(page, tmp_path)
    sessions = [content for word, content in BLOCK.findall(page.read_text("utf-8")) if word == "console"]
    assert sessions
    for session in sessions:
        command, _, shown = session.partition("\n")
        done = played.run(CITATOR, *command.removeprefix("$ citator ").split())
        assert done.stdout + done.stderr == shown


@pytest.mark.parametrize("hook", [hook for hook, _ in KINDS.values()])
def test_the_page_of_the_hooks_has_each_with_its_signature(hook: str) -> None:
    headings = re.findall(r"^## `(register_.+)`$", (ROOT / "docs" / "hooks.md").read_text("utf-8"), re.MULTILINE)
    assert f"{hook}() -> {getattr(hookspecs, hook).__annotations__['return']}" in headings
    assert len(headings) == len(KINDS)


def test_the_examples_of_all_hooks_make_a_pipeline(tmp_path: Path) -> None:
    played = play(ROOT / "docs" / "hooks.md", tmp_path)
    (tmp_path / "pipeline.yaml").write_text(played.pipelines[-1], "utf-8")
    snippets = tmp_path / "snippets"
    snippets.mkdir()
    (snippets / "kiwi.txt").write_text("Kiwis are green (rejected)\nNobody eats kiwis here.", "utf-8")
    (snippets / "plum.txt").write_text("Plums are blue (accepted)\nplum plum plum", "utf-8")
    played.succeed(CITATOR, "sync", "--config", "pipeline.yaml")
    assert played.succeed(CITATOR, "recall", "kiwi kiwis", "--config", "pipeline.yaml") == "1. ⚠️rejected kiwi\n"
