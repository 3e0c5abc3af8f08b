"""A file that is being changed, and the ways in which a status or a relation is written into it."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from pathlib import Path

from citator import frontmatter
from citator.errors import CitatorError
from citator.expressions import expression
from citator.files import content
from citator.records import Declaration, Place
from citator.relations import Relation, field_meaning, is_status
from citator.vocabulary import NOTHING

_DAY = r"\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d{1,2}\.\d{1,2}\.\d{4}"
DATE = expression(_DAY)
"""A day, as most histories write it."""
_DATED = expression(rf"(?P<gap>[\s,(\[:*_–—-]*(?:\b(?:on|since|am|seit|le|el)\s+)?)(?:{_DAY})(?P<end>[\s)\].*_]*)")


@dataclass(slots=True)
class Sheet:
    """A file that is being changed: its lines without their ends, numbered from 1 as declarations are."""

    path: str
    before: str
    lines: list[str] = field(init=False)
    ending: str = field(init=False)

    def __post_init__(self) -> None:
        self.ending = "\r\n" if "\r\n" in self.before else "\n"
        self.lines = self.before.split(self.ending)

    @classmethod
    def read(cls, root: Path, path: str) -> "Sheet":
        """The file at `path`; raises CitatorError for one that could not be written back as it was."""
        try:
            return cls(path, content(root, path).decode("utf-8"))
        except (OSError, ValueError) as error:
            raise CitatorError(f"{root / path}: cannot be changed here ({error}); change it by hand") from error

    @property
    def after(self) -> str:
        """The changed text."""
        return self.ending.join(self.lines)

    def replace(self, line: int, old: str, new: str) -> bool:
        """Puts `new` in place of `old` on one line; false where it does not stand there once."""
        if self.lines[line - 1].count(old) != 1:
            return False
        self.lines[line - 1] = self.lines[line - 1].replace(old, new)
        return True

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.replace("\r\n", "\n").splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}"))


@dataclass(frozen=True, slots=True)
class Fill:
    """Writes a value into a field that is there and empty."""

    declaration: Declaration
    value: str

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        at, old = self.declaration.line - 1, self.declaration.text
        line = sheet.lines[at]
        head, colon, tail = line.partition(":")
        if not colon or (old and old not in tail):
            return False
        sheet.lines[at] = f"{head}:{tail.replace(old, self.value, 1)}" if old else f"{line.rstrip()} {self.value}"
        return True


@dataclass(frozen=True, slots=True)
class FillRow:
    """Writes a value into a row of a table that is there for the relation, and empty."""

    relation: Relation
    value: str

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        for n, line in enumerate(sheet.lines):
            cells = line.split("|")
            if len(cells) == 4 and not cells[0].strip() and self._is_wanted(cells[1]) and NOTHING.fullmatch(cells[2].strip()):
                sheet.lines[n] = "|".join((cells[0], cells[1], f" {self.value} ", cells[3]))
                return True
        return False

    def _is_wanted(self, cell: str) -> bool:
        return field_meaning(cell.strip(" *_:").lower())[:2] == (self.relation, False)


@dataclass(frozen=True, slots=True)
class Extend:
    """Names one more record in a field that names some."""

    declaration: Declaration
    value: str

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        return sheet.replace(self.declaration.line, self.declaration.text, f"{self.declaration.text}, {self.value}")


@dataclass(frozen=True, slots=True)
class ExtendFront:
    """Names one more record under the key of the front matter that is there for the relation."""

    relation: Relation
    value: str

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        lines = frontmatter.extended(sheet.lines, self.wanted, self.value)
        sheet.lines = lines or sheet.lines
        return lines is not None

    def wanted(self, name: str) -> bool:
        """Whether a key is there for the relation."""
        return field_meaning(name) == (self.relation, False, False)


@dataclass(frozen=True, slots=True)
class Restate:
    """Writes another status wherever the record has it: in place of a bare one, as one more entry where there is a history."""

    statuses: Sequence[Declaration]
    text: str
    word: re.Pattern[str]

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        below = sorted(self.statuses, key=lambda status: status.line, reverse=True)
        return all(self._state(sheet, list(group)[::-1]) for _, group in groupby(below, key=lambda status: status.place))

    def _state(self, sheet: Sheet, said: Sequence[Declaration]) -> bool:
        first = said[0]
        old, line = first.text.split("\n")[0].strip(), sheet.lines[first.line - 1]
        if first.place is Place.FRONT_MATTER:
            new = frontmatter.replaced(line, first.text, self._for(old)) if len(said) == 1 and self._is_bare(old) else None
            sheet.lines[first.line - 1] = new or line
            return new is not None
        if len(said) > 1 or self._is_entry(line, old):
            return self._add(sheet, said)
        return self._is_bare(old) and sheet.replace(first.line, old, self._for(old))

    def _for(self, old: str) -> str:
        letter = next(filter(str.isalpha, old), "")
        return self.text[:1].upper() + self.text[1:] if letter.isupper() else self.text

    def _is_bare(self, text: str) -> bool:
        """Whether a value is a status and nothing more but a date."""
        word = self.word.fullmatch(_DATED.sub("", text, count=1).strip(" *_`.✅⌛⏳❌🟢🟡🔴⛔🚫📝🤔👍💡❓\ufe0f"))
        return word is not None

    def _is_entry(self, line: str, text: str) -> bool:
        """Whether a line is of a history: it begins with a date, or is a table's row with one."""
        cells = _cells(line)
        dated = any(DATE.fullmatch(cell.strip()) for cell in cells) and not any(is_status(cell.strip(" *_:")) for cell in cells)
        return dated or DATE.match(text.lstrip("*_([ ")) is not None

    def _add(self, sheet: Sheet, said: Sequence[Declaration]) -> bool:
        """Adds an entry in the form of the youngest one, which is the last unless the dates run the other way."""
        lines = [sheet.lines[status.line - 1] for status in said]
        days = [found[0] for found in map(DATE.search, lines) if found]
        falling = len(days) > 1 and days[0] > days[-1] and "-" in days[0]
        status = said[0] if falling else said[-1]
        entry = self._entry(sheet.lines[status.line - 1], status.text.split("\n")[0].strip())
        if entry is None:
            return False
        apart = [""] if len(said) > 1 and not sheet.lines[said[-1].line - 2].strip() else []
        at = status.line - 1 if falling else status.line + status.text.count("\n")
        sheet.lines[at:at] = [entry, *apart] if falling else [*apart, entry]
        return True

    def _entry(self, line: str, text: str) -> str | None:
        word = self.word.search(text)
        if word is None or line.count(text) != 1:
            return None
        before, after = text[: word.start()], _DATED.match(text, word.end())
        if re.search(r"\w", DATE.sub("", before)):
            return None
        end = f"{after['gap']}{_today(after[0])}{after['end']}" if after else ""
        value = DATE.sub(lambda found: _today(found[0]), before) + self._for(word[0]) + end.rstrip()
        head, _, tail = line.partition(text)
        if len(_cells(line)) < 2:
            return head + value + (tail if not re.search(r"\w", tail) else "")
        return "|".join((*map(_renewed, head.split("|")[:-1]), f" {value} ", *map(_renewed, tail.split("|")[1:])))


@dataclass(frozen=True, slots=True)
class Insert:
    """Writes a line of its own behind the status."""

    statuses: Sequence[Declaration]
    line: str
    apart: bool = False

    def __call__(self, sheet: Sheet) -> bool:
        """Writes it, and tells whether it could."""
        last = self.statuses[-1] if self.apart else self.statuses[0]
        at = last.line + last.text.count("\n")
        sheet.lines[at:at] = ["", self.line] if self.apart else [self.line]
        return True


Attempt = Fill | FillRow | Extend | ExtendFront | Restate | Insert


def _cells(line: str) -> list[str]:
    """The cells of a table's row; none of any other line."""
    return line.strip().strip("|").split("|") if line.lstrip().startswith("|") else []


def _renewed(cell: str) -> str:
    """A cell beside the status, for a new entry: with this day where it has one, else empty, but for the field's name."""
    if found := DATE.search(cell):
        return cell.replace(found[0], _today(found[0]))
    return cell if not cell.strip() or is_status(cell.strip(" *_:")) else " "


def _today(like: str) -> str:
    """Today, written as another one."""
    today = date.today()
    return today.strftime("%d.%m.%Y" if "." in like else "%Y/%m/%d" if "/" in like else "%Y-%m-%d")
