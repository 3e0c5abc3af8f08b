"""What syncing, recalling and reading decisions cost, as ratios within one run.

.venv/bin/python tests/bench/bench.py            all of it, some ten minutes on two cores
.venv/bin/python tests/bench/bench.py index      one of: index, incremental, recall, decisions, size
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citator.pipeline import Pipeline

CHECKOUT = Path(__file__).parents[2]
PHOENIX = CHECKOUT.parent / "shared" / "adr" / "corpora" / "kamp-us__phoenix"
WORDS = (
    "worker queue invoice order shop price table index cache deploy migration test build render page session token user login "
    "import export file stream batch retry timeout lock transaction replica schema column report mail provider server client"
).split()


def notes(folder: Path, count: int, sentences: int) -> None:
    """Made notes of about the given number of sentences, always the same ones."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(7)
    for number in range(count):
        lines = [
            " ".join(chance.choices(WORDS, k=chance.randint(6, 18))).capitalize() + "."
            for _ in range(chance.randint(max(1, sentences // 2), sentences * 3 // 2))
        ]
        (folder / f"note-{number:05}.md").write_text(
            f"# Note {number} on {' '.join(chance.choices(WORDS, k=3))}\n\n" + " ".join(lines)
        )


def pipeline_file(folder: Path, source: Path, embedding: object = "minilm") -> Path:
    """A pipeline of one Markdown folder with its store in `folder`."""
    file = folder / "pipeline.yaml"
    content = {
        "sources": [{"type": "markdown", "path": str(source)}],
        "embedding": embedding,
        "store": {"type": "edge", "path": str(folder / "store")},
    }
    file.write_text(json.dumps(content))
    return file


def opened(folder: Path, source: Path, *, indexing: bool, embedding: object = "minilm") -> "Pipeline":
    """That pipeline with all its files in `folder`, its model loaded."""
    from citator.config import load_config
    from citator.pipeline import Pipeline
    from citator.plugins import Plugins

    config = load_config(Plugins.load(), folder, folder, pipeline_file(folder, source, embedding))
    pipeline = Pipeline(config, folder, folder, indexing=indexing)
    _ = pipeline.model
    return pipeline


def silent(done: int, total: int) -> None:
    """No progress is shown."""


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def index(folder: Path) -> None:
    """Pieces per second of a sync against the bare encoder on the same texts: by torch, and by the default."""
    from citator.pieces import PieceSplitter, document
    from citator.sources import Problems

    for name, embedding in (("torch", {"type": "huggingface", "model": "minilm"}), ("default", "minilm")):
        place = folder / name
        notes(place / "notes", 600, 14)
        pipeline = opened(place, place / "notes", indexing=True, embedding=embedding)
        model = pipeline.model
        splitter = PieceSplitter(model.window, model.count_tokens)
        [source] = pipeline.config.sources
        texts = [n.text for r in source.load(Problems()) for n in splitter.split(document(r, "s", ""))]
        if name == "torch":
            encode = partial(model.embed._model.encode, batch_size=32, normalize_embeddings=True)  # type: ignore[attr-defined]
        else:
            encode = model.embed.get_text_embedding_batch
        encode(texts[:64])
        bare = timed(partial(encode, texts))
        ours = timed(partial(pipeline.sync, silent))
        bare = (bare + timed(partial(encode, texts))) / 2
        speeds = f"sync {len(texts) / ours:.1f}/s, encoder alone {len(texts) / bare:.1f}/s"
        print(f"index by {name}: {len(texts)} pieces; {speeds}; ratio {bare / ours:.2f}")


def incremental(folder: Path) -> None:
    """A sync with 1 of 2,000 notes changed against the first."""
    notes(folder / "notes", 2000, 6)
    pipeline = opened(folder, folder / "notes", indexing=True)
    first = timed(lambda: pipeline.sync(silent))
    changed = []
    for number in range(3):
        (folder / "notes" / "note-00042.md").write_text(f"# Another note\n\nThe lock is taken {number} times.\n")
        changed.append(timed(lambda: pipeline.sync(silent)))
    unchanged = timed(lambda: pipeline.sync(silent))
    one = statistics.median(changed)
    print(f"incremental: first {first:.1f} s, one changed {one:.2f} s (1/{first / one:.0f}), none changed {unchanged:.2f} s")


def recall(folder: Path) -> None:
    """What a message costs in a warm process besides its embedding."""
    for count in (1000, 10000):
        place = folder / str(count)
        notes(place / "notes", count, 2)
        pipeline = opened(place, place / "notes", indexing=True)
        pipeline.sync(silent)
        chance = random.Random(1)
        messages = ["how does the " + " ".join(chance.choices(WORDS, k=5)) for _ in range(60)]
        with pipeline.store:
            times = [pipeline.recall(message).milliseconds for message in messages][5:]
        embedding = [steps["embedding"] for steps in times]
        rest = [sum(steps.values()) - steps["embedding"] for steps in times]
        print(
            f"recall: {count} records; besides the embedding {statistics.median(rest):.1f} ms (median), {max(rest):.1f} (most); "
            f"embedding {statistics.median(embedding):.1f} ms"
        )
        alone = [pipeline.recall(message).milliseconds["search"] for message in messages[:10]]
        print(f"        where the store is opened for each message: search {statistics.median(alone):.1f} ms")


def decisions(folder: Path) -> None:
    """A folder of 320 decision records, cold to verdicts."""
    if not PHOENIX.is_dir():
        print("decisions: skipped, the corpora are not beside the checkout")
        return
    code = (
        "import time; from pathlib import Path; from citator.plugins import Plugins; from citator.index import DecisionIndex\n"
        "resolver = Plugins.load().get('status resolver', 'adr')(type='adr')\n"
        f"start = time.perf_counter(); verdicts = DecisionIndex(Path({str(PHOENIX)!r}), resolver).verdicts()\n"
        "print(len(verdicts), 1000 * (time.perf_counter() - start))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() for _ in range(5)
    ]
    cold = statistics.median(float(run[1]) for run in runs)
    print(f"decisions: {runs[0][0]} records, cold {cold:.0f} ms at the median of 5 processes")


def size(folder: Path) -> None:
    """Disk and peak memory of the installed commands."""
    venv = Path(sys.prefix)
    used = sum(f.lstat().st_size for f in venv.rglob("*") if f.is_file() and not f.is_symlink())
    print(f"size: venv {used / 2**20:.0f} MiB")
    notes(folder / "notes", 300, 10)
    file = pipeline_file(folder, folder / "notes")
    for words in (["sync"], ["recall", "how does the queue lock a row"]):
        command = [str(venv / "bin" / "citator"), *words, "--config", str(file), "--project", str(folder)]
        pid = os.posix_spawn(command[0], command, {**os.environ, "HOME": str(folder)})
        _, status, usage = os.wait4(pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        print(f"size: citator {words[0]} peak memory {usage.ru_maxrss / 1024:.0f} MiB, {seconds:.1f} s of processor")
        if status:
            raise SystemExit(f"{command} failed")


MEASURES = {measure.__name__: measure for measure in (index, incremental, recall, decisions, size)}

if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the daemon
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name in sys.argv[1:] or MEASURES:
        with tempfile.TemporaryDirectory(prefix="citator-bench-") as scratch:
            MEASURES[name](Path(scratch))
