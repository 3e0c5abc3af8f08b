"""The process that brings the store up to date for the daemon: orders are lines on standard input, results on standard output.

It is a process of its own because torch's number of threads belongs to a whole process. It ends as soon as its input does, which
the kernel sees to when the daemon ends, however that ends.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

NICE = 10
MUCH = 100
"""Records to do from which on this process steps back behind others; one note is to be found at once."""


def main() -> None:
    """Carries out orders until there are no more."""
    # What a library prints is no result.
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    orders: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    while True:
        print(json.dumps(_carried_out(json.loads(orders.get()))), file=results, flush=True)


def _read(orders: "SimpleQueue[str]") -> None:
    for line in sys.stdin:
        orders.put(line)
    os._exit(0)  # a sync may be ended anywhere: the next one mends it


def _carried_out(order: dict[str, Any]) -> dict[str, object]:
    from citator.daemon.holding import environment
    from citator.errors import CitatorError
    from citator.pipeline import Pipeline

    begin = time.monotonic()
    try:
        with environment(order["variables"]):
            pipeline = Pipeline.open(Path(order["folder"]), indexing=True)
        summary = pipeline.sync(_step_back, optimise=False)
        if order["quiet"]:
            pipeline.store.optimise()
    except CitatorError as error:
        return {"error": str(error)}
    except Exception as error:
        from citator.daemon.checks import described

        return {"error": f"unexpected: {described(error)}"}
    return {**summary.as_json(), "summary": str(summary), "seconds": round(time.monotonic() - begin, 2)}


def _step_back(done: int, total: int) -> None:
    if done == 0 and total > MUCH:
        os.nice(NICE)


if __name__ == "__main__":
    main()
