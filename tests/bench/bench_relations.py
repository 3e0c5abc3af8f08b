"""How well relations and rejected approaches are read and recalled, over corpora of decision records.

python tests/bench/bench_relations.py options CORPORA TABLE          the options read, against a table made by hand
python tests/bench/bench_relations.py messages CORPORA TABLE FILE    messages near options; unrelated ones, JSON with `query`
python tests/bench/bench_relations.py successors CORPORA             all superseded records with a live end, by their titles
python tests/bench/bench_relations.py cost FOLDER                    both steps at 10,000 records, in milliseconds

CORPORA is a folder with a folder for each repository. TABLE of options: repository, file, lines of the chosen ones, lines of the
others, parted by tabs. TABLE of messages: repository, beginning of the file's name, line of the option, message.
"""

import json
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citator.pipeline import Pipeline

RECORDS = 10_000


def _lines(text: str) -> set[int]:
    return {int(number) for number in text.split(",") if number}


def options(corpora: Path, table: Path) -> None:
    """Precision and recall of "considered and not chosen", and how often a chosen one was taken for rejected."""
    from citator.files import decode
    from citator_plugins.adr.resolver import AdrResolver

    right = extra = missed = wrong = records = 0
    for row in table.read_text("utf-8").splitlines():
        repository, file, chosen, others = row.split("\t")
        read = AdrResolver(type="adr").parse(file, decode((corpora / repository / file).read_bytes()))
        found, wanted = {option.line for option in read.options if not option.chosen}, _lines(others)
        right, extra, missed = right + len(found & wanted), extra + len(found - wanted), missed + len(wanted - found)
        wrong, records = wrong + len(found & _lines(chosen)), records + 1
    print(f"{records} records, {right + missed} options not chosen: precision {right / (right + extra):.1%}, ", end="")
    print(f"recall {right / (right + missed):.1%}, chosen ones listed as rejected: {wrong}")


def opened(folder: Path, source: Path) -> "Pipeline":
    """A synced pipeline of one folder of decisions, those without a status being in force, as its own settings would say."""
    from citator.config import load_config
    from citator.pipeline import Pipeline
    from citator.plugins import Plugins

    status = {"type": "adr", "default_status": "live"}
    content = {"sources": [{"type": "adr", "path": str(source), "status": status}], "store": {"path": str(folder / "store")}}
    file = folder / "pipeline.yaml"
    file.write_text(json.dumps(content))
    pipeline = Pipeline(load_config(Plugins.load(), folder, folder, file), folder, folder)
    print(f"{source.name}: {pipeline.sync(lambda done, total: None)}", flush=True)
    return pipeline


def messages(corpora: Path, table: Path, unrelated: Path) -> None:
    """The share of the messages that bring their option, and of the unrelated ones that bring any."""
    asked: defaultdict[str, list[tuple[str, int, str]]] = defaultdict(list)
    for row in table.read_text("utf-8").splitlines():
        repository, file, line, message = row.split("\t")
        asked[repository].append((file, int(line), message))
    others = [json.loads(line)["query"] for line in unrelated.read_text("utf-8").splitlines()][::2][:400]
    found = wrong = total = 0
    for repository, wanted in asked.items():
        with tempfile.TemporaryDirectory() as folder:
            pipeline = opened(Path(folder), corpora / repository)
            for file, line, message in wanted:
                shown = [hit.record.description for hit in pipeline.recall(message).hits if hit.part == "rejected"]
                hit = any(Path(said.partition(":")[0]).name.startswith(file) and f":{line}" in said for said in shown)
                found, total = found + hit, total + 1
                if not hit:
                    print(f"  missed {file}:{line} {message}")
            brought = sum(any(hit.part == "rejected" for hit in pipeline.recall(text).hits) for text in others)
            print(f"{repository}: {brought} of {len(others)} unrelated messages bring one", flush=True)
            wrong = max(wrong, brought)
    print(
        f"{found} of {total} messages bring their option ({found / total:.1%}); at most {wrong} of {len(others)} others bring any"
    )


def successors(corpora: Path) -> None:
    """How many superseded records with a live end in the folder hand that over when they are asked for by title."""
    handed = recalled = total = 0
    for source in sorted(path for path in corpora.iterdir() if path.is_dir()):
        with tempfile.TemporaryDirectory() as folder:
            pipeline = opened(Path(folder), source)
            standings = next(iter(pipeline.indexes.values())).standings()
            for document, verdict in standings.entries():
                ends = {end.path for end in verdict.current if end.path}
                if verdict.status == "superseded" and ends:
                    shown = {hit.record.id for hit in pipeline.recall(f"how about this: {document.title}").hits}
                    total, recalled, handed = total + 1, recalled + (document.path in shown), handed + (ends <= shown)
                    if not ends <= shown:
                        print(f"  without its live end: {document.path}, {'' if document.path in shown else 'not '}recalled")
    print(f"{handed} of {total} superseded records brought the live end of their chain; {recalled} were recalled themselves")


DECISION = """# {number}. {title}

Status: {status}

Relates to [the one before]({before:05}-record.md)

## Considered Options

* {title}
* {other}

## Decision Outcome

Chosen option: "{title}", because it is what we know.
"""


def cost(folder: Path) -> None:
    """What both steps take of a message; the first call only makes the records in the folder, which takes minutes."""
    from random import Random

    words = "worker queue invoice order shop price table index cache deploy test build render session token import stream".split()
    chance = Random(7)
    source = folder / "decisions"
    made = source.is_dir()
    source.mkdir(parents=True, exist_ok=True)
    for number in range(1, 0 if made else RECORDS + 1):
        title, other = (" ".join(chance.choices(words, k=4)) for _ in range(2))
        text = DECISION.format(
            number=number, title=title, status="accepted", other=f"{other} {number}", before=max(1, number - 1)
        )
        (source / f"{number:05}-record.md").write_text(text)
    pipeline = opened(folder, source)
    took: defaultdict[str, list[float]] = defaultdict(list)
    for asked in range(60 if made else 0):
        recall = pipeline.recall(" ".join(chance.choices(words, k=6)))
        for step, milliseconds in recall.milliseconds.items() if asked >= 10 else ():
            took[step].append(milliseconds)
    for step, times in took.items():
        late = sorted(times)[len(times) * 95 // 100]
        print(f"{step}: median {statistics.median(times):.2f} ms, 95th percentile {late:.2f} ms")


if __name__ == "__main__":
    name, *given = sys.argv[1:]
    {"options": options, "messages": messages, "successors": successors, "cost": cost}[name](*map(Path, given))
