"""Claude Code's transcripts: JSON lines that are only ever appended to, huge at times and broken in places."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from citator.api import clean
from citator_plugins._text import INJECTED, day, without_blocks

LONGEST_LINE = 8 << 20
"""Bytes; a prompt with a picture fits, a tool's output that does not is of no interest here."""

LONGEST_PROMPT = 80
"""Characters of a prompt that stands in for a title."""

_TRIES = 100
_MACHINE = rf"command-[\w-]+|local-command-[\w-]+|bash-[\w-]+|ide_\w+|task-notification|session-start-hook|{INJECTED}"
_NO_PROMPT = re.compile(
    rf"<(?:{_MACHINE})\b|\[Request interrupted|Caveat: The messages below were generated|/[\w:-]+(?:\s|$)|!\s", re.IGNORECASE
)
_COMMAND = re.compile(r"<command-name>([^<]*)</command-name>")
_DECODER = json.JSONDecoder()


def lines(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """The lines from here on with their lengths: 0 for one that is still being written, and no text for one that is too long."""
    while line := file.readline(LONGEST_LINE):
        length, end = len(line), line
        while len(end) == LONGEST_LINE and not end.endswith(b"\n"):
            line, end = b"", file.readline(LONGEST_LINE)
            length += len(end)
        yield line, length if end.endswith(b"\n") else 0


def records(line: bytes) -> Iterator[Mapping[str, object]]:
    """The JSON objects of a line: one, or what can be saved where records were cut off, run together or filled with NULs."""
    text = line.replace(b"\0", b"").decode("utf-8", "replace").strip()
    at, tries = 0, 0
    while at >= 0 and tries < _TRIES:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = text.find('{"', at + 1), tries + 1
            continue
        if isinstance(value, dict):
            yield value
        at = text.find('{"', end)


def prompts(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """(folder, text) of each message that a person wrote in a transcript, as it was written."""
    for line, _ in lines(file):
        if b'"user"' in line:
            for record in records(line):
                if record.get("type") == "user" and not record.get("isSidechain") and prompt(record):
                    yield _string(record, "cwd"), "\n".join(_texts(record))


def prompt(record: Mapping[str, object]) -> str:
    """What a person asked in a record of the type `user`, as one line; empty where a machine wrote it."""
    if any(record.get(key) for key in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")):
        return ""
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else record.get("turnOrigin")
    if record.get("promptSource") == "system" or kind in ("task-notification", "task_notification"):
        return ""
    return next(filter(None, map(asked, _texts(record))), "")


def asked(text: str) -> str:
    """The text as one line; empty where it is no question of a person but a command, its output or a notice."""
    text = clean(without_blocks(text, _MACHINE))
    return "" if _NO_PROMPT.match(text) else text


def _texts(record: Mapping[str, object]) -> list[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [content]
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if any(block.get("type") == "tool_result" for block in blocks):
        return []
    return [_string(block, "text") for block in blocks if block.get("type") == "text"]


@dataclass(slots=True)
class Transcript:
    """What was read of one transcript up to `offset`; empty fields were not met yet."""

    offset: int = 0
    cwd: str = ""
    date: str = ""
    talked: bool = False
    first: str = ""
    """The id of the first message, which copies share with what they were forked from."""
    sidechain: bool = False
    odd: bool = False
    """Whether it does not even begin like a transcript."""
    custom_title: str = ""
    ai_title: str = ""
    last_prompt: str = ""
    summary: str = ""
    prompt: str = ""
    command: str = ""

    @property
    def title(self) -> str:
        """The title in the client's own order; empty where nobody said anything in this session."""
        if self.sidechain or not self.talked:
            return ""
        named = self.custom_title or self.ai_title or shortened(self.last_prompt) or self.summary
        return named or shortened(self.prompt) or self.command

    def read_on(self, file: BinaryIO, wanted: Callable[[str], bool]) -> None:
        """Reads what was appended since the last time; stops as soon as the folder that the session ran in is not wanted."""
        file.seek(self.offset)
        for line, length in lines(file):
            if not self.offset:
                self.odd = not line.lstrip(b"\0 \t\r\n").startswith(b"{")
            if self._matters(line):
                for record in records(line):
                    self._take(record)
                if self.cwd and not wanted(self.cwd):
                    return
            self.offset += length

    def _matters(self, line: bytes) -> bool:
        """A test that costs nothing beside parsing: most of a transcript is tool output and the client's own notes."""
        return (
            b'"lastPrompt"' in line
            or b'"aiTitle"' in line
            or b'"customTitle"' in line
            or b'"summary"' in line
            or (not self.prompt and b'"user"' in line)
            or (not self.talked and b'"assistant"' in line)
            or (not self.cwd and b'"cwd"' in line)
        )

    def _take(self, record: Mapping[str, object]) -> None:
        self.cwd = self.cwd or _string(record, "cwd")
        match record.get("type"):
            case "custom-title":
                self.custom_title = _title(record, "customTitle")
            case "ai-title":
                self.ai_title = _title(record, "aiTitle")
            case "last-prompt":
                self.last_prompt = asked(_string(record, "lastPrompt")) or self.last_prompt
            case "summary":
                self.summary = _title(record, "summary")
            case "user" | "assistant" as author if isinstance(record.get("message"), dict):
                self._take_message(author, record)
            case _:
                pass

    def _take_message(self, author: str, record: Mapping[str, object]) -> None:
        if record.get("isSidechain"):
            self.sidechain = self.sidechain or not self.talked
            return
        if not self.talked:
            self.talked, self.first, self.date = True, _string(record, "uuid"), day(_string(record, "timestamp"))
        if author == "user" and not self.prompt:
            self.prompt = prompt(record)
            named = None if self.command else _COMMAND.search(" ".join(_texts(record)))
            self.command = clean(named[1]) if named else self.command


def shortened(text: str) -> str:
    """A prompt as a title: at most 80 characters, not cut within a character that is written with several."""
    if len(text) <= LONGEST_PROMPT:
        return text
    end = LONGEST_PROMPT - 1
    while end and (unicodedata.category(text[end])[0] == "M" or "\u200d" in text[end - 1 : end + 1]):
        end -= 1
    return text[:end].rstrip() + "…"


def _title(record: Mapping[str, object], key: str) -> str:
    return clean(without_blocks(_string(record, key)))


def _string(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
