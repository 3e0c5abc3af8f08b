"""The base of every plugin class: its fields are its YAML options, checked before anything runs."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo


def _absolute(path: Path, info: ValidationInfo) -> Path:
    base = (info.context or {}).get("base") or Path.cwd()
    return Path(os.path.normpath(base / Path(os.path.expandvars(path)).expanduser()))


ConfigPath = Annotated[Path, AfterValidator(_absolute)]
"""A path from the YAML: `~` and `$VARIABLES` are expanded, a relative one is taken from the project's folder."""


class Options(BaseModel):
    """A frozen pydantic model that refuses unknown keys; `type` is the name under which the plugin offers the class."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    type: str
    """The offered name that chose this class."""
