"""A distribution of somebody else's, installed by pip, adds a plugin of each kind to a pipeline in a process of its own."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent / "third_party" / "citator-example"
CITATOR = Path(sysconfig.get_path("scripts")) / "citator"

PIPELINE = """
sources:
  - {type: memos, path: memos}
embedding: words
postprocessors: [marks, newest]
renderer: {type: bullets, bullet: "+"}
"""

MEMOS = {
    "D-012.txt": "Ship from release branches\nDate: 2026-01-10\nStatus: superseded by D-015\n\nEach has a branch of its own.\n",
    "D-013.txt": "Keep logs for thirty days\nDate: 2026-02-02\nStatus: proposed\n\nLonger costs more than it tells.\n",
    "D-015.txt": "Ship from one branch\nDate: 2026-03-01\nStatus: accepted\n\nRelease branches drift apart.\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed, which no process sees that is not told of it."""
    folder = tmp_path_factory.mktemp("third_party") / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", folder, EXAMPLE], check=True, capture_output=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with memos and a pipeline that reads them."""
    (tmp_path / "memos").mkdir()
    (tmp_path / "home").mkdir()
    for name, text in MEMOS.items():
        (tmp_path / "memos" / name).write_text(text, "utf-8")
    (tmp_path / "pipeline.yaml").write_text(PIPELINE, "utf-8")
    return tmp_path


def citator(project: Path, site: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CITATOR_", "PYTHON"))}
    environment = {**kept, "HOME": str(project / "home"), **({"PYTHONPATH": str(site)} if site else {})}
    return subprocess.run([CITATOR, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_what_it_offers_is_listed_under_its_name(project: Path, site: Path) -> None:
    listed = citator(project, site, "plugins").stdout.splitlines()
    ours = {tuple(line.split()[:-4]) for line in listed if line.endswith("example of citator-example 1.0.0")}
    kinds = {("source", "memos"), ("status", "resolver", "tagged"), ("embedding", "words"), ("renderer", "bullets")}
    assert ours == kinds | {("postprocessor", "newest")}


def test_a_pipeline_uses_all_of_it(project: Path, site: Path) -> None:
    synced = citator(project, site, "sync", "--config", "pipeline.yaml")
    assert synced.returncode == 0, synced.stderr
    recalled = citator(project, site, "recall", "Which branch do we ship from?", "--config", "pipeline.yaml")
    assert recalled.stdout.splitlines() == [
        "+ Ship from one branch",
        "+ △proposed (not approved) Keep logs for thirty days",
        "+ ⚠️superseded → D-015 Ship from release branches",
    ]


def test_a_memo_that_is_edited_is_marked_by_what_it_says_now(project: Path, site: Path) -> None:
    citator(project, site, "sync", "--config", "pipeline.yaml")
    memo = project / "memos" / "D-013.txt"
    memo.write_text(memo.read_text("utf-8").replace("proposed", "rejected"), "utf-8")
    recalled = citator(project, site, "recall", "How long are logs kept?", "--config", "pipeline.yaml")
    assert "+ ⚠️rejected Keep logs for thirty days" in recalled.stdout.splitlines()


def test_where_it_is_not_installed_the_pipeline_is_refused_by_name(project: Path) -> None:
    refused = citator(project, None, "recall", "anything", "--config", "pipeline.yaml")
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert "sources[0]: no source of type 'memos'" in refused.stderr
    assert "renderer: no renderer of type 'bullets'" in refused.stderr
    assert "Traceback" not in refused.stderr
