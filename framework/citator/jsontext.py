"""JSON text -> the same text with something added or taken out; order, indentation, comments and line ends stay as they are."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_OR_COMMENT = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\w.+-]*|true|false|null')

Edit = tuple[int, int, str]
"""What stands between two places of the text is replaced."""

Path = tuple[str | int, ...]
"""The keys that lead to a value."""


@dataclass(slots=True)
class Node:
    """A value with its place in the text; of a container also the members, with each one's comma (-1 where there is none)."""

    start: int
    end: int
    value: object
    members: list["Member"] = field(default_factory=list)


@dataclass(slots=True)
class Member:
    """One item of a list, or one pair of an object, which starts at its key."""

    start: int
    key: str | int
    node: Node
    comma: int = -1

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.node.end


def parse(text: str, *, comments: bool = False) -> Node:
    """The value of a JSON text; raises ValueError with the line of what is wrong."""
    return _Parser(text, _SPACE_OR_COMMENT if comments else _SPACE, comments).document()


def merge(text: str, addition: Mapping[str, object], *, comments: bool = False) -> str:
    """The text of an object with `addition` in it: mappings are merged, lists get the items they lack, other values stay.

    Raises ValueError where the text is no object, or has another kind of value where a mapping or list belongs.
    """
    root = parse(text, comments=comments)
    if not isinstance(root.value, dict):
        raise ValueError("is no JSON object")
    edits: list[Edit] = []
    _merge(_Style(text, root), root, addition, edits, "")
    return _applied(text, edits)


def without(text: str, ours: Callable[[str], bool], before: object = None, *, comments: bool = False) -> str:
    """The text without the objects in which a string is `ours`, nor the containers emptied by that which `before` lacks.

    An item that also holds other objects in a list loses only those of them that are ours.
    """
    touched: set[Path] = set()
    while True:
        root = parse(text, comments=comments)
        found = _item(root, ours, ()) or _emptied(root, before, touched)
        if found is None:
            return text
        path, parent, index = found
        touched.add(path)
        text = _applied(text, _removal(text, parent, index))


class _Parser:
    def __init__(self, text: str, gap: re.Pattern[str], trailing_commas: bool) -> None:
        self.text, self.gap, self.trailing_commas = text, gap, trailing_commas

    def document(self) -> Node:
        try:
            node = self.value(self.skip(0))
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        if (rest := self.skip(node.end)) != len(self.text):
            raise self.error(rest)
        return node

    def value(self, at: int) -> Node:
        match self.text[at : at + 1]:
            case "{":
                members, end = self.members(at, "}")
                return Node(at, end, {member.key: member.node.value for member in members}, members)
            case "[":
                members, end = self.members(at, "]")
                return Node(at, end, [member.node.value for member in members], members)
        found = _SCALAR.match(self.text, at)
        if not found:
            raise self.error(at)
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise self.error(at) from None

    def members(self, at: int, close: str) -> tuple[list[Member], int]:
        members: list[Member] = []
        at = self.skip(at + 1)
        while self.text[at : at + 1] != close:
            if members and (members[-1].comma < 0):
                raise self.error(at)
            start, key = at, self.value(at) if close == "}" else None
            if key:
                at = self.skip(key.end)
                if not isinstance(key.value, str) or self.text[at : at + 1] != ":":
                    raise self.error(at)
                at = self.skip(at + 1)
            node = self.value(at)
            members.append(Member(start, str(key.value) if key else len(members), node))
            at = self.skip(node.end)
            if self.text[at : at + 1] == ",":
                members[-1].comma = at
                at = self.skip(at + 1)
        if members and members[-1].comma >= 0 and not self.trailing_commas:
            raise self.error(at)
        return members, at + 1

    def skip(self, at: int) -> int:
        found = self.gap.match(self.text, at)
        return found.end() if found else at

    def error(self, at: int) -> ValueError:
        return ValueError(f"is not valid JSON at line {self.text.count(chr(10), 0, at) + 1}")


