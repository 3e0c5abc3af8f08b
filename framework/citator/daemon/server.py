"""The daemon's outside: one socket, one worker thread, and the reasons to end."""

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from citator import client
from citator.daemon.checks import described, installation, newer, peer
from citator.errors import CitatorError, DaemonError
from citator.runtime import Request

if TYPE_CHECKING:
    from citator.daemon.service import Service
    from citator.daemon.syncs import Syncs

IDLE_SECONDS = 30 * 60.0
RESTART = "citator was changed on disk"
REQUEST_BYTES = 16 * 2**20
"""The most that is read of one request; an agent's longest event is a few hundred kilobytes."""

REQUEST_SECONDS = 5.0
QUIET_SECONDS = 15 * 60.0
"""After which nobody minds that the store is put in good shape, during which no message can be answered."""

STUCK_SECONDS = 60.0
"""How long one answer may take before the process counts as broken; loading a model is no answer."""

TICK_SECONDS = 0.25
BUSY_TICK_SECONDS = 0.02
BUSY_SECONDS = 5.0
"""How often it is asked whether another process waits for the store: often while our own sync runs, or one waited just now."""

CHECK_SECONDS = 5.0

T = TypeVar("T")
log = logging.getLogger("citator")


class Server:
    """Answers requests one after the other, in one thread: a message is embedded fastest that way on a busy machine."""

    def __init__(self, path: str, lock: int, folder: str, idle: float) -> None:
        self._path, self._lock, self._folder, self._idle = path, lock, folder, idle
        self._socket = Path(f"{path}.sock")
        self._worker = ThreadPoolExecutor(1, "citator-worker")
        self._service: Service | None = None
        self._syncs: Syncs | None = None
        self._began = time.time()
        self._last = self._busy_since = time.monotonic()
        self._open = 0
        self._answered = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> str:
        """Serves until there is a reason to end, which it returns."""
        loop = asyncio.get_running_loop()
        self._end: asyncio.Future[str] = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._finish, f"signal {number.name}")
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.truncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)
        listener = self._listen()
        server = await asyncio.start_unix_server(self._connected, sock=listener, limit=REQUEST_BYTES)
        self._own = self._socket.stat()
        for work in (self._load(), self._check(), self._share()):
            self._spawn(work)
        reason = await self._end
        # Nobody is to find a daemon that ends; whoever has found it gets an answer.
        if self._is_own_socket():
            self._socket.unlink()
        server.close()
        if self._service:  # else the lock tells clients that starting it again is of no use
            os.truncate(self._lock, 0)
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                while self._open:
                    await asyncio.sleep(0.01)
        for task in self._tasks:
            task.cancel()
        if self._syncs:
            await self._syncs.close()
        if self._service:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._work(self._service.close), 2)
        return reason

    def _listen(self) -> socket.socket:
        self._socket.unlink(missing_ok=True)  # of a daemon that was killed: we have its lock
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self._socket))
        self._socket.chmod(0o600)
        listener.listen(512)
        return listener

    def _finish(self, reason: str) -> None:
        if not self._end.done():
            self._end.set_result(reason)

    def _spawn(self, work: "asyncio._CoroutineLike[None]") -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("unexpected: %s", described(error))
            self._finish(f"unexpected: {type(error).__name__}")

    async def _work(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    async def _when_loaded(self, call: Callable[[], T]) -> T:
        from citator.daemon.holding import LoadingError

        while True:
            try:
                return await self._work(call)
            except LoadingError as error:
                await asyncio.to_thread(wait, [error.loading], CHECK_SECONDS)
                self._busy_since = time.monotonic()

    async def _load(self) -> None:
        def load() -> "Service":
            from citator.daemon.service import Service

            return Service()

        begin = time.monotonic()
        gc.disable()  # nothing that is imported is ever garbage; looking for it takes an eighth of the start
        service = await self._work(load)
        gc.freeze()  # before there are pipelines, which are let go some day
        from citator.daemon.syncs import Syncs

        async def warm(folder: Path, environment: Mapping[str, str]) -> None:
            await self._when_loaded(lambda: service.warm(folder, environment))

        await warm(Path(self._folder), {key: os.environ[key] for key in client.PASSED_ON if key in os.environ})
        gc.enable()
        self._service, self._syncs = service, Syncs(service.holding, self._is_quiet, warm)
        log.info("ready after %.1f s", time.monotonic() - begin)
        os.utime(self._lock, (0, 0))  # tells clients that this one came up
        await self._syncs.run()

    def _is_quiet(self) -> bool:
        return time.monotonic() - self._last > QUIET_SECONDS

    async def _check(self) -> None:
        """Ends a daemon that is not needed, cannot be reached, or is not what is installed any more."""
        before = installation()
        seen = before
        while True:
            await asyncio.sleep(min(CHECK_SECONDS, self._idle / 4))
            now, past = time.monotonic(), installation()
            if past != before and past == seen:  # the change is complete
                self._finish(RESTART)
            seen = past
            if not self._is_own_socket():
                self._finish("the socket is gone")
            busy = self._open or (self._syncs and self._syncs.running)
            if not busy and now - self._last > self._idle:
                self._finish("idle")
            if self._service and self._open and now - self._busy_since > STUCK_SECONDS:
                log.error("an answer takes more than %g s; ending by force", STUCK_SECONDS)
                os._exit(1)
            if self._service and not self._open:
                await self._work(self._service.holding.refresh)

    async def _share(self) -> None:
        """Lets other processes have the stores for a moment when they wait for them."""
        busy_until = 0.0
        while True:
            busy = time.monotonic() < busy_until or (self._syncs and self._syncs.running)
            await asyncio.sleep(BUSY_TICK_SECONDS if busy else TICK_SECONDS)
            if self._service and self._service.holding.wanted():
                await self._work(self._service.holding.take_turns)
                busy_until = time.monotonic() + BUSY_SECONDS

    def _is_own_socket(self) -> bool:
        try:
            return os.path.samestat(self._socket.stat(), self._own) and os.path.samestat(
                Path(f"{self._path}.lock").stat(), os.fstat(self._lock)
            )
        except OSError:
            return False

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        if self._open == 1:
            self._busy_since = time.monotonic()
        try:
            answer = await self._answered_to(reader, writer)
            if answer is not None:
                writer.write(answer)
                await writer.drain()
        except (OSError, ValueError) as error:
            log.info("a request failed: %s", type(error).__name__)
        finally:
            self._open -= 1
            self._answered += 1
            self._busy_since = time.monotonic()
            writer.close()

    async def _answered_to(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        if peer(writer.get_extra_info("socket")) != os.getuid():
            return None
        async with asyncio.timeout(REQUEST_SECONDS):
            sent = await read_all(reader)
        try:
            request = Request.parse(sent)
            if newer(request.version):
                self._finish(f"a client of version {request.version[:20]} came")
                return b"!\n"
            content = await self._content(request)
        except (CitatorError, ValueError) as error:
            return b"-%b\n" % " ".join(str(error).split()).encode("utf-8", "replace")
        except Exception as error:
            log.error("unexpected: %s", described(error))
            return b"-unexpected: %b\n" % type(error).__name__.encode()
        return b"+%d\n%b" % (len(content), content)

    async def _content(self, request: Request) -> bytes:
        if request.verb == "status":
            return json.dumps(self._status()).encode()
        if request.verb == "stop":
            self._finish("asked to")
            return json.dumps({"pid": os.getpid()}).encode()
        if request.verb not in ("event", "recall", "project"):
            raise DaemonError(f"cannot {request.verb[:20]!r}; there are: event, recall, project, status, stop")
        self._last = time.monotonic()
        while self._service is None:
            if request.verb == "event":
                raise DaemonError("the daemon is loading")
            await asyncio.sleep(0.05)
        answer = getattr(self._service, request.verb)
        work = self._work if request.verb == "event" else self._when_loaded
        return cast(bytes, await work(lambda: answer(request)))

    def _status(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "version": version("citator"),
            "python": sys.executable,
            "socket": str(self._socket),
            "began": self._began,
            "idle": round(time.monotonic() - self._last, 1),
            "answered": self._answered,
            "ready": self._service is not None,
            **(self._service.status() if self._service else {}),
            **({"sync": self._syncs.status()} if self._syncs else {}),
        }


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """All that is sent until its end; raises ValueError where that is too much."""
    parts, size = [], 0
    while part := await reader.read(2**16):
        size += len(part)
        if size > REQUEST_BYTES:
            raise ValueError(f"a request has more than {REQUEST_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)
