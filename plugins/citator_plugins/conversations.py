"""The source `conversations`: date and title of each Claude Code session of the project, never what was said."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from citator.api import Found, Problems, Record, Said, Source, SourceError, clean, hookimpl
from citator_plugins._claude import ClaudeSource, Owner, sessions
from citator_plugins._folder import printable
from citator_plugins._remembered import Remembered
from citator_plugins._text import utc_day, without_blocks
from citator_plugins._transcripts import Transcript, prompts


class Conversations(ClaudeSource):
    """One record for each session; Claude Code deletes transcripts after 30 days, the records stay."""

    keep_gone: ClassVar[bool] = True

    def load(self, problems: Problems) -> Iterator[Record]:
        """The project's sessions, the one talked in last first; of copies of one session the newest."""
        found, incomplete = self._read(problems)
        copies = set()
        for changed, path, transcript in sorted(found, key=lambda session: session[0], reverse=True):
            named = _named(path) or transcript.custom_title
            if (copy := (transcript.first or path.stem, named)) not in copies:
                copies.add(copy)
                yield Record(
                    id=path.stem.lower(),
                    kind="conversation",
                    title=named or transcript.title,
                    date=transcript.date or f"{utc_day(changed / 1e9)}~",
                    path=printable(path),
                )
        if incomplete:
            raise incomplete

    def _read(self, problems: Problems) -> tuple[list[tuple[int, Path, Transcript]], SourceError | None]:
        """(modification time, file, what is in it) of each session, and why the list is not complete."""
        found: list[tuple[int, Path, Transcript]] = []
        incomplete: SourceError | None = None
        owner = Owner(self.project)
        with Remembered(self.root) as remembered:
            for folder in self.folders():
                try:
                    listed = sessions(folder)
                except SourceError as error:
                    incomplete = incomplete or error
                    continue
                wanted = partial(owner.owns, folder.name)
                for changed, path in listed:
                    try:
                        transcript = remembered.read(path, wanted)
                    except OSError as error:
                        problems.add(printable(path), f"cannot be read ({error.strerror}); make it readable", path.stem.lower())
                        continue
                    if not wanted(transcript.cwd):
                        continue
                    if transcript.title:
                        found.append((changed, path, transcript))
                    elif transcript.odd:
                        problems.add(printable(path), "is no transcript; left out", path.stem.lower())
        return found, incomplete

    def messages(self) -> Iterator[Said]:
        """What was asked in the project's sessions, the one talked in last first; what cannot be read is left out."""
        found, _ = self._read(Problems())
        owner = Owner(self.project)
        for _, path, _ in sorted(found, key=lambda session: session[0], reverse=True):
            with suppress(OSError), path.open("rb") as file:
                asked = [text for folder, text in prompts(file) if owner.owns(path.parent.name, folder)]
                yield from (Said(path.stem.lower(), text) for text in reversed(asked))

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """Whether Claude Code keeps transcripts of this project; their number, some of them empty, is cheap to have."""
        source = cls(type="conversations", project=folder)
        with suppress(SourceError):
            if count := sum(len(sessions(own)) for own in source.own_folders()):
                yield Found({}, f"transcripts of this project: {count}")


def _named(transcript: Path) -> str:
    """The title that the user gave a session, where the client keeps it in a file of its own."""
    try:
        named = json.loads((transcript.with_suffix("") / "custom-title.json").read_bytes())
        return clean(without_blocks(named["customTitle"]))
    except (OSError, ValueError, TypeError, LookupError):
        return ""


@hookimpl
def register_sources() -> dict[str, type[Source]]:
    """Offers `conversations`."""
    return {"conversations": Conversations}
