"""All errors that citator raises for its users.

CitatorError            base; its text is one line: what is wrong, where, and the likely fix
├── ConfigError         a YAML file or an option is wrong; holds every problem found, one line each
├── PluginError         a plugin is broken, offers what another one offers, or fails at its work
├── SourceError         a source could not be listed completely (nothing of it is removed then)
├── StoreError          the store cannot be opened, read or written
├── DaemonError         the daemon cannot be started, asked or ended
└── EmbeddingError      a model is missing, damaged or does not fit
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager


class CitatorError(Exception):
    """Something the user can mend; the command line prints its text and nothing else."""


class ConfigError(CitatorError):
    """One or several problems of a configuration; `problems` has a line for each."""

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class PluginError(CitatorError):
    """A plugin cannot be used; the text names it, who offers it and why."""


class SourceError(CitatorError):
    """The records of a source could not be listed to the end; what is in the store stays."""


class StoreError(CitatorError):
    """The store cannot be used now; nothing in it was changed by the failed call."""


class DaemonError(CitatorError):
    """The daemon cannot do what was asked of it."""


class EmbeddingError(CitatorError):
    """A model cannot be loaded or would give wrong vectors."""


@contextmanager
def blamed(who: str, kind: type[CitatorError] = PluginError) -> Iterator[None]:
    """What a plugin's code raises and is no CitatorError becomes one of this kind that names who failed."""
    try:
        yield
    except CitatorError:
        raise
    except Exception as error:
        raise kind(f"{who}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """An error's type and text on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def hint(word: str, known: Iterable[str]) -> str:
    """The likely fix for a word that is not known: the nearest known one, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names) or 'none'}"
