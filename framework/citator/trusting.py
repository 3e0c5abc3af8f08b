"""Which projects' pipeline files a user obeys: each by its content, so that any edit ends the trust."""

import hashlib
import json
from pathlib import Path

import platformdirs


def trust_file() -> Path:
    """Where this user's trust is kept."""
    return platformdirs.user_data_path("citator") / "trusted.json"


def is_trusted(file: Path, text: str) -> bool:
    """Whether the user trusts this very content of the file."""
    return _known().get(str(file.resolve())) == _digest(text)


def trust(file: Path) -> None:
    """Remembers a project's file as it now reads; from now on it is obeyed."""
    known = {**_known(), str(file.resolve()): _digest(file.read_text("utf-8-sig"))}
    path = trust_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(known, indent=1))
    beside.replace(path)


def _known() -> dict[str, str]:
    try:
        known = json.loads(trust_file().read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
