"""citator adr find."""

import argparse
import unicodedata
from contextlib import suppress
from pathlib import Path

from citator.cli._common import add_json
from citator.cli.adr._folders import Entry, entries, open_folders
from citator.cli.adr._table import print_entries


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `citator adr find`."""
    parser.add_argument("words", nargs="+", metavar="WORDS", help="all of them have to be in the record, in any case and order")
    parser.add_argument(
        "--in", dest="folders", action="append", default=[], type=Path, metavar="FOLDER", help="default: those found"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the records that hold all words: those with most of them in the title first, then by how often the text has them."""
    words = _folded(" ".join(args.words)).split()
    ranked = [(rank, n, entry) for n, entry in enumerate(entries(open_folders(args))) if (rank := _rank(entry, words))]
    print_entries([entry for *_, entry in sorted(ranked, key=lambda found: (found[0], found[1]))], args)
    return 0 if ranked else 1


def _rank(entry: Entry, words: list[str]) -> tuple[int, int] | None:
    title = _folded(f"{entry.document.label} {entry.document.title}")
    text = "" if entry.document.anchor else _folded(_text(entry))
    if not all(word in title or word in text for word in words):
        return None
    return -sum(word in title for word in words), -sum(text.count(word) for word in words)


def _text(entry: Entry) -> str:
    from citator.files import content, decode

    with suppress(OSError, ValueError):
        return decode(content(entry.folder.root, entry.document.file))
    return ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
