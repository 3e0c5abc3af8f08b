"""citator adr check."""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import print_json
from citator.cli.adr._folders import add_folders, open_folders
from citator.errors import SourceError
from citator.text import inert

if TYPE_CHECKING:
    from citator.lint import Finding

Found = Sequence[tuple[str, "Finding"]]
"""Findings, each with its file as it is reached from here."""


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr check`."""
    add_folders(parser)
    parser.add_argument("--strict", action="store_true", help="fail on warnings too, not on errors alone")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how findings are printed (default: text)")
    parser.add_argument(
        "--fix", action="store_true", help="show the changes that are mechanical as a diff, and ask before they are made"
    )
    parser.add_argument("--yes", action="store_true", help="with --fix: make the changes without asking")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the findings; 1 where there is an error, no record at all, or with `--strict` a warning."""
    from citator.lint import Level, check

    folders = open_folders(args, whole=args.fix)
    for folder in folders:
        if not folder.standings.verdicts:
            raise SourceError(f"{folder.root}: holds no decision record; correct the path")
    if args.fix:
        from citator.cli.adr._changes import mend

        return mend(folders, args)
    found = [
        (folder.shown(finding.path), finding)
        for folder in folders
        for finding in check(folder.root, folder.standings, folder.resolver.words)
    ]
    FORMATS[args.format](found)
    if args.format == "text":
        levels = Counter(finding.level for _, finding in found)
        records = sum(len(folder.standings.verdicts) for folder in folders)
        print(f"{_counted(records, 'record')}: " + ", ".join(_counted(levels[level], level) for level in Level))
    failing = (Level.ERROR, Level.WARNING) if args.strict else (Level.ERROR,)
    return int(any(finding.level in failing for _, finding in found))


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _text(found: Found) -> None:
    for file, finding in found:
        print(f"{inert(file)}:{finding.line}: {finding.level}: {inert(finding.text)} [{finding.trouble}]")


def _github(found: Found) -> None:
    """Workflow commands, which GitHub shows beside the line."""
    for file, finding in found:
        level = "notice" if finding.level == "note" else str(finding.level)
        place = f"file={_escaped(file, ':,')},line={finding.line},title={finding.trouble}"
        print(f"::{level} {place}::{_escaped(finding.text)}")


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(char):02X}" if char in "%\r\n" + more else char for char in text)


def _sarif(found: Found) -> None:
    """SARIF 2.1.0, which code scanning takes."""
    from importlib.metadata import version

    from citator.lint import LEVELS

    rules = [{"id": trouble.value, "defaultConfiguration": {"level": level.value}} for trouble, level in LEVELS.items()]
    results = [
        {
            "ruleId": finding.trouble.value,
            "level": finding.level.value,
            "message": {"text": finding.text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": Path(file).as_uri() if Path(file).is_absolute() else _uri(file)},
                        "region": {"startLine": finding.line},
                    }
                }
            ],
        }
        for file, finding in found
    ]
    driver = {"name": "citator", "version": version("citator"), "rules": rules}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    print(
        json.dumps({"$schema": schema, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}, indent=2)
    )


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(Path(file).as_posix())


def _json(found: Found) -> None:
    print_json(
        [
            {
                "file": file,
                "line": finding.line,
                "level": finding.level,
                "trouble": finding.trouble,
                "text": finding.text,
                "record": finding.record,
            }
            for file, finding in found
        ]
    )


FORMATS = {"text": _text, "github": _github, "sarif": _sarif, "json": _json}
