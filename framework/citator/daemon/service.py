"""What one event gets: the agent's words on one side, pipelines and the ledger on the other. Runs in the worker thread."""

import json
import logging
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from citator.agents import Agent, Event, Moment, load_agent, read_event, write_answer
from citator.briefing import briefing, standing_of
from citator.daemon.checks import described
from citator.daemon.holding import Holding, LoadingError
from citator.errors import CitatorError, DaemonError
from citator.ledger import Entry, Ledger, Shown, now
from citator.messages import worded
from citator.pipeline import Pipeline
from citator.records import Hit
from citator.runtime import Request, state_folder
from citator.state import pipeline_state

DELIVERY_SECONDS = 0.01
"""What an answer takes to the client: one that is late there was not handed over, and must not count as shown."""

ERRORS = 5
"""How many errors `citator status --json` shows."""

log = logging.getLogger("citator")


class Service:
    """Answers events and recalls."""

    def __init__(self) -> None:
        self.holding = Holding()
        self.ledger = Ledger(state_folder())
        self._agents: dict[str, tuple[Agent, list[float]]] = {}
        self._errors: deque[str] = deque(maxlen=ERRORS)
        self._late = 0

    def warm(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Loads what a message in this folder will need: the first one on a collection just opened takes ten times as long."""
        try:
            self.holding.renewed(folder, environment).recall("warm up")
        except LoadingError:
            raise
        except CitatorError:  # an event will tell
            pass
        except Exception as error:  # of a plugin, which is no reason to end what answers others
            log.error("unexpected: %s", described(error))

    def event(self, request: Request) -> bytes:
        """What the agent is to be told of its event; raises CitatorError for a reason to tell it nothing."""
        if _is_late(request):
            self._late += 1
            raise DaemonError("nothing in time: the daemon was busy")
        try:
            agent = self._agent(request.agent)
            event = read_event(agent, request.body, request.folder, request.environment)
            block, line = self._block(agent, event, request)
        except CitatorError as error:
            self._errors.append(f"{now()} {error}")
            raise
        return write_answer(agent, event, block, line)

    def recall(self, request: Request) -> bytes:
        """Everything about a message, as JSON."""
        pipeline = self.holding.pipeline(Path(request.folder), request.environment)
        made = pipeline.recall(request.body.decode("utf-8", "replace")).as_json()
        return json.dumps({**made, "problems": [*pipeline.notices, *_lines(made["problems"])]}).encode()

    def project(self, request: Request) -> bytes:
        """What a project's pipeline has, as JSON."""
        return json.dumps(pipeline_state(self.holding.pipeline(Path(request.folder), request.environment))).encode()

    def status(self) -> dict[str, object]:
        """What is loaded and what went wrong."""
        return {**self.holding.status(), "late": self._late, "errors": list(self._errors)}

    def close(self) -> None:
        """Lets go of the stores."""
        self.holding.close()

    def _agent(self, name: str) -> Agent:
        known = self._agents.get(name)
        if known is None or known[1] != _times(known[0]):
            agent = load_agent(name)
            known = self._agents[name] = agent, _times(agent)
        return known[0]

    def _block(self, agent: Agent, event: Event, request: Request) -> tuple[str, str]:
        """The block for an event and a line about it for people."""
        if event.moment is Moment.NONE or not event.folder:
            return "", ""
        if event.moment is Moment.FORGET or event.fresh:
            self.ledger.forget(event.session)
        if event.moment is Moment.FORGET:
            return "", ""
        pipeline = self.holding.pipeline(Path(event.folder), request.environment)
        if event.moment is Moment.MESSAGE:
            return self._message(agent, event, request, pipeline)
        options, indexes = pipeline.config.session, pipeline.indexes.values()
        if event.moment is Moment.READ:
            block = standing_of(indexes, Path(event.path))
        else:
            block = briefing(indexes, options.bytes) if options.decisions else ""
        if block:
            self.ledger.add(replace(_entry(agent, event, pipeline), bytes=len(block.encode())))
        return block, ""

    def _message(self, agent: Agent, event: Event, request: Request, pipeline: Pipeline) -> tuple[str, str]:
        begin = time.perf_counter()
        options = pipeline.config.session
        repeats = 0

        def drop(hit: Hit) -> str:
            nonlocal repeats
            if hit.record.id == event.session.lower():
                return "is this session itself"
            why = self.ledger.why_not_again(event.session, hit, options.repeat_after)
            repeats += bool(why)
            return why

        own = worded(event.message)
        silent, block, hits = pipeline.why_silent(event.message), "", []
        if not silent:
            recall = pipeline.recall(own, drop)
            block, hits = recall.block, recall.hits
            silent = "" if block else "repeats" if repeats else "nothing related"
            if block and _is_late(request):
                self._late += 1
                silent, block, hits = "late", "", []
        entry = replace(
            _entry(agent, event, pipeline),
            records=tuple(map(Shown.of, hits)),
            bytes=len(block.encode()),
            milliseconds=round(1000 * (time.perf_counter() - begin), 1),
            silent=silent,
            repeats=repeats,
            text=event.message if options.keep_messages else "",
        )
        self.ledger.add(entry)
        return block, entry.line()


def _entry(agent: Agent, event: Event, pipeline: Pipeline) -> Entry:
    return Entry(now(), event.session, agent.name, str(pipeline.project), event.moment.value)


def _is_late(request: Request) -> bool:
    return time.monotonic() + DELIVERY_SECONDS > request.deadline


def _times(agent: Agent) -> list[float]:
    return [file.stat().st_mtime if file.exists() else 0.0 for file in agent.files]


def _lines(value: object) -> list[str]:
    return [str(line) for line in value] if isinstance(value, list) else []
