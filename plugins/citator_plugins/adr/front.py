"""Front matter, read line by line, since much of what is found in the wild is no valid YAML."""

import re
from dataclasses import dataclass

_KEY = re.compile(r"([\"']?)([A-Za-z\u00c0-\uffff][\w .-]{0,60}?)\1\s*[:=](?:\s+(.*)|)$")
_ITEM = re.compile(r"\s*-\s+(.*)$")
_BLOCK = re.compile(r"[>|][+-]?\d?")


@dataclass(frozen=True, slots=True)
class Value:
    """One value, or one item of a list, under a key in lower case with spaces; `line` is the key's."""

    key: str
    text: str
    line: int


def front_matter(lines: list[str]) -> list[Value]:
    """The values of a front matter whose lines, marks included, begin a file."""
    found: list[Value] = []
    key, at = "", 0
    values: list[str] = []
    for n, line in enumerate(lines):
        if match := _KEY.match(line):
            found += [Value(key, value, at) for value in values]
            key, at = re.sub(r"[_-]", " ", match[2].lower()), n + 1
            value = _scalar(match[3] or "")
            values = [value] if value and not _BLOCK.fullmatch(value) else []
        elif key and (match := _ITEM.match(line)):
            values.append(_scalar(match[1]))
        elif key and line[:1] in (" ", "\t") and line.strip():
            values[-1:] = [f"{values[-1]} {_scalar(line)}" if values else _scalar(line)]
    return [value for value in (*found, *(Value(key, value, at) for value in values)) if value.text]


def _scalar(value: str) -> str:
    """A value without its quotes or its comment."""
    value = value.strip()
    if value[:1] in ("'", '"'):
        closing = value.rfind(value[0], 1)
        return value[1:closing] if closing > 0 else value[1:]
    return re.sub(r"(?:^|\s)#(?!\d).*$", "", value).strip() if "#" in value else value
