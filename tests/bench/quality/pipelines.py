"""The tables that whole pipelines make, as a user meets them: synced, recalled and evaluated in this process."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import yaml
from asked import CACHE, SHARED, lines
from printing import head, mean, row
from trials import pep_records

from citator.config import load_config
from citator.evaluating import Case, Measures, evaluate
from citator.pipeline import Pipeline
from citator.plugins import Plugins
from citator.records import Part, Record, Status

WITH_SUPERSEDED = (
    "alphagov__gsp",
    "alphagov__govuk-aws",
    "apache__james-project",
    "JabRef__jabref",
    "ministryofjustice__cloud-platform",
    "thomvaill__log4brains",
)


def opened(name: str, content: Mapping[str, object]) -> Pipeline:
    """A synced pipeline with these keys besides the shipped ones."""
    project = CACHE / "projects" / name
    project.mkdir(parents=True, exist_ok=True)
    file = project / "pipeline.yaml"
    file.write_text(yaml.safe_dump(content))
    pipeline = Pipeline(load_config(Plugins.load(), project, project, file), project, CACHE / "data", indexing=True)
    pipeline.sync(lambda done, total: None)
    return pipeline


def written(name: str, records: list[Record]) -> Path:
    folder = CACHE / "records" / name
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        (folder / f"{record.id.replace('/', '-')}.md").write_text(f"# {record.title}\n\n{record.text}\n", encoding="utf-8")
    return folder


def user() -> None:
    """`citator eval` on the PEP records with the pipeline as shipped, beside other gates; the first run syncs for minutes."""
    source = {"type": "markdown", "path": str(written("peps", pep_records())), "kind": "decision"}
    cases = [
        Case(at, line["query"], tuple(f"{gold}.md" for gold in line["gold"]))  # type: ignore[arg-type]
        for at, line in enumerate(lines("pep-questions.en.jsonl"))
    ]
    cases += [Case(at, line["query"], ()) for at, line in enumerate(lines("unrelated.jsonl"))]
    head("gate", "r@1", "r@5", "kept", "handed a right record", "false injection", "bytes, median", "ms, p50", "ms, p95")
    for name, options in {"calibrated": {}, "margin": {"method": "margin"}, "off": {"method": "off"}}.items():
        pipeline = opened(name, {"sources": [source], "postprocessors": ["marks", {"type": "gate", **options}]})
        got = Measures.of(evaluate(pipeline, cases, print))
        shares = (got.recall_at_1, got.recall_at_5, got.kept, got.right, got.false_injection)
        row(name, *(f"{each:.3f}" for each in shares), got.bytes_median, *got.milliseconds.values())


def standing() -> None:
    """Messages that say the title of a superseded decision: is it handed over, and does its line say what replaced it?"""
    head("repository", "superseded decisions", "handed over", "marked where handed over", "with its successor named")
    for repository in WITH_SUPERSEDED:
        pipeline = opened(repository, {"sources": [{"type": "adr", "path": str(SHARED / "adr" / "corpora" / repository)}]})
        titles = {data["record"]: data["title"] for data in pipeline.store.records(pipeline.sources)}
        handed, marked, named = [], [], []
        for source in pipeline.sources:
            for record, verdict in (pipeline.verdicts(source) or {}).items():
                if verdict.status is Status.SUPERSEDED and record in titles:
                    hits = [hit for hit in pipeline.recall(titles[record]).hits if hit.record.id == record]
                    handed.append(bool(hits))
                    marked += ["superseded" in hit.mark for hit in hits]
                    named += ["→" in hit.mark for hit in hits if verdict.successors]
        row(repository, len(handed), mean(handed), mean(marked), mean(named))


def duplicates() -> None:
    """Every decision of a repository in three sources: how many lines on the same one a message brings that says its title."""
    folder = SHARED / "adr" / "corpora" / "alphagov__gsp"
    copies = [CACHE / "records" / name for name in ("copies", "notes")]
    for copy in copies:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
    sources = [{"type": "adr", "path": str(folder)}, *({"type": "markdown", "path": str(copy)} for copy in copies)]
    pipeline = opened("duplicates", {"sources": sources})
    titles = {Path(data["path"]).name: data["title"] for data in pipeline.store.records(pipeline.sources)}
    handed, twice = [], []
    for title in titles.values():
        names = [Path(hit.record.path).name for hit in pipeline.recall(title).hits if hit.part is Part.HEADLINE]
        handed.append(bool(names))
        if names:
            twice.append(len(names) > len(set(names)))
    head("messages", "bring something", "of these, with a decision twice")
    row(len(titles), mean(handed), mean(twice))
