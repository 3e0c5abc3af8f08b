"""What is wrong or unclear in a folder of records: the rule's own warnings, the numbering, and what index files say."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from citator.expressions import expression
from citator.files import content, decode
from citator.records import Declaration, Document, Place, Status, Trouble, Verdict
from citator.relations import Relation
from citator.standings import Standings
from citator.wording import statements


class Level(StrEnum):
    """How much a finding matters, in SARIF's words: an error leaves a standing in doubt, a note may be how it has to be."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


LEVELS: Mapping[Trouble, Level] = {
    Trouble.CYCLE: Level.ERROR,
    Trouble.MISSING: Level.ERROR,
    Trouble.AMBIGUOUS: Level.ERROR,
    Trouble.DUPLICATE: Level.ERROR,
    Trouble.UNREADABLE: Level.ERROR,
    Trouble.DISAGREEMENT: Level.WARNING,
    Trouble.ONE_SIDED: Level.WARNING,
    Trouble.NOT_IN_FORCE: Level.WARNING,
    Trouble.NO_SUCCESSOR: Level.WARNING,
    Trouble.NO_STATUS: Level.WARNING,
    Trouble.UNKNOWN_STATUS: Level.WARNING,
    Trouble.FRONT_MATTER: Level.WARNING,
    Trouble.DRIFT: Level.WARNING,
    Trouble.DEAD_END: Level.NOTE,
    Trouble.GAP: Level.NOTE,
}


_FRONT = expression(r"\s*?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing to look at, in the file `path` below the folder; `line` counts from 1, `record` is the record's path."""

    path: str
    line: int
    trouble: Trouble
    text: str
    record: str = ""

    @property
    def level(self) -> Level:
        """How much it matters."""
        return LEVELS[self.trouble]


def check(root: Path, standings: Standings, words: Mapping[str, Status]) -> list[Finding]:
    """Every finding of a folder, in the order of files and lines."""
    found = [_unreadable(problem) for problem in standings.reading.problems]
    for document, verdict in standings.entries():
        found += _of_record(document, verdict)
    for file in dict.fromkeys(document.file for document, _ in standings.entries()):
        found += (Finding(file, line, Trouble.FRONT_MATTER, text) for line, text in _front_troubles(root, file))
    found += _numbering([document for document, _ in standings.entries()])
    found += _Indexes(root, standings, words).findings()
    return sorted(set(found))


def _unreadable(problem: str) -> Finding:
    path, _, text = problem.partition(": ")
    return Finding(path, 1, Trouble.UNREADABLE, text)


def _of_record(document: Document, verdict: Verdict) -> Iterator[Finding]:
    file = document.file
    name = document.label or document.path
    for caution in verdict.warnings:
        if caution.trouble is Trouble.UNREADABLE:
            continue  # the file has a finding of its own
        path, line = _place(caution.evidence or file)
        yield Finding(path, line, caution.trouble, f"{name}: {caution}", document.path)
    ended = verdict.status in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED)
    path, line = _place(verdict.evidence)
    if ended and verdict.evidence and path != file:
        by = ", ".join(s.label or s.path for s in verdict.successors)
        yield Finding(
            file,
            1,
            Trouble.ONE_SIDED,
            f"{name}: {verdict.status} by {by}, which says so at {verdict.evidence}; it does not",
            document.path,
        )


def _front_troubles(root: Path, file: str) -> Iterator[tuple[int, str]]:
    """What in a front matter other programs do not read, or read otherwise: where it is no YAML, and the keys given twice."""
    import yaml  # takes longer to load than most commands take

    try:
        front = _FRONT.match(decode(content(root, file)))
    except (OSError, ValueError):
        return  # which has a finding of its own
    if not front or not file.lower().endswith((".md", ".markdown", ".mdx")):
        return
    first = front[0][: front.start(1)].count("\n") + 1
    try:
        fields = yaml.compose(front[1], Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        yield first + line, f"the front matter is no valid YAML: {error.problem}; quote the value"
        return
    except (yaml.YAMLError, RecursionError) as error:
        yield first, f"the front matter is no valid YAML: {' '.join(str(error).split())}"
        return
    seen: dict[str, str] = {}
    for key, value in fields.value if isinstance(fields, yaml.MappingNode) else ():
        text = str(value.value) if isinstance(value, yaml.ScalarNode) else "…"
        if key.value in seen:
            yield first + key.start_mark.line, f"the front matter has {key.value!r} twice: {seen[key.value]!r} and {text!r}"
        if isinstance(key, yaml.ScalarNode):
            seen[key.value] = text


def _place(evidence: str) -> tuple[str, int]:
    path, _, line = evidence.rpartition(":")
    return (path, int(line)) if path and line.isdigit() else (evidence, 1)


def _numbering(documents: Iterable[Document]) -> Iterator[Finding]:
    """Numbers that two records of a folder share, and those that are left out where most are there."""
    series: defaultdict[tuple[str, str], defaultdict[int, list[Document]]] = defaultdict(lambda: defaultdict(list))
    for document in documents:
        if number := re.fullmatch(r"(.*?)[-\s]?0*(\d{1,5})", document.label):
            file = document.file
            folder = dirname(dirname(file) if re.search(r"/(?:readme|index)\.\w+$", file, re.IGNORECASE) else file)
            series[folder, number[1].casefold()][int(number[2])].append(document)
    for numbered in series.values():
        for same in numbered.values():
            for document in same[1:]:
                text = f"{document.label}: has the number of {same[0].path}"
                yield Finding(document.file, 1, Trouble.DUPLICATE, text, document.path)
        gaps = [number for number in range(min(numbered), max(numbered)) if number not in numbered]
        if gaps and len(gaps) < len(numbered):
            last = numbered[max(numbered)][0]
            text = f"{last.label}: before it there is no {', '.join(map(str, gaps))}"
            yield Finding(last.file, 1, Trouble.GAP, text, last.path)


_INDEX = expression(
    r"(?:0+-)?(?:readme|index|summary|toc|overview|(?:adr|decision)s?(?:[-_]?log)?)\.(?:md|markdown)", re.IGNORECASE
)
_LINK = expression(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^()\s<>]+)>?[^()]*\)")
_SIGNS = {
    "✅": "accepted",
    "🟢": "accepted",
    "🤔": "proposed",
    "❌": "rejected",
    "🔴": "rejected",
    "⌛": "superseded",
    "⏳": "superseded",
}


