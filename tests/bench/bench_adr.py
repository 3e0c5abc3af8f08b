"""What reading decision records costs, as ratios within one run, and what other tools make of the same folders.

.venv/bin/python tests/bench/bench_adr.py cost
.venv/bin/python tests/bench/bench_adr.py compare TOOLS      prints the table of docs/adr-comparison.md

TOOLS is a folder with what is compared, each part of it optional:

    adr-tools/usr/bin/adr    the unpacked Debian package, with its `adr_bin_dir` set to where it was unpacked
    log4brains/              `npm install @log4brains/core` was run in it
    adr-viewer/, pyadr/      virtual environments with these packages
"""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter

CHECKOUT = Path(__file__).parents[2]
SHARED = CHECKOUT.parent / "shared" / "adr"
CITATOR = Path(sys.executable).with_name("citator")
WORDS = "queue worker store retry batch schema index token cache deploy region tenant replaces billing".split()


def made(folder: Path, count: int) -> Path:
    """Made records, always the same ones: every tenth is superseded by the next."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    text = "\n\n".join(" ".join(chance.choices(WORDS, k=60)) + "." for _ in range(12))
    for n in range(1, count + 1):
        status = "Proposed" if n % 17 == 0 else "Accepted"
        if n % 10 == 0 and n < count:
            status = f"Superseded by [ADR-{n + 1:04}]({n + 1:04}-topic.md)"
        elif n % 10 == 1 and n > 1:
            status = f"Accepted\n\nSupersedes [ADR-{n - 1:04}]({n - 1:04}-topic.md)"
        page = f"# {n}. Topic {n}\n\nDate: 2026-01-02\n\n## Status\n\n{status}\n\n## Context\n\n{text}\n"
        (folder / f"{n:04}-topic.md").write_text(page)
    return folder


def fastest(*command: object, runs: int = 7) -> float:
    """Seconds of the fastest of some runs of a whole process."""
    times = []
    for _ in range(runs):
        start = perf_counter()
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)
        times.append(perf_counter() - start)
    return min(times)


def cost() -> None:
    """Prints what a listing costs, with nothing kept and with what the last one kept."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CACHE_HOME"] = f"{scratch}/cache"
        folders = {count: made(Path(scratch) / str(count), count) for count in (191, 1000, 10_000)}
        bare = fastest(sys.executable, "-c", "pass", runs=20)
        print(f"python -c pass                            {1000 * bare:7.0f} ms")
        first = {}
        for count, folder in folders.items():
            first[count] = fastest(CITATOR, "adr", "list", "--verify", folder, runs=7 if count < 10_000 else 2)
            again = fastest(CITATOR, "adr", "list", folder)
            print(
                f"list of {count:6} records, every file read   {1000 * first[count]:7.0f} ms = {first[count] / bare:5.1f} × bare"
            )
            print(f"list of {count:6} records, again             {1000 * again:7.0f} ms = {again / bare:5.1f} × bare")
        each = [(first[count] - first[191]) / (count - 191) for count in (1000, 10_000)]
        ratio = each[1] / each[0]
        print(f"each record more, to 1,000 and to 10,000   {1e6 * each[0]:6.0f} and {1e6 * each[1]:.0f} µs = {ratio:.2f} ×")
        program = (
            "import sys, time; from pathlib import Path\n"
            "from citator.keeping import kept; from citator.project import worktree_of\n"
            "asked = f' {worktree_of(Path())}'; start = time.perf_counter(); found = kept(Path(sys.argv[1]), asked)\n"
            "print(time.perf_counter() - start); assert found"
        )
        times = []
        for _ in range(7):
            done = subprocess.run([sys.executable, "-c", program, folders[10_000]], check=True, capture_output=True, text=True)
            times.append(float(done.stdout))
        print(f"check of 10,000 unchanged records          {1000 * min(times):6.0f} ms")
        if (peps := SHARED / "corpora" / "python__peps").is_dir():
            print(f"list of 736 PEPs, every file read         {1000 * fastest(CITATOR, 'adr', 'list', '--verify', peps):7.0f} ms")


Shown = Mapping[str, str]
"""The name of each file that a tool takes for a record, and its status in the tool's own word."""


def citator(folder: Path) -> Shown:
    """The whole process, nothing kept."""
    done = run(CITATOR, "adr", "list", "--verify", "--json", folder)
    return {Path(row["path"]).name: row["status"] for row in json.loads(done)}


def adr_tools(tools: Path) -> Callable[[Path], Shown]:
    """adr-tools lists files; it tells no status."""

    def shown(folder: Path) -> Shown:
        (folder / ".adr-dir").write_text(".\n")
        done = run(tools / "adr-tools" / "usr" / "bin" / "adr", "list", cwd=folder)
        return {Path(line).name: "" for line in done.splitlines() if line.endswith(".md")}

    return shown


