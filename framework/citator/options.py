"""The base of every plugin class: its fields are its YAML options, checked before anything runs."""

import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo, model_validator


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


class StoreOptions(Options):
    """Where vectors are kept."""

    type: Literal["edge", "server", "local"] = "edge"
    """`edge`: Qdrant inside the process; `server`: a Qdrant server; `local`: slower, where there is no Qdrant Edge."""

    path: ConfigPath | None = None
    """The folder of the collections, for `edge` and `local`; citator's data folder where it is left out."""

    url: str | None = None
    """The server's address, as in http://localhost:6333."""

    api_key_env: str | None = None
    """The name of the environment variable that holds the server's API key."""

    @model_validator(mode="after")
    def _belongs_to_the_type(self) -> Self:
        server = self.type == "server"
        if server and not self.url:
            raise ValueError("a store of type server needs its url, as in http://localhost:6333")
        wrong = [key for key in (("path",) if server else ("url", "api_key_env")) if getattr(self, key) is not None]
        if wrong:
            raise ValueError(f"a store of type {self.type} has no {wrong[0]}")
        return self
