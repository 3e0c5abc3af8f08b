"""The status resolver `swift`: the proposals of Swift Evolution."""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from citator.api import Reading, Status, StatusResolver, hookimpl
from citator.expressions import expression
from citator.files import walk
from citator_plugins._series import Field, Series, head, reading

_WORDS = {
    "scheduled for review": Status.PROPOSED,
    "awaiting implementation": Status.PROPOSED,
    "previewing": Status.PROPOSED,
}
_RENAMED = expression(r"^this document was renamed\b.*?(\[[^\]]*\]\([^)]*\))", re.IGNORECASE | re.DOTALL)

_PROPOSAL = expression(r"^[*-]\s+Proposal:\s*\[?[A-Z]{2}-", re.MULTILINE)
_SAMPLE = 8


class Swift(Series):
    """Reads `NNNN-slug.md`, whose header is a list below the title."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)(?P<number>(?!0000)\d{4})-[^/]+\.md$")

    own_words: ClassVar[Mapping[str, Status]] = _WORDS

    @classmethod
    def recognise(cls, root: Path) -> int:
        """How many files have the name of a proposal, as far as a few of them have its header: other records are named so too."""
        named = [path for path, _ in walk(root, lambda path: cls.name.search(path) is not None)]
        some = named[:: max(1, len(named) // _SAMPLE)]
        own = sum(1 for path in some if _PROPOSAL.search(_beginning(root / path)))
        return len(named) * own // len(some) if own else 0

    def parse(self, path: str, text: str) -> Reading:
        """One proposal; the file that is left where a proposal was renamed is replaced by the renamed one."""
        number = self.name.search(path)["number"]  # type: ignore[index]
        stem = path.rpartition("/")[2].removesuffix(".md")
        if renamed := _RENAMED.match(text):
            return reading(path, f"SE-{number}", [Field("moved to", renamed[1], 1)], title=stem, names=(stem,))
        lines = text.split("\n")
        title = next((n for n, line in enumerate(lines) if line.startswith("# ")), 0)
        begin = next((n for n in range(title + 1, len(lines)) if lines[n].strip()), title)
        end = next((n for n in range(begin, len(lines)) if not lines[n].strip() or lines[n].startswith("#")), len(lines))
        fields = list(head(lines[begin:end], begin + 1, mark=r"[*-]\s+"))
        own = re.search(r"\[([A-Z]{2})-", next((f.text for f in fields if f.name == "proposal"), ""))
        label = f"{own[1] if own else 'SE'}-{number}"
        return reading(path, label, fields, title=lines[title].lstrip("# "), names=(number, stem))


def _beginning(file: Path) -> str:
    with suppress(OSError), file.open(encoding="utf-8", errors="replace") as stream:
        return stream.read(1000)
    return ""


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `swift`."""
    return {"swift": Swift}