def log4brains(tools: Path) -> Callable[[Path], Shown]:
    """log4brains' core, which its preview and its sites are made from."""
    program = (
        'const { Log4brains } = require("@log4brains/core");\n'
        "Log4brains.create(process.argv[1]).searchAdrs().then((found) => console.log(JSON.stringify("
        "found.map((adr) => [adr.file.relativePath, adr.status]))));"
    )

    def shown(folder: Path) -> Shown:
        (folder / ".log4brains.yml").write_text("project:\n  name: x\n  tz: UTC\n  adrFolder: .\n")
        found = json.loads(run("node", "-e", program, folder, cwd=tools / "log4brains"))
        return {Path(path).name: status for path, status in found}

    return shown


def adr_viewer(tools: Path) -> Callable[[Path], Shown]:
    """adr-viewer's own reader of a file, for every Markdown file of the folder."""
    program = (
        "import json, pathlib, sys; from adr_viewer.parse import parse_adr\n"
        "found = {file.name: parse_adr(file.read_text('utf-8', 'replace')) for file in pathlib.Path(sys.argv[1]).glob('*.md')}\n"
        "print(json.dumps({name: adr.status for name, adr in found.items() if adr}))"
    )

    def shown(folder: Path) -> Shown:
        found: Shown = json.loads(run(tools / "adr-viewer" / "bin" / "python", "-W", "ignore", "-c", program, folder))
        return found

    return shown


def pyadr(tools: Path) -> Callable[[Path], Shown]:
    """The sections of the table of contents that pyadr writes."""

    def shown(folder: Path) -> Shown:
        (folder / ".adr").write_text("[adr]\nrecords-dir = .\n")
        run(tools / "pyadr" / "bin" / "pyadr", "toc", cwd=folder)
        found, section = {}, ""
        for line in (folder / "index.md").read_text("utf-8").splitlines():
            section = line[3:].partition(" ")[0].lower() if line.startswith("## ") else section
            if link := re.search(r"\]\(([^)]+)\)", line):
                found[Path(link[1]).name] = section
        return found

    return shown


def run(*command: object, cwd: Path | None = None) -> str:
    """The output of a command."""
    return subprocess.run([*map(str, command)], cwd=cwd, check=True, capture_output=True, text=True).stdout


def truth(corpus: str) -> dict[str, dict[str, str]]:
    """What is known of each record, by its path."""
    csv.field_size_limit(10**7)
    with (SHARED / "truth" / f"{corpus}.tsv").open(encoding="utf-8") as stream:
        return {row["path"]: row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)}


def compare(tools: Path) -> None:
    """Prints a row for each tool: records found, wrongly shown as accepted, time."""
    compared = {"citator": citator}
    for name, make in {"adr-tools": adr_tools, "log4brains": log4brains, "adr-viewer": adr_viewer, "pyadr": pyadr}.items():
        if (tools / name).is_dir():
            compared[name] = make(tools)
    totals = {name: [0, 0, 0, 0, 0.0] for name in compared}
    known = 0
    with tempfile.TemporaryDirectory() as scratch:
        for corpus in sorted(file.stem for file in (SHARED / "truth").glob("*.tsv") if file.stem != "python__peps"):
            for place, records in by_folder(truth(corpus)).items():
                known += len(records)
                for name, shown in compared.items():
                    folder = Path(scratch) / name / corpus / place
                    shutil.copytree(SHARED / "corpora" / corpus / place, folder, symlinks=True, dirs_exist_ok=True)
                    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
                    if name == "log4brains":
                        commit(folder)
                    note(totals[name], records, shown, folder)
    print(f"| | records found, of {known} | status told | not in force, shown as accepted | seconds |\n|---|---|---|---|---|")
    for name, (found, told, wrong, failed, seconds) in totals.items():
        remark = f" (failed on {failed} folders)" if failed else ""
        print(f"| {name} | {found}{remark} | {told} | {wrong if told else 'tells none'} | {seconds:.1f} |")


def by_folder(rows: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Mapping[str, str]]]:
    """The records of each folder by their file names, since only citator goes into the folders of a folder."""
    folders: dict[str, dict[str, Mapping[str, str]]] = {}
    for path, row in rows.items():
        folders.setdefault(str(Path(path).parent), {})[Path(path).name] = row
    return folders


def commit(folder: Path) -> None:
    """log4brains takes authors and dates from git."""
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def note(total: list[float], records: Mapping[str, Mapping[str, str]], shown: Callable[[Path], Shown], folder: Path) -> None:
    """Adds what a tool makes of one folder."""
    start = perf_counter()
    try:
        found = shown(folder)
    except (subprocess.CalledProcessError, ValueError, OSError):
        total[3] += 1
        return
    finally:
        total[4] += perf_counter() - start
    for name, row in records.items():
        if name in found:
            right = {row["effective_status"], *row["also_right"].split(",")}
            total[0] += 1
            total[1] += found[name] not in ("", "unknown", "records")
            total[2] += found[name] in ("accepted", "live") and "live" not in right


if __name__ == "__main__":
    if sys.argv[1:2] == ["compare"] and len(sys.argv) == 3:
        compare(Path(sys.argv[2]).resolve())
    elif sys.argv[1:] == ["cost"]:
        cost()
    else:
        sys.exit(__doc__)
