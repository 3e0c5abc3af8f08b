"""An agent's contract as data: what its events mean, how its answer is wrapped, and where its hooks are set.

A contract is the `agent:` part of a YAML file: shipped as configs/NAME.yaml, or the user's own agents/NAME.yaml, laid over the
shipped one key by key. The events and envelopes of the shipped ones were measured with the real clients.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from citator.config import parse, problem, shipped
from citator.errors import ConfigError, hint

Values = dict[str, list[str]]
"""Field of an event -> the values that are meant."""


class Moment(StrEnum):
    """What an event means, whatever its agent calls it."""

    MESSAGE = "message"
    """A prompt: recall."""

    START = "start"
    """A session begins, or goes on after a compaction."""

    READ = "read"
    """The agent opens a file."""

    FORGET = "forget"
    """The session loses what it was shown, and cannot be answered now."""

    NONE = "none"
    """Nothing to do."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of an agent; `fresh` is a start after which the session no longer has what it was shown."""

    moment: Moment
    name: str = ""
    message: str = ""
    folder: str = ""
    session: str = ""
    path: str = ""
    fresh: bool = False


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Meaning(_Part):
    """What an event of the agent means, and where in its JSON that is; fields are dotted paths such as `tool_input.file_path`."""

    moment: Moment
    """message, start, read or forget."""

    message: str = "prompt"
    """For a message: the field with what the person wrote."""

    path: str = ""
    """For a read: the field with the file's path."""

    only: Values = {}
    """The event is meant only where each of these fields has one of its values."""

    fresh: Values = {}
    """For a start: it clears the session's context where one of these fields has one of its values."""


class Target(_Part):
    """A file of the agent in which its hooks are set; paths know `~` and `${VARIABLE:-otherwise}`."""

    user: str = ""
    """The file for all projects."""

    project: str = ""
    """The file for one project, relative to the top of its worktree."""

    add: dict[str, object] = {}
    """JSON that is added to the file: mappings are merged, lists get more items, values that are there stay."""

    statusline: dict[str, object] = {}
    """More of it, for people who want the line of `citator statusline`; the file must have nothing of it yet."""

    comments: bool = False
    """Whether the agent takes comments and trailing commas in this JSON."""

    template: str = ""
    """The whole file, instead of `add`: a path beside the agent's YAML."""

    executable: bool = False
    """Whether the agent runs this file."""

    @model_validator(mode="after")
    def _says_where_and_what(self) -> Self:
        if not (self.user or self.project):
            raise ValueError("name a file, for user, for project, or for both")
        if bool(self.add) == bool(self.template):
            raise ValueError("give either add or template")
        return self


class Agent(_Part):
    """The contract of one agent."""

    name: str
    files: tuple[Path, ...]
    """The YAML files that it was read from, the strongest last."""

    title: str
    """What people call it."""

    event: str
    """The field with the event's name."""

    session: str = ""
    """The field with the session's id."""

    folder: str
    """The field with the folder that the session is in."""

    events: dict[str, Meaning]
    """The agent's name of an event -> what it means."""

    foreign: list[str] = []
    """Fields and environment variables that give away another agent, which runs this one's hooks as well."""

    answer: str | dict[str, object]
    """What the agent expects on standard output, plain text or JSON, with `$event` and `$block` in their places."""

    line: str = ""
    """The field of the answer with a line for people."""

    show_line: bool = False
    """Whether people are shown that line."""

    limit: int = Field(default=10_000, gt=0)
    """UTF-16 units that the agent takes in; what is longer it cuts or moves to a file."""

    install: list[Target]
    """Where the hooks are set."""

    notes: list[str] = []
    """What `citator install` says afterwards."""


def names() -> list[str]:
    """All agents: those that come with citator, and the user's own."""
    return sorted({file.stem for folder in (shipped("configs"), _own_folder()) for file in folder.glob("*.yaml")})


