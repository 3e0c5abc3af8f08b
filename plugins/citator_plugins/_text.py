"""Files of notes -> text: read, parted from front matter, and rid of what no person or assistant wrote there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from citator.files import decode

MOST_BYTES = 2_000_000
"""A larger file is no note."""

INJECTED = "system-reminder|claude-mem-context|relevant[-_]memories|memory-context"
"""The tags in which agents and their tools put text into a context; found in a note, such a block was copied there."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{2,})[ \t]*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LINE = re.compile(r"([ \t]*)([\w-]+):(.*)")
_LONGEST_HEADING = 500
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")


class UnreadableError(Exception):
    """Why a file cannot be read as text, in a few words, with the fix where there is one."""


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file: its front matter (all values as written), the text below it, cleaned, and the day it was last written.

    `whole` is the file as it is.
    """

    front: Mapping[str, object]
    body: str
    written: str
    whole: str = ""

    def line_of(self, text: str) -> int:
        """The number of the line, from 1, in which a text first stands in the file; 1 where it does not stand there as it is."""
        return self.whole.count("\n", 0, max(0, self.whole.find(text))) + 1

    def value(self, *names: str) -> str:
        """The first of these front matter fields that has a value; `metadata.modified` looks inside `metadata`."""
        for name in names:
            found: object = self.front
            for key in name.split("."):
                found = found.get(key) if isinstance(found, Mapping) else None
            if isinstance(found, str) and found.strip():
                return without_blocks(found)
        return ""

    @property
    def heading(self) -> str:
        """The text of the first heading, whatever its level; empty where there is none."""
        fence, above = "", ""
        for line in (line[:_LONGEST_HEADING] for line in self.body.split("\n")):
            if mark := _FENCE.match(line):
                fence = ("" if mark[1].startswith(fence) else fence) if fence else mark[1]
                above = ""
            elif not fence:
                if heading := _HEADING.match(line):
                    return _LINK.sub(r"\1", heading[1])
                if above and _UNDERLINE.match(line):
                    return _LINK.sub(r"\1", above)
                above = "" if line.lstrip()[:1] in tuple("-*+>|") else line.strip()
        return ""


def read_page(path: Path) -> Page:
    """A Markdown file in whatever encoding; raises UnreadableError."""
    try:
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            raise UnreadableError("is no regular file; left out")
        if stat.st_size > MOST_BYTES:
            raise UnreadableError(f"has {stat.st_size / 1e6:.1f} MB, a note at most {MOST_BYTES // 10**6}; split or move it")
        whole = decode(path.read_bytes())
        front, body = split_front_matter(whole)
    except FileNotFoundError as error:
        raise UnreadableError("vanished while it was read; the next sync looks again") from error
    except OSError as error:
        raise UnreadableError(f"cannot be read ({error.strerror}); make it readable or move it away") from error
    except ValueError as error:
        raise UnreadableError(f"{error}; move it away") from error
    return Page(front, without_blocks(body).strip(), utc_day(stat.st_mtime), whole)


def split_front_matter(text: str) -> tuple[Mapping[str, object], str]:
    """(front matter, the rest); where the YAML is broken, what its lines say one by one."""
    found = _FRONT_MATTER.match(text)
    if not found:
        return {}, text
    import yaml  # takes longer to load than most commands take

    try:
        front = yaml.load(found[1], getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # noqa: S506 - makes nothing but strings, lists and mappings
    except (yaml.YAMLError, RecursionError, ValueError):
        front = _by_line(found[1])
    return front if isinstance(front, dict) else {}, text[found.end() :]


def _by_line(block: str) -> dict[str, object]:
    found: dict[str, object] = {}
    inside: dict[str, object] = {}
    for line in block.split("\n"):
        if pair := _LINE.match(line):
            indent, key, value = pair[1], pair[2], pair[3].strip().strip("'\"")
            if indent:
                inside[key] = value
            elif value:
                found[key], inside = value, {}
            else:
                found[key] = inside = {}
    return found


def without_blocks(text: str, tags: str = INJECTED) -> str:
    """The text without HTML comments, private spans and the blocks of these tags (`a|b`), however nested.

    What `<private>` opens and nothing closes is private to the end; any other tag that stands alone is just text.
    """
    if "<" not in text:
        return text
    text = _cut_spans(text, "<!--", "-->")
    text = _cut_spans(text, *_tag("private"), to_the_end=True)
    return _cut_spans(text, *_tag(tags))


def _tag(names: str) -> tuple[str, str]:
    # A tag right behind a backtick is being talked about.
    return rf"(?<!`)<(?:{names})(?:\s[^<>]*)?>", rf"</(?:{names})\s*>"


def _cut_spans(text: str, opening: str, closing: str, *, to_the_end: bool = False) -> str:
    spans: list[tuple[int, int]] = []
    unclosed: list[int] = []
    for mark in re.finditer(rf"({opening})|{closing}", text, re.IGNORECASE):
        if mark[1]:
            unclosed.append(mark.start())
        elif unclosed:
            spans.append((unclosed.pop(), mark.end()))
    if unclosed and to_the_end:
        spans.append((unclosed[0], len(text)))
    kept, done = "", 0
    for start, end in sorted(spans):
        kept, done = kept + text[done:start], max(done, end)
    return kept + text[done:]


def day(text: str) -> str:
    """The ISO day that a date or time begins with; empty where it is none."""
    found = _DAY.match(text)
    return found[0] if found else ""


def utc_day(seconds: float) -> str:
    """The ISO day of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