class _Style:
    """How a text is laid out."""

    def __init__(self, text: str, root: Node) -> None:
        indented = re.search(r"\n([ \t]+)\S", text)
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.unit = indented[1] if indented else "  "
        self.flat = bool(root.members) and "\n" not in text[root.start : root.end]

    def indent(self, at: int) -> str:
        """The white space that the line of this place begins with."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]


def _merge(style: _Style, node: Node, addition: Mapping[str, object], edits: list[Edit], where: str) -> None:
    there = {member.key: member.node for member in node.members}
    if missing := {key: value for key, value in addition.items() if key not in there}:
        edits += _insertion(style, node, [f"{json.dumps(key, ensure_ascii=False)}: " for key in missing], list(missing.values()))
    for key, value in addition.items():
        if key not in there or not isinstance(value, dict | list):
            continue
        child = there[key]
        if type(child.value) is not type(value):
            raise ValueError(f"has a {where}{key} that is no {'object' if isinstance(value, dict) else 'list'}")
        if isinstance(value, dict):
            _merge(style, child, value, edits, f"{where}{key}.")
        elif isinstance(child.value, list) and (items := [item for item in value if item not in child.value]):
            edits += _insertion(style, child, [""] * len(items), items)


def _insertion(style: _Style, node: Node, keys: Sequence[str], values: Sequence[object]) -> list[Edit]:
    text, last, close = style.text, node.members[-1] if node.members else None, node.end - 1
    filled = max(last.end, last.comma + 1) if last else node.start + 1
    tail = text[filled:close]
    if last:
        spread = "\n" in text[node.start : node.members[0].start] + tail
        indent = style.indent(last.start) if spread else ""
    else:
        spread, indent = not style.flat, style.indent(node.start) + style.unit
    gap = style.newline + indent if spread else " "
    written = [key + _dump(style, value, indent if spread else None) for key, value in zip(keys, values, strict=True)]
    body = ("," + gap).join(written)
    at = filled + len(tail.rstrip())
    if last is None:
        opening, closing = (gap, style.newline + style.indent(node.start)) if spread else ("", "")
        return [(at, close, opening + body + closing)]
    if last.comma >= 0:
        return [(at, at, gap + body + ",")]
    return [(last.end, at, "," + text[last.end : at] + gap + body)]


def _dump(style: _Style, value: object, indent: str | None) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=style.unit).replace("\n", style.newline + indent)


Found = tuple[Path, Node, int]
"""A container's path, itself, and which of its members is meant."""


def _item(node: Node, ours: Callable[[str], bool], path: Path) -> Found | None:
    for index, member in enumerate(node.members):
        value = member.node.value
        if not _mentions(value, ours):
            continue
        if isinstance(value, dict) and (not _has_others(value, ours) if isinstance(node.value, list) else _says(value, ours)):
            return path, node, index
        if found := _item(member.node, ours, (*path, member.key)):
            return found
    return None


def _emptied(root: Node, before: object, touched: set[Path]) -> Found | None:
    for path in touched:
        parent = _at(root, path[:-1])
        if not path or parent is None:
            continue
        for index, member in enumerate(parent.members):
            if member.key == path[-1] and member.node.value in ({}, []) and not _holds(before, path):
                return path[:-1], parent, index
    return None


def _at(node: Node, path: Path) -> Node | None:
    for key in path:
        inside = [member.node for member in node.members if member.key == key]
        if not inside:
            return None
        node = inside[-1]
    return node


def _holds(value: object, path: Path) -> bool:
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def _mentions(value: object, ours: Callable[[str], bool]) -> bool:
    if isinstance(value, dict | list):
        return any(_mentions(inside, ours) for inside in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and ours(value)


def _says(value: dict[str, object], ours: Callable[[str], bool]) -> bool:
    return any(isinstance(inside, str) and ours(inside) for inside in value.values())


def _has_others(value: object, ours: Callable[[str], bool]) -> bool:
    """Whether an object in a list, anywhere inside, is not ours."""
    if isinstance(value, dict):
        return any(_has_others(inside, ours) for inside in value.values())
    if isinstance(value, list):
        return any(isinstance(each, dict) and (not _mentions(each, ours) or _has_others(each, ours)) for each in value)
    return False


def _removal(text: str, parent: Node, index: int) -> list[Edit]:
    member = parent.members[index]
    end = max(member.end, member.comma + 1)
    if index + 1 < len(parent.members):
        following = parent.members[index + 1].start
        return [(member.start, end if text[end:following].strip() else following, "")]
    previous = parent.members[index - 1] if index else None
    opening = previous.comma + 1 if previous else parent.start + 1
    gap, tail = text[opening : member.start], text[end : parent.end - 1]
    if previous is None and not (gap + tail).strip():
        return [(opening, parent.end - 1, "")]
    # The line end behind a comment may go only where another one follows.
    start = opening + len(gap.rstrip()) if "\n" in tail or not gap.strip() else member.start
    drop = [(previous.comma, previous.comma + 1, "")] if previous and member.comma < 0 else []
    return [*drop, (start, end, "")]


def _applied(text: str, edits: Iterable[Edit]) -> str:
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text
