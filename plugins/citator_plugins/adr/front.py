"""Front matter, read line by line, since much of what is found in the wild is no valid YAML; TOML and JSON in the same way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citator.api import Relation, field_meaning, is_status
from citator.expressions import expression

_KEY = expression(r"(\s*(?:-\s+)?)([\"']?)([A-Za-z\u00c0-\uffff][\w .-]{0,60}?)\2\s*(?::(?:\s+(.*)|)|=\s*(.*))$")
_ITEM = expression(r"\s*-\s+(.*)$")
_BLOCK = expression(r"[>|][+-]?\d?")
_OBJECT = expression(r"\{([^{}]*)\}")
_PAIR = expression(r"[\"']?([A-Za-z][\w-]*)[\"']?\s*:\s*(\"[^\"]*\"|'[^']*'|[^,]+)")
_TARGET = expression(r"id|adr|ref|reference|path|file|target|to|href|url|link|number|record|decision|value|name", re.I)
"""What an object calls the record that it names."""
_KIND = expression(r"type|kind|rel|relation|relationship", re.I)


@dataclass(frozen=True, slots=True)
class Value:
    """One value, or one item of a list, under a key in lower case with spaces; `line` is the key's."""

    key: str
    text: str
    line: int
    nested: bool = False


def front_matter(lines: list[str]) -> list[Value]:
    """The values of a front matter whose lines, marks included, begin a file; a nested status only where no other is."""
    found = [value for value in _Reader().read(lines) if value.text]
    own = any(is_status(value.key) and not value.nested for value in found)
    return [value for value in found if not (own and value.nested and is_status(value.key))]


class _Reader:
    """Reads down the lines; an object in a list stands for the record that it names, and whatever else it says is about that."""

    def __init__(self) -> None:
        self.open = Value("", "", 0)
        self.texts: list[str] = []
        self.depth = 0
        self.kind = self.target = ""
        self.item = 0
        self.named = False

    def read(self, lines: list[str]) -> Iterator[Value]:
        for n, line in enumerate(lines):
            match = _KEY.match(line)
            if match and not self.open.key:
                self.depth = len(match[1])
            if match and ("-" in match[1] or len(match[1]) < self.item):
                self.item, self.named = len(match[1]) if "-" in match[1] else 0, False
            if match and len(match[1]) <= self.depth:
                yield from self._closed()
                self._begin(match[3], match[4] or match[5] or "", n + 1, nested=False)
            elif match and _telling(match[3]) and not self.named:
                yield from self._closed()
                self._begin(match[3], match[4] or match[5] or "", n + 1, nested=True)
            elif match and (_KIND.fullmatch(match[3]) or _TARGET.fullmatch(match[3])):
                yield from self._object(match, n + 1)
            elif match or not self.open.key:
                continue
            elif item := _ITEM.match(line):
                self.texts.append(_scalar(item[1]))
            elif line[:1] in (" ", "\t") and line.strip():
                self.texts[-1:] = [f"{self.texts[-1]} {_scalar(line)}" if self.texts else _scalar(line)]
        yield from self._closed()

    def _begin(self, key: str, text: str, line: int, nested: bool) -> None:
        self.open, value = Value(_name(key), "", line, nested), _scalar(text)
        self.texts = [value] if value and not _BLOCK.fullmatch(value) else []

    def _closed(self) -> Iterator[Value]:
        for text in self.texts:
            yield from _parted(replace(self.open, text=text))
        self.texts, self.kind, self.target = [], "", ""

    def _object(self, match: re.Match[str], line: int) -> Iterator[Value]:
        """One pair of an object: its target is the value of the key above, or of the relation that its type names."""
        if "-" in match[1]:
            self.kind = self.target = ""
        name, text = match[3], _scalar(match[4] or match[5] or "")
        self.named = self.named or bool(self.item and _TARGET.fullmatch(name) and text)
        if field_meaning(self.open.key)[0] not in (None, Relation.CONNECTS) or is_status(self.open.key):
            if _TARGET.fullmatch(name) and text:
                self.texts.append(text)
            return
        self.kind, self.target = (_name(text), self.target) if _KIND.fullmatch(name) else (self.kind, self.target or text)
        if self.target and _telling(self.kind):
            yield Value(self.kind, self.target, line, nested=True)
            self.kind = self.target = ""


def _telling(key: str) -> bool:
    """Whether a key within another one says something of the record's standing."""
    name = _name(key)
    return is_status(name) or field_meaning(name)[0] in (Relation.ENDED_BY, Relation.ENDS, Relation.CHANGED_BY, Relation.CHANGES)


def _parted(value: Value) -> Iterator[Value]:
    """A value with its objects, `{id: ADR-5, title: …}`, as the records that they name, and the relations in those."""
    found: list[Value] = []

    def named(match: re.Match[str]) -> str:
        pairs = {key.lower(): _scalar(text) for key, text in _PAIR.findall(match[1])}
        target = next((text for key, text in pairs.items() if _TARGET.fullmatch(key)), None)
        if not (target and field_meaning(value.key)[0]):
            found.extend(Value(_name(key), text, value.line, nested=True) for key, text in pairs.items() if _telling(key))
        kind = next((text for key, text in pairs.items() if _KIND.fullmatch(key)), "")
        if target and kind and _telling(kind):
            found.append(Value(_name(kind), target, value.line, nested=True))
        return target or match[0]

    yield replace(value, text=_OBJECT.sub(named, value.text) if "{" in value.text else value.text)
    yield from found


def _name(key: str) -> str:
    return re.sub(r"[_-]", " ", key.lower())


def _scalar(value: str) -> str:
    """A value without its quotes, its comment, or the comma behind it."""
    value = value.strip()
    if value[:1] in ("'", '"'):
        closing = value.rfind(value[0], 1)
        return value[1:closing] if closing > 0 else value[1:]
    value = re.sub(r"(?:^|\s)#(?!\d).*$", "", value).strip() if "#" in value else value
    return value.removesuffix(",")
