"""When to sync: soon after a source changed, and now and then in case nobody told; one child process, one sync at a time."""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from watchfiles import Change, awatch

from citator.config import PipelineConfig
from citator.daemon.holding import Holding, Place
from citator.files import SKIPPED

SETTLE_MILLISECONDS = 200
"""How long a source has to be quiet; an editor writes a file in several steps."""

TRANSCRIPT_SECONDS = 5 * 60.0
"""How late a changed transcript may count: a session appends to its own all the time, and only its title is of use."""

ANYWAY_SECONDS = 10 * 60.0
"""After which a place is synced though nothing was seen: not every file system tells of changes."""

RETRY_SECONDS = 60.0
CHILD_IDLE_SECONDS = 180.0
"""How long the child is kept for the next sync: starting it takes seconds."""

Synced = Callable[[Path, Mapping[str, str]], Awaitable[None]]
"""Called after a sync with the folder and the variables of its environment."""

log = logging.getLogger("citator")


class Syncs:
    """Syncs the places that are in use."""

    def __init__(self, holding: Holding, is_quiet: Callable[[], bool], synced: Synced) -> None:
        self._holding, self._is_quiet, self._synced = holding, is_quiet, synced
        self._due: dict[Place, float] = {}
        self._targets: dict[Place, PipelineConfig] = {}
        self._wake = asyncio.Event()
        self._watched: list[str] = []
        self._watcher: asyncio.Task[None] | None = None
        self._child: asyncio.subprocess.Process | None = None
        self._child_used = 0.0
        self._last: dict[Place, dict[str, object]] = {}
        self.running: Place | None = None

    async def run(self) -> None:
        """Syncs what is due until it is cancelled."""
        while True:
            self._look_at_targets()
            now = time.monotonic()
            due = [place for place, at in self._due.items() if at <= now]
            if due:
                await self._sync(min(due, key=self._due.__getitem__))
                continue
            if self._child and now - self._child_used > CHILD_IDLE_SECONDS:
                await self._end_child()
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), 0.5)

    async def close(self) -> None:
        """Ends the watcher and the child."""
        if self._watcher:
            self._watcher.cancel()
        await self._end_child()

    def status(self) -> dict[str, object]:
        """What runs and what came of the last sync of each place."""
        return {
            "running": str(self.running.folder) if self.running else "",
            "child": self._child.pid if self._child else None,
            "last": [{"folder": str(place.folder), **result} for place, result in self._last.items()],
        }

    def _look_at_targets(self) -> None:
        targets, now = self._holding.targets(), time.monotonic()
        if targets != self._targets:
            self._due = {
                place: self._due.get(place, now) if config == self._targets.get(place) else now
                for place, config in targets.items()
            }
            self._targets = targets
        watched = _outermost(targets.values())
        if watched != self._watched:
            if self._watcher:
                self._watcher.cancel()
            self._watcher = asyncio.get_running_loop().create_task(self._watch(watched))
            new = set(watched).difference(self._watched)
            self._due |= {place: now for place, config in targets.items() if new.intersection(_real(config))}
            self._watched = watched

    async def _watch(self, roots: list[str]) -> None:
        if not roots:
            return
        try:
            async for changes in awatch(
                *roots,
                watch_filter=_is_of_interest,
                debounce=SETTLE_MILLISECONDS,
                step=SETTLE_MILLISECONDS // 4,
                ignore_permission_denied=True,
                raise_interrupt=False,
            ):
                self._changed([path for _, path in changes])
        except (OSError, RuntimeError) as error:
            log.warning("sources are not watched and synced every %g s only: %s", ANYWAY_SECONDS, error)

    def _changed(self, paths: list[str]) -> None:
        now = time.monotonic()
        for place, config in self._targets.items():
            own = [path for path in paths if any(Path(path).is_relative_to(root) for root in _real(config))]
            if own:
                wait = TRANSCRIPT_SECONDS if all(path.endswith(".jsonl") for path in own) else 0.0
                self._due[place] = min(self._due.get(place, now + wait), now + wait)
        self._wake.set()

    async def _sync(self, place: Place) -> None:
        self.running = place
        self._due[place] = time.monotonic() + ANYWAY_SECONDS
        try:
            result = await self._ordered(place)
        finally:
            self.running = None
        result["at"] = time.time()
        self._last[place] = result
        if "error" in result:
            self._due[place] = time.monotonic() + RETRY_SECONDS
            log.warning("sync of %s: %s", place.folder, result["error"])
        else:
            log.info("sync of %s: %s in %s s", place.folder, result["summary"], result["seconds"])
            await self._synced(place.folder, dict(place.variables))

    async def _ordered(self, place: Place) -> dict[str, object]:
        if self._child and self._child.returncode is not None:  # killed since
            self._child = None
        child = self._child = self._child or await self._start_child()
        assert child.stdin and child.stdout
        try:
            order = {"folder": str(place.folder), "variables": dict(place.variables), "quiet": self._is_quiet()}
            child.stdin.write(json.dumps(order).encode() + b"\n")
            await child.stdin.drain()
            line = await child.stdout.readline()
            result: dict[str, object] = json.loads(line)
        except (OSError, ValueError):
            await self._end_child()
            return {"error": f"the process for it ended with {child.returncode}; is the disk full?"}
        self._child_used = time.monotonic()
        return result

    async def _start_child(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-E", "-P", "-m", "citator.daemon.syncing",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**24,
        )  # fmt: skip

    async def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin
        child.stdin.close()
        try:
            await asyncio.wait_for(child.wait(), 2)
        except TimeoutError:
            child.kill()
            await child.wait()


def _real(config: PipelineConfig) -> list[str]:
    return [os.path.realpath(source.root) for source in config.sources]


def _outermost(configs: Iterable[PipelineConfig]) -> list[str]:
    """The folders that have to be watched: those that are there, without those inside another."""
    found = sorted({path for config in configs for path in _real(config) if Path(path).exists()})
    return [path for path in found if not any(path != other and Path(path).is_relative_to(other) for other in found)]


def _is_of_interest(_: Change, path: str) -> bool:
    return SKIPPED.isdisjoint(Path(path).parts)
