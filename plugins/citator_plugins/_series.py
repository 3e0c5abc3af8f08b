"""What series of numbered proposals have in common: the number in a file's name, and a head of `Name: value` lines."""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from citator.api import Declaration, Document, Place, Reading, StatusResolver, field_meaning, is_status
from citator.expressions import expression
from citator.files import walk

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAY = expression(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NAMED_MONTH = expression(rf"(?:\b(\d{{1,2}})[-\s])?\b({'|'.join(_MONTHS)})[a-z]*[-.,\s]+(\d{{4}})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a head, with the lines that go on with it: `name` in lower case with spaces, `line` counts from 1."""

    name: str
    text: str
    line: int


class Series(StatusResolver):
    """Reads proposals that have a file each, known by its name; a subclass knows the name and where the head is."""

    name: ClassVar[re.Pattern[str]]
    """What the path of a proposal's file matches somewhere, with the proposal's number as the group `number`."""

    def wants(self, path: str) -> bool:
        """Whether the file has the name of a proposal."""
        return self.name.search(path) is not None

    @classmethod
    def recognise(cls, root: Path) -> int:
        """How many files have the name of a proposal."""
        return sum(1 for _ in walk(root, lambda path: cls.name.search(path) is not None))

    @abstractmethod
    def parse(self, path: str, text: str) -> Reading:
        """The proposal that a file holds."""


def head(lines: Iterable[str], first: int = 1, mark: str = "") -> Iterator[Field]:
    """The fields of a block of lines, of which the first has the number `first`; `mark` is what each of them begins with."""
    field = re.compile(rf"(\s*){mark}(?:\*\*)?([A-Za-z][A-Za-z -]{{0,40}}?)(?:\*\*)?\s*:(?:\*\*)?(?:\s+(.*))?$")
    name, text, at, depth = "", "", 0, ""
    for number, line in enumerate(lines, first):
        found = field.match(line)
        if found and (not name or found[1] == depth):
            if name:
                yield Field(name, text, at)
            depth, name, text, at = found[1], found[2].lower().replace("-", " "), (found[3] or "").strip(), number
        else:
            text += "\n" + line.strip()
    if name:
        yield Field(name, text.rstrip(), at)


def yaml_head(lines: Iterable[str], first: int = 1) -> Iterator[Field]:
    """The top-level fields of a YAML mapping, told line by line, as far as a broken one goes; each item of a list is a line."""
    for field in head(lines, first):
        items = (re.sub(r"^-\s+", "", _without_comment(line)).strip("\"'") for line in field.text.split("\n"))
        yield Field(field.name, "\n".join(items), field.line)


def _without_comment(value: str) -> str:
    return re.sub(r"(?:^|\s+)#.*$", "", value).strip()


def block(lines: list[str], opening: str, closing: str) -> tuple[int, int]:
    """Where the lines of the first block begin and end (as in a slice); an empty one where there is no such block."""
    begin = next((n for n, line in enumerate(lines[:50]) if re.fullmatch(opening, line.strip())), None)
    if begin is None:
        return 0, 0
    end = next((n for n in range(begin + 1, len(lines)) if re.fullmatch(closing, lines[n].strip())), len(lines))
    return begin + 1, end


def reading(
    path: str, label: str, fields: Iterable[Field], place: Place = Place.HEADER, title: str = "", names: Iterable[str] = ()
) -> Reading:
    """One proposal with what its fields declare; `names` are more names by which others refer to it."""
    found = list(fields)
    first: dict[str, str] = {}
    for field in found:
        first.setdefault(field.name, field.text)
    created = first.get("created") or first.get("assigned") or first.get("creation date") or ""
    document = Document(
        path,
        title=" ".join((title or first.get("title", "")).split()).strip("\"'"),
        label=label,
        date=day(created),
        aliases=tuple(filter(None, names)),
    )
    declared = (f for f in found if is_status(f.name) or field_meaning(f.name)[0])
    return Reading((document,), tuple(Declaration(path, place, f.name, f.text, f.line) for f in declared))


def day(text: str) -> str:
    """The first date in a text as ISO 8601, to the day or the month; empty where there is none."""
    if found := _DAY.search(text):
        return found[0]
    if found := _NAMED_MONTH.search(text):
        month = f"{found[3]}-{_MONTHS.index(found[2].lower()[:3]) + 1:02d}"
        return f"{month}-{int(found[1]):02d}" if found[1] else month
    return ""
