"""Where the files lie that decide a pipeline."""

from pathlib import Path

import platformdirs

from citator.trusting import trust_file

PROJECT_FILE = ".citator.yaml"


def user_file() -> Path:
    """The pipeline of this user, for all projects."""
    return platformdirs.user_config_path("citator") / "pipeline.yaml"


def settings(folder: Path) -> tuple[Path, ...]:
    """The files that decide a pipeline besides the shipped default, whether or not they are there."""
    return user_file(), folder / PROJECT_FILE, trust_file()
