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

_NUMBERED = expression(r"(?P<before>.*?)(?P<number>\d{1,6})(?P<between>[-_ .]+)(?P<slug>.+)")
_DATED = expression(r"(?P<number>\d{4}-\d{2}-\d{2}|\d{8})(?P<between>[-_])(?P<slug>.+)")
_STATUS = {
    Place.FRONT_MATTER: "---\nstatus: {status}\ndate: {date}\n---\n\n# {heading}\n",
    Place.HEADER: "# {heading}\n\n* Status: {status}\n* Date: {date}\n",
    Place.SECTION: "# {heading}\n\nDate: {date}\n\n## Status\n\n{status}\n",
}
_SECTIONS = "\n## Context\n\n\n## Decision\n\n\n## Consequences\n"


def draft(root: Path, resolver: StatusResolver, standings: Standings, title: str, status: str, date: str) -> tuple[str, str]:
    """The path below the folder and the text of a new record, which the status rule reads as having that status."""
    path, number = _path(standings, title, date)
    status = _cased(standings, status)
    if not resolver.wants(path):
        raise CitatorError(f"{root}: records of this form are begun where they are numbered, not here")
    for text in _texts(root, standings, path, title, number, status, date):
        declared = [d for d in resolver.parse(path, text).declarations if is_status(d.field)]
        declared = [d for d in declared if d.place in _STATUS]
        if declared and all(d.text.casefold() == status.casefold() for d in declared):
            return path, text
    raise CitatorError(f"{status!r} would not be read as a status; use a word such as proposed or accepted")


def _cased(standings: Standings, status: str) -> str:
    """The status with a capital where most records of the folder begin theirs so."""
    first = [d.text[:1] for d in standings.reading.declarations if is_status(d.field) and d.text[:1].isalpha()]
    capital = 2 * sum(map(str.isupper, first)) > len(first)
    return status[:1].upper() + status[1:] if capital else status


def _path(standings: Standings, title: str, date: str) -> tuple[str, str]:
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
    if not numbered:
        return join(home, f"0001-{_slug(title, '')}.{ending}"), "0001"
    last = max(numbered, key=lambda found: int(found["number"]))
    number = str(int(last["number"]) + 1).zfill(len(last["number"]))
    return join(home, f"{last['before']}{number}{last['between']}{_slug(title, last['slug'])}.{ending}"), number


def _slug(title: str, like: str) -> str:
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", title))
    slug = ("_" if "_" in like and "-" not in like else "-").join(words)
    return slug if like[:1].isupper() else slug.lower()


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
