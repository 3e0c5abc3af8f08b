"""A new record in a folder's own form: its name after the last one's, its text from the folder's template or the usual head."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath
from posixpath import basename, dirname, join

from citator.errors import CitatorError
from citator.expressions import expression
from citator.files import decode, place
from citator.records import Place
from citator.relations import is_status
from citator.standings import Standings
from citator.status import StatusResolver
from citator.vocabulary import word_table

_NUMBERED = expression(r"(?P<before>.*?)(?P<number>\d{1,6})(?P<between>[-_ .]+)(?P<slug>.+)")
_DATED = expression(r"(?P<number>\d{4}-\d{2}-\d{2}|\d{8})(?P<between>[-_])(?P<slug>.+)")
_LONGEST = 160
"""Bytes of a file's name beside its number and ending: file systems take 255 in all."""
_STATUS = {
    Place.FRONT_MATTER: "---\nstatus: {status}\ndate: {date}\n---\n\n# {heading}\n",
    Place.HEADER: "# {heading}\n\n* Status: {status}\n* Date: {date}\n",
    Place.SECTION: "# {heading}\n\nDate: {date}\n\n## Status\n\n{status}\n",
}
_SECTIONS = "\n## Context\n\n\n## Decision\n\n\n## Consequences\n"


def draft(root: Path, resolver: StatusResolver, standings: Standings, title: str, status: str, date: str) -> tuple[str, str]:
    """The path below the folder and the text of a new record, which the status rule reads as having that status."""
    if not _words(title):
        raise CitatorError(f"{title!r} has no letter or digit to name a file by; say in a few words what is decided")
    word, _ = word_table(tuple(sorted(resolver.words.items())))
    if not word.fullmatch(status):
        raise CitatorError(f"{status!r} would not be read as a status; use a word such as proposed or accepted")
    path, number = _path(root, standings, title, date)
    status = _cased(standings, status)
    if not resolver.wants(path):
        raise CitatorError(f"{root}: records of this form are begun where they are numbered, not here")
    for text in _texts(root, standings, path, title, number, status, date):
        declared = [d for d in resolver.parse(path, text).declarations if is_status(d.field)]
        declared = [d for d in declared if d.place in _STATUS]
        if declared and all(d.text.casefold() == status.casefold() for d in declared):
            return path, text
    raise CitatorError(
        f"{status!r} would not be read as a status there; correct the folder's template, or write the record by hand"
    )


def _cased(standings: Standings, status: str) -> str:
    """The status with a capital where most records of the folder begin theirs so."""
    first = [d.text[:1] for d in standings.reading.declarations if is_status(d.field) and d.text[:1].isalpha()]
    capital = 2 * sum(map(str.isupper, first)) > len(first)
    return status[:1].upper() + status[1:] if capital else status


def _path(root: Path, standings: Standings, title: str, date: str) -> tuple[str, str]:
    """The path of the next record, and its number as the folder writes it (empty where records are named by their date)."""
    files = [document.file for document in standings.reading.documents]
    home = Counter(dirname(file) for file in files).most_common(1)[0][0] if files else ""
    named = {file: basename(file) for file in files if dirname(file) == home}
    ending = Counter(name.rpartition(".")[2] for name in named.values()).most_common(1)[0][0] if named else "md"
    dated = [found for name in named.values() if (found := _DATED.match(name))]
    if named and len(dated) * 2 > len(named):
        day = date if "-" in dated[-1]["number"] else date.replace("-", "")
        return join(home, f"{day}{dated[-1]['between']}{_slug(title, dated[-1]['slug'])}.{ending}"), ""
    numbered = [found for name in named.values() if (found := _NUMBERED.fullmatch(name.rpartition(".")[0]))]
    last = max(numbered, key=lambda found: int(found["number"])) if numbered else None
    before, wide = (last["before"], len(last["number"])) if last else ("", 4)
    taken = _taken(root / home, before, ending)
    number = str(max([*taken, int(last["number"]) if last else 0]) + 1).zfill(wide)
    if last is None:
        return join(home, f"{number}-{_slug(title, '')}.{ending}"), number
    return join(home, f"{last['before']}{number}{last['between']}{_slug(title, last['slug'])}.{ending}"), number


