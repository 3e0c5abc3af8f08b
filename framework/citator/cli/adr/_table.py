"""How records are written on the command line."""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citator.cli._common import print_json
from citator.text import inert

if TYPE_CHECKING:
    from citator.cli.adr._folders import Entry
    from citator.records import Successor, Verdict


def print_entries(found: Sequence["Entry"], args: argparse.Namespace) -> None:
    """Prints the records as JSON or as a table for each folder."""
    if args.json:
        from citator.standings import row

        print_json([row(entry.document, entry.verdict) for entry in found])
        return
    folders = {entry.folder.root: entry.folder for entry in found}
    for root, folder in folders.items():
        if len(folders) > 1:
            print(f"{folder.shown('')}:")
        _print_table([entry for entry in found if entry.folder.root == root])


def totals(found: Sequence["Entry"]) -> str:
    """How many records there are, how many of them are not current, and how many hold in part."""
    statuses = Counter(entry.verdict.status.value for entry in found)
    partly = statuses.pop("partially superseded", 0)
    stale = sum(statuses.values()) - statuses["live"]
    return f"{len(found)} record{'s' if len(found) != 1 else ''}, {stale} not current, {partly} partly"


def standing(verdict: "Verdict") -> str:
    """The effective status with what replaced the record, in one line."""
    text = verdict.status.value + (" (by default)" if verdict.by_default else "")
    if verdict.successors:
        text += f" → {', '.join(map(named, verdict.successors))}"
    declared = {(s.path, s.external) for s in verdict.successors}
    ends = [s for s in verdict.current if (s.path, s.external) not in declared]
    return text + (f" (now {', '.join(map(named, ends))})" if ends else "")


def named(successor: "Successor") -> str:
    """A successor's short name; one in another repository is named with it."""
    name = inert(successor.label or successor.path or successor.title or successor.external)
    if successor.external and successor.label:
        name += f" of {inert(successor.repository)}"
    return f"{name} (missing)" if successor.missing else name


def _print_table(found: Sequence["Entry"]) -> None:
    rows = [("ID", "DATE", "STATUS", "AMENDED", "TITLE")]
    for entry in found:
        amended = len(entry.verdict.amended_by)
        cells = entry.document.label, entry.document.date, standing(entry.verdict), str(amended or ""), entry.document.title
        rows.append((inert(cells[0]), *cells[1:4], inert(cells[4])))
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    # No column takes more than forty places from the titles; a longer value stands out of it.
    widths = [min(40, max(map(len, column))) for column in columns[:-1]] + [0]
    for cells in zip(*columns, strict=True):
        print("  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip())
