"""Fixtures for things that several tests need."""

from pathlib import Path

import pytest

from citator.embedding import Model

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def minilm() -> Model:
    """The packaged model, loaded once."""
    from citator_plugins.onnx import MiniLM

    return MiniLM(type="minilm").load(indexing=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, so that nothing of the user's is read or written."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder
