"""The status resolver `bip`: Bitcoin Improvement Proposals."""

import re
from collections.abc import Mapping
from typing import ClassVar

from citator.api import Reading, StatusResolver, hookimpl
from citator.expressions import expression
from citator_plugins._series import Series, block, head, reading


class Bip(Series):
    """Reads `bip-NNNN.mediawiki` and `.md`, whose header is the first preformatted block."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)bip-(?P<number>\d{4,})\.(?:mediawiki|md)$", re.IGNORECASE)

    def parse(self, path: str, text: str) -> Reading:
        """One BIP from its `<pre>` or fenced header."""
        number = str(int(self.name.search(path)["number"]))  # type: ignore[index]
        lines = text.split("\n")
        begin, end = block(lines, r"<pre>|```\w*", r"</pre>|```")
        return reading(path, f"BIP {number}", head(lines[begin:end], begin + 1), names=(number,))


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `bip`."""
    return {"bip": Bip}
