"""The status resolver `eip`: Ethereum Improvement Proposals, and the ERCs that were split off from them."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from citator.api import Reading, StatusResolver, hookimpl
from citator.expressions import expression
from citator_plugins._series import Field, Series, block, reading, yaml_head

_MOVED = expression(
    r"^th(?:is|e)\s+(?:file|document|proposal|standard|(?:eip|erc)(?:-\d+)?)\s+(?:(?:was|is|has|been|now)\s+)*moved\s+to\s+(.*)$",
    re.IGNORECASE,
)


class Eip(Series):
    """Reads `eip-N.md` and `erc-N.md`, whose header is front matter."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)(?P<kind>eip|erc)-(?P<number>\d+)\.md$", re.IGNORECASE)

    def parse(self, path: str, text: str) -> Reading:
        """One EIP; one that was moved says below its header where to."""
        name = self.name.search(path)
        assert name is not None  # only files of this name are wanted
        number = str(int(name["number"]))
        lines = text.split("\n")
        begin, end = block(lines, "---", "---")
        fields = [*map(_named, yaml_head(lines[begin:end], begin + 1)), *_moved(lines, end)]
        return reading(path, f"{name['kind'].upper()}-{number}", fields, names=(number, f"EIP-{number}", f"ERC-{number}"))


def _named(field: Field) -> Field:
    """A reason for a withdrawal may say by what it was replaced: "Superseded by EIP-1", as a status would."""
    if field.name == "withdrawal reason" and (by := re.match(r"superseded by\s+(.*)", field.text, re.IGNORECASE)):
        return Field("superseded by", by[1], field.line)
    return field


def _moved(lines: list[str], start: int) -> Iterator[Field]:
    for number, line in enumerate(lines[start : start + 10], start + 1):
        if found := _MOVED.match(line.strip()):
            yield Field("moved to", found[1], number)


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `eip`."""
    return {"eip": Eip}