class _Indexes:
    """Index files decide nothing; this tells where they have drifted from the records."""

    def __init__(self, root: Path, standings: Standings, words: Mapping[str, Status]) -> None:
        self.root = root
        self.words = words
        self.entries = {document.path: (document, verdict) for document, verdict in standings.entries()}

    def findings(self) -> Iterator[Finding]:
        folders: defaultdict[str, set[str]] = defaultdict(set)
        for path, (document, _) in self.entries.items():
            folders[dirname(document.file)].add(path)
        for folder, records in sorted(folders.items()):
            for name in sorted(file.name for file in (self.root / folder).iterdir()):
                path = join(folder, name)
                if _INDEX.fullmatch(name) and path not in self.entries:
                    yield from self._of_index(path, records)

    def _of_index(self, path: str, records: set[str]) -> Iterator[Finding]:
        try:
            lines = decode((self.root / path).read_bytes()).split("\n")
        except (OSError, ValueError):
            return
        listed: set[str] = set()
        heading, column = "", -1
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                heading = line.strip("# ")
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.lstrip().startswith("|") else []
            column = next((n for n, cell in enumerate(cells) if cell.strip("*").lower() == "status"), column if cells else -1)
            link = _LINK.search(line)
            target = normpath(join(dirname(path), unquote(link[2]).partition("#")[0])) if link and "://" not in link[2] else ""
            if target in self.entries and re.match(r"\s*(?:[-*+|]|\d+\.)", line):
                listed.add(target)
                texts = [cells[column]] if 0 <= column < len(cells) else _beside(line, link, heading)
                yield from self._compare(path, number, target, texts)
            elif _is_beside(target, path) and not (self.root / target).exists():
                yield Finding(path, number, Trouble.DRIFT, f"lists {target}, which is not there")
        missing = sorted(records - listed)
        if missing and 2 * len(missing) <= len(records):
            names = ", ".join(self.entries[record][0].label or record for record in missing)
            yield Finding(path, 1, Trouble.DRIFT, f"does not list {names}")

    def _compare(self, path: str, line: int, target: str, texts: Iterable[str]) -> Iterator[Finding]:
        document, verdict = self.entries[target]
        said = next(filter(None, map(self._status, texts)), None)
        partly = verdict.status is Status.PARTIALLY_SUPERSEDED and said in (Status.LIVE, Status.SUPERSEDED)
        if said and said is not verdict.status and not partly:
            yield Finding(
                path, line, Trouble.DRIFT, f"says that {document.label} is {said}; the record is {verdict.status}", target
            )

    def _status(self, text: str) -> Status | None:
        """What a few words in an index say, by the rule's own reading of them."""
        for sign, word in _SIGNS.items():
            text = text.replace(sign, f" {word} ") if text.strip(" \ufe0f").endswith(sign) else text
        for statement in statements(Declaration("", Place.HEADER, "status", text, 1), self.words) if text.strip() else ():
            if statement.relation is Relation.ENDED_BY:
                return Status.PARTIALLY_SUPERSEDED if statement.partial else Status.SUPERSEDED
            if statement.status and statement.status is not Status.UNKNOWN:
                return statement.status
        return None


def _is_beside(target: str, path: str) -> bool:
    """Whether a link leads to what would be a record of the folder."""
    return dirname(target) == dirname(path) and bool(re.search(r"\d[^/]*\.(?:md|markdown|adoc|rst)$", target))


def _beside(line: str, link: "re.Match[str] | None", heading: str) -> list[str]:
    """Where a list says how a record stands: behind its link, in front of it, or in the heading above."""
    if link is None:
        return []
    return [line[link.end() :].strip(" -–—:()[]*_"), line[: link.start()].strip(" -+*|0123456789."), heading]
