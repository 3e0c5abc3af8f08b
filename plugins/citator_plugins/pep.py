"""The status resolver `pep`: Python Enhancement Proposals."""

import re
from collections.abc import Mapping
from itertools import takewhile
from typing import ClassVar

from citator.api import Reading, StatusResolver, hookimpl
from citator.expressions import expression
from citator_plugins._series import Series, head, reading


class Pep(Series):
    """Reads `pep-NNNN.rst` and `.txt`, which begin with a header in the form of an e-mail's."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)pep-(?P<number>\d{4,})\.(?:rst|txt)$")

    def parse(self, path: str, text: str) -> Reading:
        """One PEP from the lines above the first empty one."""
        number = str(int(self.name.search(path)["number"]))  # type: ignore[index]
        return reading(path, f"PEP {number}", head(takewhile(str.strip, text.split("\n"))), names=(number,))


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `pep`."""
    return {"pep": Pep}
