"""The base class of the plugins that read what records declare, and the status rule."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import get_annotations
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, dataclass_transform, get_origin

from citator.errors import SourceError
from citator.files import Stamp, content, decode, walk
from citator.records import Reading, Status
from citator.ruling import decide

__all__ = ["Reading", "StatusResolver", "decide"]


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class StatusResolver(ABC):
    """Reads what the records of one dialect declare; it never decides anything itself.

    A dialect says which files it `wants` and what each of them declares (`parse`, kept per file until the file changes); where
    that cannot be told from one file alone, `gather` sees all of them. Its fields are its YAML options, as with every plugin, but
    it is a frozen dataclass, as is each subclass by itself: pydantic takes longer to load than `citator adr` has.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    type: str
    """The offered name that chose this class."""

    default_status: Status | None = None
    """The status of a record that declares none, always shown as "(by default)"; left out, such a record is `unknown`."""

    words: Mapping[str, Status] = field(default_factory=dict)
    """More status words of this team; a word of the fixed vocabulary keeps its meaning."""

    own_words: ClassVar[Mapping[str, Status]] = {}
    """The status words that the dialect alone has; a team's words cannot change what they mean."""

    suffixes: ClassVar[tuple[str, ...]] = (".md",)
    """The endings of the files that the dialect reads."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", {**self.words, **self.own_words})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        origins: list[object] = [get_origin(annotation) for annotation in get_annotations(cls).values()]
        if any(origin is not ClassVar for origin in origins):
            dataclass(frozen=True, kw_only=True)(cls)

    def wants(self, path: str) -> bool:
        """Whether the file may hold records; `path` is relative to the folder that is read, with `/`."""
        return path.lower().endswith(self.suffixes)

    @abstractmethod
    def parse(self, path: str, text: str) -> Reading:
        """What one file declares, from its path and text alone, so that the answer can be kept while the file stands still."""

    def gather(self, root: Path, pages: Mapping[str, Reading]) -> Reading:
        """The reading of the folder from those of its files, in the order of their paths, without what is no record."""
        return Reading(
            tuple(chain.from_iterable(page.documents for page in pages.values())),
            tuple(chain.from_iterable(page.declarations for page in pages.values())),
            options=tuple(chain.from_iterable(page.options for page in pages.values())),
        )

    def files(self, root: Path) -> list[tuple[str, Stamp]]:
        """The files below `root` that may hold records; raises SourceError where they cannot be listed."""
        try:
            return list(walk(root, self.wants))
        except FileNotFoundError as error:
            raise SourceError(f"{error.filename}: there is no such folder; correct the path or mount it") from error
        except NotADirectoryError as error:
            raise SourceError(f"{error.filename}: is no folder; name the folder that holds the records") from error
        except OSError as error:
            raise SourceError(f"{error.filename}: cannot be listed ({error.strerror}); check the permissions") from error

    def read_file(self, root: Path, path: str) -> Reading:
        """What one file declares; one that cannot be read is a problem, and a record by its name alone."""
        try:
            return self.parse(path, decode(content(root, path)))
        except FileNotFoundError:
            return Reading(problems=(f"{path}: vanished while it was read; run again",))
        except OSError as error:
            return self.unread(path, f"cannot be read ({error.strerror}); check the permissions")
        except ValueError as error:
            return self.unread(path, f"{error}; rename or remove it")

    def unread(self, path: str, why: str) -> Reading:
        """What the name of a file tells whose text cannot be read."""
        return Reading(self.parse(path, "").documents, problems=(f"{path}: {why}",), unread=(path,))

    def read(self, root: Path) -> Reading:
        """Everything that the records below `root` declare; raises SourceError where the folder cannot be listed."""
        return self.collect(root, {path: self.read_file(root, path) for path, _ in self.files(root)})

    def collect(self, root: Path, pages: Mapping[str, Reading]) -> Reading:
        """The reading of the folder with the problems of its files."""
        whole = self.gather(root, pages)
        problems = (*chain.from_iterable(page.problems for page in pages.values()), *whole.problems)
        unread = tuple(chain.from_iterable(page.unread for page in pages.values()))
        return replace(whole, problems=problems, unread=unread)

    @classmethod
    def folders(cls, project: Path) -> Iterator[tuple[str, int]]:
        """Where in a project such records usually lie: each folder (relative, with `/`), and how many files have such a name."""
        return iter(())

    @classmethod
    def recognise(cls, root: Path) -> int:
        """How many of the files below `root` this dialect would take for records, told from names and heads alone."""
        return 0