def _slug(title: str, like: str) -> str:
    words, mark = _words(title), "_" if "_" in like and "-" not in like else "-"
    while len(words) > 1 and len(mark.join(words).encode()) > _LONGEST:
        words.pop()
    slug = mark.join(words).encode()[:_LONGEST].decode(errors="ignore")
    return slug if like[:1].isupper() else slug.lower()


def _words(title: str) -> list[str]:
    """The words of a title that a file can be named by; the signs that vowels have in some scripts belong to them."""
    text = unicodedata.normalize("NFKC", title)
    words = "".join(char if char == "_" or unicodedata.category(char)[0] in "LNM" else " " for char in text).split()
    return words if any(map(str.isalnum, text)) else []


def _taken(folder: Path, before: str, ending: str) -> list[int]:
    """The numbers that files of a folder have, those too that are read for no record."""
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    numbered = expression(rf"{re.escape(before)}(\d{{1,6}})(?!\d).*\.{re.escape(ending)}")
    return [int(found[1]) for name in names if not _DATED.match(name) and (found := numbered.fullmatch(name))]


def _texts(root: Path, standings: Standings, path: str, title: str, number: str, status: str, date: str) -> Iterator[str]:
    """The folder's template filled in, then the usual head with the status where most records of the folder have it."""
    heading = _heading(root, standings, title, number)
    records = {place(root, document.file) for document in standings.reading.documents}
    for template in _templates(root / dirname(path)):
        if template in records or template.suffix != PurePath(path).suffix:
            continue
        yield _filled(decode(template.read_bytes()), heading, status, date)
    places = Counter(d.place for d in standings.reading.declarations if is_status(d.field) and d.place in _STATUS)
    best = places.most_common(1)[0][0] if places else Place.SECTION
    for where in dict.fromkeys((best, Place.SECTION)):
        yield _marked(_STATUS[where].format(heading=heading, status=status, date=date) + _SECTIONS, PurePath(path).suffix)


def _marked(text: str, ending: str) -> str:
    """A text whose headings are Markdown's, with those of the file's own format."""
    if ending in (".adoc", ".asciidoc"):
        return re.sub(r"^(#+) ", lambda found: "=" * len(found[1]) + " ", text, flags=re.MULTILINE)
    if ending == ".rst":
        return re.sub(
            r"^(#+) (.+)$", lambda found: f"{found[2]}\n{'=-'[len(found[1]) - 1] * len(found[2])}", text, flags=re.MULTILINE
        )
    return text


def _templates(folder: Path) -> list[Path]:
    places = (folder, folder / "templates", folder / "template")
    return sorted(file for place in places if place.is_dir() for file in place.iterdir() if _is_template(file))


def _is_template(file: Path) -> bool:
    return "template" in file.stem.lower() and file.is_file()


def _filled(template: str, heading: str, status: str, date: str) -> str:
    """A template with the title, the status and the date in their places, with the placeholders of adr-tools too."""
    text = re.sub(r"^([#=]) .*$", lambda found: f"{found[1]} {heading}", template, count=1, flags=re.MULTILINE)
    text = text.replace("STATUS", status).replace("DATE", date)
    text = re.sub(r"^(\W*status\W*?:[*\s]*)(\S.*)$", lambda m: m[1] + status, text, count=1, flags=re.MULTILINE | re.IGNORECASE)
    text = re.sub(
        r"^([#=]{2,}\s+status\s*\n\s*)(\S.*)$", lambda m: m[1] + status, text, count=1, flags=re.MULTILINE | re.IGNORECASE
    )
    return re.sub(r"^(\W*date\W*?:[*\s]*)(\S.*)$", lambda m: m[1] + date, text, count=1, flags=re.MULTILINE | re.IGNORECASE)


def _heading(root: Path, standings: Standings, title: str, number: str) -> str:
    """The heading of the last numbered record with the new number and title in it."""
    for document in reversed(standings.reading.documents):
        try:
            found = re.search(r"^[#=] (.+)$", decode(place(root, document.file).read_bytes()), re.MULTILINE)
        except (OSError, ValueError):
            continue
        if found and document.title and found[1].endswith(document.title):
            before = found[1].removesuffix(document.title)
            wide = re.search(r"\d+", before)
            digits = number.lstrip("0").zfill(len(wide[0]) if wide and wide[0][0] == "0" else 1)
            return re.sub(r"\d+", digits, before, count=1) + title
    return title
