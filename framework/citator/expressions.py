"""Regular expressions that are compiled when they are first used.

A process that reads one folder needs a few of the many that a program knows, and to compile one takes longer than to use it.
"""

import re
from typing import cast


class _Later:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)  # not asked again: from now on it is found before this method is called
        return found


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, a little later."""
    return cast(re.Pattern[str], _Later(text, flags))