def load_agent(name: str) -> Agent:
    """The contract of an agent; raises ConfigError where there is none, or with all that is wrong with it."""
    files = [file for file in (shipped("configs") / f"{name}.yaml", _own_folder() / f"{name}.yaml") if file.is_file()]
    merged: dict[str, object] = {}
    for file in files:
        content = _content(file)
        if file.parent == _own_folder() and (others := sorted(content.keys() - {"agent"})):
            raise ConfigError(f"{file}: {others[0]}: says nothing of an agent; move it to {_own_folder().parent}/pipeline.yaml")
        part = content.get("agent", {})
        if not isinstance(part, dict):
            raise ConfigError(f"{file}: agent: a contract is a mapping; see {shipped('configs') / 'claude-code.yaml'}")
        merged |= part
    if not merged or "/" in name:
        raise ConfigError(f"no agent named {name!r}; {hint(name, names())}; a contract of your own: {_own_folder()}/NAME.yaml")
    try:
        return Agent.model_validate({**merged, "name": name, "files": tuple(files)})
    except ValidationError as error:
        raise ConfigError([f"{files[-1]}: agent{problem(Agent, detail)}" for detail in error.errors()]) from error


def read_event(agent: Agent, raw: bytes, cwd: str, environment: Mapping[str, str]) -> Event:
    """What the bytes on the client's standard input mean; what cannot be read, or is not meant for us, is Moment.NONE."""
    nothing = Event(Moment.NONE, folder=cwd)
    try:
        data: object = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return nothing
    if not isinstance(data, dict) or any(mark in data or mark in environment for mark in agent.foreign):
        return nothing
    name = _text(data, agent.event)
    meaning = agent.events.get(name)
    if meaning is None or not all(_text(data, field) in values for field, values in meaning.only.items()):
        return nothing
    folder = _text(data, agent.folder) or cwd
    message = path = ""
    if meaning.moment is Moment.MESSAGE:
        message = _text(data, meaning.message)
    if meaning.moment is Moment.READ:
        path = os.path.normpath(Path(folder) / _text(data, meaning.path)) if _text(data, meaning.path) else ""
    if (meaning.moment is Moment.MESSAGE and not message) or (meaning.moment is Moment.READ and not path):
        return nothing
    fresh = any(_text(data, field) in values for field, values in meaning.fresh.items())
    return Event(meaning.moment, name, message, folder, _text(data, agent.session), path, fresh)


def write_answer(agent: Agent, event: Event, block: str, line: str = "") -> bytes:
    """The bytes for the client's standard output; none where there is no block."""
    fitting = _fitting(block, agent.limit)
    if not fitting:
        return b""
    answer = filled(agent.answer, {"$event": event.name, "$block": fitting})
    if isinstance(answer, str):
        return answer.encode("utf-8", "replace")
    if line and agent.line and agent.show_line and isinstance(answer, dict):
        answer[agent.line] = line
    return json.dumps(answer).encode()


def filled(template: object, values: Mapping[str, object]) -> object:
    """A copy of the template in which each text that is a placeholder is replaced by its value."""
    if isinstance(template, dict):
        return {key: filled(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, values) for value in template]
    if not isinstance(template, str):
        return template
    return values.get(template, template)


def _own_folder() -> Path:
    return platformdirs.user_config_path("citator") / "agents"


def _content(file: Path) -> dict[str, object]:
    try:
        return parse(file.read_text("utf-8-sig"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error


def _text(data: object, field: str) -> str:
    """The text at a dotted path such as `roots.0`; empty where there is none. NULs and lone surrogates are gone."""
    for step in field.split("."):
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            return ""
    if not isinstance(data, str):
        return ""
    return data.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fitting(block: str, limit: int) -> str:
    """The block in at most `limit` UTF-16 units, less as many lines from its end as it takes."""
    lines = block.split("\n")
    while lines and len("\n".join(lines).encode("utf-16-le", "replace")) > 2 * limit:
        del lines[-1]
    return "\n".join(lines)
