"""The base of every plugin class: its fields are its YAML options, checked before anything runs."""

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Literal, Self, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, model_validator
from pydantic.fields import FieldInfo

_VARIABLE = re.compile(r"\$\{?\w+\}?")


def _absolute(path: Path, info: ValidationInfo) -> Path:
    base = (info.context or {}).get("base") or Path.cwd()
    expanded = os.path.expandvars(path)
    if unset := _VARIABLE.search(expanded):
        raise ValueError(f"the variable {unset[0]} is not set")
    if "\0" in expanded:
        raise ValueError("a path cannot hold a NUL character")
    try:
        return Path(os.path.normpath(base / Path(expanded).expanduser()))
    except RuntimeError as error:
        raise ValueError("there is no user of the name behind ~") from error


ConfigPath = Annotated[Path, AfterValidator(_absolute)]
"""A path from the YAML: `~` and `$VARIABLES` are expanded, a relative one is taken from the project's folder."""


class Options(BaseModel):
    """A frozen pydantic model that refuses unknown keys; `type` is the name under which the plugin offers the class."""

    # Every command loads all of these classes and uses a few of them: what a class needs is built when it is used.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

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


class SessionOptions(BaseModel):
    """What a session with an agent is shown beyond the block of a message."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    repeat_after: int = Field(default=10, ge=0)
    """How many messages a record is not shown again, unless its standing changed; 0 shows it every time."""

    decisions: bool = True
    """Whether a session begins with the list of the current decisions."""

    bytes: int = Field(default=1024, ge=1)
    """The most bytes of UTF-8 for that list: where it does not fit, decisions are only counted."""

    keep_messages: bool = False
    """Whether the ledger keeps the text of messages."""


def fields_of(cls: type[object]) -> Mapping[str, FieldInfo]:
    """The options of a plugin's class, which is a model or a dataclass."""
    if not is_dataclass(cls):
        return cls.model_fields if issubclass(cls, BaseModel) else {}
    hints, found = get_type_hints(cls, include_extras=True), {}
    for field in fields(cls):
        found[field.name] = FieldInfo.from_annotation(hints[field.name])
        if field.default is not MISSING:
            found[field.name].default = field.default
        elif field.default_factory is not MISSING:
            found[field.name].default_factory = field.default_factory
    return found


def docstrings(cls: type[object]) -> dict[str, str]:
    """What stands below each field in the source of a class and its bases, by the field's name.

    Not asked of pydantic (`use_attribute_docstrings`), which parses the source of every class at every start.
    """
    import ast
    from inspect import getsource
    from itertools import pairwise
    from textwrap import dedent

    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if "__annotations__" in vars(base) and base is not BaseModel:
            [definition] = ast.parse(dedent(getsource(base))).body
            body = definition.body if isinstance(definition, ast.ClassDef) else []
            for field, below in pairwise(body):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
                    found[field.target.id] = str(ast.literal_eval(below.value))
    return found
