"""citator adr list|show: the decision index on the command line, without a store or a model."""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import add_json, add_verbose, notice, print_json
from citator.errors import CitatorError

if TYPE_CHECKING:
    from citator.index import DecisionIndex
    from citator.plugins import Plugins
    from citator.records import Document, Successor, Verdict


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the commands below `citator adr`."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="every record with its standing")
    listing.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="default: those found in this project")
    listing.set_defaults(run=run_list)
    showing = commands.add_parser("show", help="one record with its standing on top")
    showing.add_argument("id", help="as people write it: 46, ADR-46, a slug, a path")
    showing.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="default: those found in this project")
    showing.set_defaults(run=run_show)
    for command in (listing, showing):
        command.add_argument("--dialect", metavar="NAME", help="how the records are written (default: told from the folder)")
        add_json(command)
        add_verbose(command)


def run_list(args: argparse.Namespace) -> int:
    """Prints a table or an array of objects, then the totals."""
    from citator.index import row

    indexes = _indexes(args.folders, args.dialect)
    found = [(index, path) for index in indexes for path in index.verdicts()]
    for index in indexes:
        notice(f"{index.root}/{problem}" for problem in index.problems())
    if args.json:
        print_json([row(index.documents()[path], index.verdicts()[path]) for index, path in found])
        return 0
    for index in indexes:
        if len(indexes) > 1:
            print(f"{index.root}:")
        _table(index)
    statuses = Counter(index.verdicts()[path].status.value for index, path in found)
    stale = sum(count for status, count in statuses.items() if status not in ("live", "partially superseded"))
    print(f"{len(found)} records, {stale} not current, {statuses['partially superseded']} partly")
    return 0


def run_show(args: argparse.Namespace) -> int:
    """Prints the effective status and what replaced the record, then the record."""
    from citator.index import row

    index, document = _find(args.id, _indexes(args.folders, args.dialect))
    verdict = index.verdicts()[document.path]
    if args.json:
        print_json(row(document, verdict))
        return 0
    print(f"{document.label}  {document.title}")
    print(f"status: {verdict.status}{' (by default)' if verdict.by_default else ''}")
    for name, successors in (("superseded by", verdict.successors), ("current", verdict.current), ("amended by", verdict.amended_by)):
        for successor in successors:
            print(f"{name}: {_named(successor)}")
    if verdict.declared:
        print(f"declared: {verdict.declared} ({verdict.evidence})")
    for warning in verdict.warnings:
        print(f"warning: {warning}")
    file = index.root / document.path.partition("#")[0]
    print(f"file: {file}\n")
    print(file.read_text("utf-8", "replace"), end="")
    return 0


def _indexes(folders: Sequence[Path], dialect: str | None) -> list["DecisionIndex"]:
    """The index of each folder, or of those that are found in this project."""
    from citator.errors import SourceError
    from citator.index import DecisionIndex
    from citator.plugins import Plugins

    plugins = Plugins.load()
    if not folders:
        from citator.project import worktree_of

        here = worktree_of(Path())
        folders = [here / str(found.options["path"]) for found in plugins.get("source", "adr").discover(here)]
        if not folders:
            raise SourceError(f"{here}: no folder of decision records was found; name one: citator adr list FOLDER")
    made = []
    for folder in folders:
        name = dialect or _recognised(plugins, folder)
        made.append(DecisionIndex(folder, plugins.get("status resolver", name)(type=name)))
    return made


def _recognised(plugins: "Plugins", folder: Path) -> str:
    """The dialect that takes most of the files for its records; `adr` where none takes any."""
    counts = {name: plugins.get("status resolver", name).recognise(folder) for name in plugins.names("status resolver")}
    best = max(counts, key=lambda name: counts[name], default="adr")
    return best if counts.get(best) else "adr"


def _find(name: str, indexes: Iterable["DecisionIndex"]) -> tuple["DecisionIndex", "Document"]:
    wanted = name.strip().lower()
    number = wanted.rpartition("-")[2].lstrip("0")
    exact: list[tuple[DecisionIndex, Document]] = []
    loose: list[tuple[DecisionIndex, Document]] = []
    for index in indexes:
        for path, document in index.documents().items():
            names = {path.lower(), document.label.lower(), *(alias.lower() for alias in document.aliases)}
            if wanted in names or any(path.lower().endswith("/" + wanted) for path in (path,)):
                exact.append((index, document))
            elif number.isdigit() and number in {alias.lstrip("0") for alias in document.aliases}:
                loose.append((index, document))
    found = exact or loose
    if not found:
        raise CitatorError(f"no record has the id {name!r}; citator adr list shows them")
    if len(found) > 1:
        raise CitatorError(f"{name!r} may be any of: {', '.join(document.path for _, document in found)}; name its path")
    return found[0]


def _table(index: "DecisionIndex") -> None:
    documents = index.documents()
    rows = [(documents[path], verdict) for path, verdict in index.verdicts().items()]
    width = max((len(document.label) for document, _ in rows), default=0)
    for document, verdict in rows:
        print(f"{document.label:{width}}  {document.date:10}  {_standing(verdict)}  {document.title}".rstrip())


def _standing(verdict: "Verdict") -> str:
    text = verdict.status.value + (" (by default)" if verdict.by_default else "")
    if verdict.successors:
        text += f" → {', '.join(_named(successor) for successor in verdict.successors)}"
    if verdict.amended_by:
        text += f", {len(verdict.amended_by)} amendments" if len(verdict.amended_by) > 1 else ", 1 amendment"
    return text


def _named(successor: "Successor") -> str:
    return successor.label or successor.path or successor.title or successor.external
