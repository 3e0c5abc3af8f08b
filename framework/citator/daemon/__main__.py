"""The daemon's process, as a client starts it: `python -m citator.daemon PATH`, with the lock PATH.lock on descriptor 3."""

import argparse
import asyncio
import fcntl
import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from citator import client
from citator.daemon.server import IDLE_SECONDS, RESTART, Server
from citator.runtime import log_file

LOCK = 3
LOG_BYTES = 2**20


def main() -> int:
    """Serves until there is a reason to end; with a new version of citator it goes on as that."""
    parser = argparse.ArgumentParser(prog="python -m citator.daemon")
    parser.add_argument("path", help="the daemon's files, without their endings")
    parser.add_argument("folder", help="the folder in which it is needed first")
    parser.add_argument("--idle", type=float, default=IDLE_SECONDS, metavar="SECONDS", help="end after so long without a request")
    args = parser.parse_args()
    if not _has_lock(args.path):
        print("citator: this is the daemon's own process; say: citator daemon start", file=sys.stderr)  # noqa: T201
        return 2
    os.environ[client.GUARD] = "1"
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a second core that is busy costs a message its time
    os.umask(0o077)
    log = _log()
    log.info("process %d begins, version %s", os.getpid(), client.VERSION)
    server = Server(args.path, LOCK, args.folder, args.idle)
    reason = asyncio.run(server.run())
    log.info("process %d ends: %s", os.getpid(), reason)
    if reason == RESTART:
        os.set_inheritable(LOCK, True)
        os.execv(sys.executable, [sys.executable, "-E", "-P", "-m", "citator.daemon", *sys.argv[1:]])  # noqa: S606
    # Threads may still be in a library's call; there is nothing left to lose.
    logging.shutdown()
    os._exit(0)


def _has_lock(path: str) -> bool:
    try:
        same = os.path.samestat(os.fstat(LOCK), Path(f"{path}.lock").stat())
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(LOCK, False)
    except OSError:
        return False
    return same


def _log() -> logging.Logger:
    """The daemon's own log: private and rotated; what cannot be written is dropped."""
    logging.raiseExceptions = False
    log = logging.getLogger("citator")
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        log_file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(log_file(), maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
    except OSError:
        log.addHandler(logging.NullHandler())
    return log


if __name__ == "__main__":
    sys.exit(main())
