"""Values written into the front matter of a file, so that it still can be read by those who read it strictly."""

import json
import re
import tomllib
from collections.abc import Callable, Sequence

from citator.expressions import expression
from citator.relations import field_meaning, is_status
from citator.vocabulary import NOTHING

_KEY = expression(r"(?P<head>\s*(?:\"[^\"]+\"|'[^']+'|[^\s\"'#\[{:=-][^:=]*?)\s*(?::(?=\s|$)|=)[ \t]*)(?P<value>.*)")
_VALUE = expression(
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|\[[^\[\]]*\]|[^#\"'\[{>|&*!%@`\s](?:[^#]|(?<=\S)#)*?|)(?P<rest>,?\s*(?:(?<=\s)#.*)?)"
)
_ITEM = expression(r"(?P<head>\s*-\s+)(?P<value>\S.*)")


def length(lines: Sequence[str]) -> int:
    """How many lines at the top are front matter with its marks."""
    mark = lines[0].strip() if lines else ""
    if mark not in ("---", "+++"):
        return 0
    return next((n + 1 for n, line in enumerate(lines) if n and line.strip() in (mark, "...")), 0)


def replaced(line: str, old: str, new: str) -> str | None:
    """The line of a key with another value, quoted where it has to be; None where it holds more than the old one."""
    if (key := _KEY.fullmatch(line)) is None or (found := _VALUE.fullmatch(key["value"])) is None or not found["value"]:
        return None
    value = found["value"]
    if value.strip("\"'") != old.strip():
        return None
    return key["head"] + _quoted_as(value, new) + found["rest"]


def extended(lines: Sequence[str], wanted: Callable[[str], bool], value: str) -> list[str] | None:
    """The lines with one more value under the first key that is `wanted`, in its form; None where that is not understood."""
    for n in range(1, length(lines) - 1):
        key = _KEY.fullmatch(lines[n])
        if key and wanted(_name(key["head"])):
            return _extended(lines, n, key, value)
    return None


def has(lines: Sequence[str], wanted: Callable[[str], bool]) -> bool:
    """Whether a key that is `wanted` stands in the front matter, be it empty."""
    return any((key := _KEY.fullmatch(line)) and wanted(_name(key["head"])) for line in lines[1 : max(length(lines) - 1, 1)])


def unharmed(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a front matter that could be read still can, and says the same but for status and relations."""
    old = _parsed(before)
    return old is None or old == _parsed(after)


def _extended(lines: Sequence[str], n: int, key: re.Match[str], value: str) -> list[str] | None:
    found = _VALUE.fullmatch(key["value"])
    if found is None:
        return None
    items: list[re.Match[str]] = []
    while (item := _ITEM.fullmatch(lines[n + 1 + len(items)])) and not found["value"]:
        items.append(item)
    if items:
        at = n + 1 + len(items)
        return [*lines[:at], items[-1]["head"] + _quoted_as(items[-1]["value"], value), *lines[at:]]
    if lines[n + 1][:1].isspace():
        return None  # the value goes on
    old, json_or_toml = found["value"], lines[0].strip() == "+++"
    if old.startswith("["):
        values = old[1:-1].strip().removesuffix(",").rstrip()
        last = values.rpartition(",")[2].strip()
        new = (
            f"[{values}, {_quoted_as(last, value, flow=True)}]"
            if values
            else f"[{_quoted_as(old if json_or_toml else '', value, flow=True)}]"
        )
    elif NOTHING.fullmatch(old.strip("\"'")):
        new = _quoted_as(old, value)
    elif "," in old:
        inner = old.strip("\"'")
        new = _quoted_as(old, f"{inner}, {value}")
    else:
        new = f"[{old}, {_quoted_as(old, value, flow=True)}]"
    head = key["head"] if key["head"][-1:].isspace() else key["head"] + " "
    return [*lines[:n], head + new + found["rest"], *lines[n + 1 :]]


def _quoted_as(like: str, value: str, flow: bool = False) -> str:
    """A value in the quotes of another one; a plain one in quotes where it would not be read as it is."""
    if like[:1] == '"':
        return json.dumps(value, ensure_ascii=False)
    if like[:1] == "'" or not _is_plain(value, flow):
        return "'" + value.replace("'", "''") + "'"
    return value


def _is_plain(value: str, flow: bool) -> bool:
    import yaml  # takes longer to load than most commands take

    try:
        return bool(yaml.load(f"[{value}]" if flow else f"- {value}", yaml.BaseLoader) == [value])  # noqa: S506 - makes nothing but strings, lists and mappings
    except yaml.YAMLError:
        return False


def _parsed(lines: Sequence[str]) -> object:
    """What a front matter says beside status and relations; None where there is none, or it cannot be read strictly."""
    import yaml

    text = "\n".join(lines[1 : max(length(lines) - 1, 1)])
    try:
        if lines and lines[0].strip() == "+++":
            return _without_standing(tomllib.loads(text))
        node = yaml.compose(text, yaml.BaseLoader)
        return None if node is None else _plain(node)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _plain(node: object) -> object:
    """A node without what says how the record stands; raises ValueError where a key stands there twice."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value]
        if len({str(name) for name in names}) < len(names):
            raise ValueError("a key stands there twice")
        return [(str(key.value), _plain(value)) for key, value in node.value if not _is_standing(str(key.value))]
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return str(node.value) if isinstance(node, yaml.ScalarNode) else None


def _without_standing(value: object) -> object:
    if isinstance(value, dict):
        return [(key, _without_standing(inner)) for key, inner in value.items() if not _is_standing(key)]
    return value


def _is_standing(key: str) -> bool:
    name = _name(key)
    return is_status(name) or field_meaning(name)[0] is not None


def _name(head: str) -> str:
    return re.sub(r"[_-]", " ", head.strip().rstrip(":=").strip().strip("\"'").lower())
