"""References -> records: which document a text or link means. Part of the status rule."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from citator.expressions import expression
from citator.prose import Reference
from citator.records import Document

_GENERIC = expression(
    r"^(?:(?:adrs?|madrs?|decisions?|records?|documents?|no|nr|number|ad|entscheidung|decision|decisión|#)-)+(?=\d)"
)
_TONGUE = expression(r"\.((?:en|fr|de|es|it|pt|nl|pl|ru|uk|cs|tr|sv|ja|ko|zh|cn)(?:[-_][a-z]{2,4})?)(?=\.\w+$)", re.I)
"""The language that a file's name tells: `fr` of `0001-queues.fr.md`."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a reference may mean: exactly one path, several, or none; `external` is an address outside the folder."""

    paths: tuple[str, ...] = ()
    external: str = ""


@lru_cache(maxsize=65536)
def key(name: str) -> str:
    """A name without the differences that people make: case, separators, leading zeros."""
    parts = re.findall(r"[^\W_]+", name.casefold())
    return "-".join(re.sub(r"^0+(?=\d)", "", part) for part in parts)


class Library:
    """All documents of a folder, to be found by path, file name, number, id, slug, label or title."""

    def __init__(self, documents: Iterable[Document], repository: str = "") -> None:
        self.documents = {document.path: document for document in documents}
        self._repository = repository.casefold()
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        self._files: defaultdict[str, list[str]] = defaultdict(list)
        for path, document in self.documents.items():
            file = document.file.rpartition("/")[2]
            self._files[file.casefold()].append(path)
            for name in dict.fromkeys(map(key, (*document.aliases, document.label, document.title))):
                if name:
                    self._names[name].append(path)

    def find(self, reference: Reference, owner: str) -> Found:
        """What the reference means within the record at `owner`; to one that stands in no record, all records are as near."""
        if "://" in reference.target or reference.target.startswith("//"):
            return self._by_address(reference, owner)
        if reference.target:
            target = unquote(re.split(r"[?#]", reference.target)[0]).strip()
            if not target:
                return self._anchor(reference, owner)
            if found := self._by_path(target, owner):
                return Found(found)
            for name in (target.rpartition("/")[2] or target.strip("/").rpartition("/")[2], target):
                if found := self._by_name(name, owner):
                    return Found(found)
        return Found(self._by_name(reference.text, owner))

    def translations(self, path: str) -> dict[str, str]:
        """The same record in other languages: language -> path."""
        same = self._translations.get(_TONGUE.sub("", self._file(path)), {})
        return {tongue: other for tongue, other in same.items() if other != path}

    @cached_property
    def _translations(self) -> dict[str, dict[str, str]]:
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        if any(map(_tongue, self.documents)):
            for path in self.documents:
                found[_TONGUE.sub("", path)][_tongue(path)] = path
        return found

    def _anchor(self, reference: Reference, owner: str) -> Found:
        within = self._file(owner) + reference.target
        return Found((within,)) if within in self.documents else Found(self._by_name(reference.text, owner))

    def _by_path(self, target: str, owner: str) -> tuple[str, ...]:
        path = normpath(target.lstrip("/") if target.startswith("/") else join(self._home(owner) or "", target))
        for candidate in (path, path + ".md", path + "/README.md", path + "/index.md"):
            if candidate in self.documents:
                return (candidate,)
        if target.startswith(("/", "../")):
            tail = normpath(target).lstrip("./")
            fits = tuple(p for p in self.documents if "/" in tail and (p.endswith("/" + tail) or tail.endswith("/" + p)))
            if len(fits) == 1:
                return fits
        return (
            self._nearest(self._files.get(path.rpartition("/")[2].casefold(), []), owner)
            if "." in path.rpartition("/")[2]
            else ()
        )

    def _by_address(self, reference: Reference, owner: str) -> Found:
        address = unquote(re.split(r"[?#]", reference.target)[0]).rstrip("/")
        named = re.search(r"://[^/]+/([^/]+/[^/]+)/(?:-/)?(?:blob|tree|raw|src|edit)/[^/]+/(.+)", address)
        if named:
            path = named[2]
            fits = [p for p in self.documents if p == path or path.endswith("/" + p) or p.endswith("/" + path)]
            if len(fits) == 1 and (self._repository == named[1].casefold() or _telling(fits[0])):
                return Found((fits[0],))
        return Found(external=reference.target)

    def _by_name(self, text: str, owner: str) -> tuple[str, ...]:
        """By the name itself, then by what a file or a number in front of a title says; `#12` is an issue, not a record."""
        if text.startswith("#"):
            return ()
        stem = re.sub(r"\.(?:md|mdx|markdown|adoc|asciidoc|rst|html?|txt)$", "", text.strip(), flags=re.I)
        name = key(stem)
        leading = re.match(r"(?:[a-z]+-)*?\d+[a-z]?(?=-|$)", name)
        for candidate in dict.fromkeys(
            (name, _GENERIC.sub("", name), leading[0] if leading else "", _GENERIC.sub("", leading[0]) if leading else "")
        ):
            if candidate and (paths := self._names.get(candidate)):
                return self._nearest(paths, owner)
        glued = re.match(r"([a-z]+?)(\d+[a-z]?)(?=-|$)", name)
        if glued and (paths := self._names.get(f"{glued[1]}-{key(glued[2])}")):
            return self._nearest(paths, owner)
        if glued and _GENERIC.match(f"{glued[1]}-1") and (paths := self._names.get(key(glued[2]))):
            return self._nearest(paths, owner)
        return ()

    def _home(self, owner: str) -> str | None:
        return dirname(self._file(owner)) if owner in self.documents else None

    def _file(self, path: str) -> str:
        return self.documents[path].file if path in self.documents else path

    def _nearest(self, paths: Iterable[str], owner: str) -> tuple[str, ...]:
        """Those in the owner's own folder where there are any, else all of the tree; of translations the one in its language."""
        folder, tongue = self._home(owner), _tongue(self._file(owner))
        every = tuple(dict.fromkeys(paths))
        near = tuple(path for path in every if dirname(self._file(path)) == folder) or every
        return tuple(path for path in near if _tongue(self._file(path)) == tongue) or near


def _tongue(file: str) -> str:
    match = _TONGUE.search(file)
    return match[1].lower() if match else ""


def _telling(path: str) -> bool:
    """Whether a file's name is its own, not one that many repositories have."""
    stem = key(path.rpartition("/")[2].rpartition(".")[0])
    return not re.fullmatch(
        r"readme|index|(?:adr-)?\d*(?:-?(?:record-architecture-decisions|use-markdown-architectural-decision-records))?", stem
    )
