"""Changes to records: shown as a diff, and made when they are agreed to."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citator.cli._common import notice
from citator.cli.adr._folders import Folder
from citator.errors import CitatorError
from citator.records import Status

if TYPE_CHECKING:
    from citator.sheets import Sheet


def mend(folders: Sequence[Folder], args: argparse.Namespace) -> int:
    """Adds to each record that only its successor calls superseded what it lacks; 1 where something is left to do by hand."""
    changed: list[tuple[Path, Sheet]] = []
    problems: list[str] = []
    for folder in folders:
        for path in _one_sided(folder):
            try:
                changed.append((folder.root, _pointer(folder, path)))
            except CitatorError as error:
                problems.append(str(error))
    notice(problems)
    if not changed:
        print("nothing can be mended mechanically")
        return int(bool(problems))
    return 0 if apply(changed, args.yes) and not problems else 1


def _one_sided(folder: Folder) -> list[str]:
    from citator.lint import check
    from citator.records import Trouble

    found = check(folder.root, folder.standings, folder.resolver.words)
    return [finding.record for finding in found if finding.trouble is Trouble.ONE_SIDED]


def _pointer(folder: Folder, path: str) -> "Sheet":
    """What a superseded record lacks."""
    from citator.editing import Editor

    verdict = folder.standings.verdicts[path]
    if verdict.status is not Status.SUPERSEDED or len(verdict.successors) != 1:
        raise CitatorError(f"{folder.file(path)}: is replaced in part or by several records; write it by hand")
    documents = folder.standings.documents
    return Editor(folder.root, folder.resolver, folder.standings).pointer(documents[path], documents[verdict.successors[0].path])


def apply(changed: Sequence[tuple[Path, "Sheet"]], yes: bool) -> bool:
    """Shows the changes and makes them if that is agreed to; false where it is not."""
    for _, sheet in changed:
        print(sheet.diff(), end="")
    if not yes:
        if not sys.stdin.isatty():
            notice(["nothing is changed; --yes makes these changes"])
            return False
        if input("Make these changes? [y/N] ").strip().lower() not in ("y", "yes"):
            return False
    for root, sheet in changed:
        write(root / sheet.path, sheet.after)
    return True


def write(file: Path, text: str) -> None:
    """Writes a file whole or not at all; a link stays one."""
    file = file.resolve()
    scratch = file.with_name(f".{file.name}.citator")
    try:
        scratch.write_bytes(text.encode())
        if file.exists():
            scratch.chmod(file.stat().st_mode)
        scratch.replace(file)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise CitatorError(f"{file}: cannot be written ({error.strerror}); check the permissions") from error
