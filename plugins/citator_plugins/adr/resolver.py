"""The status resolver `adr`: architecture decision records in all the forms that people write them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from citator.api import Declaration, Document, Reading, StatusResolver, is_status
from citator_plugins.adr.names import Name, name_of
from citator_plugins.adr.outline import Outline, outline


class AdrResolver(StatusResolver):
    """Reads architecture decision records: Nygard, adr-tools, MADR, log4brains and their many relatives."""

    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown", ".mdx", ".adoc", ".asciidoc", ".rst")

    def parse(self, path: str, text: str) -> Reading:
        """One record, or each of those that a file of several holds."""
        name = name_of(path)
        found = outline(path, text)
        document = _document(path, name, found)
        return Reading((document,), tuple(Declaration(path, s.place, s.field, s.text, s.line) for s in found.said))

    def gather(self, root: Path, pages: Mapping[str, Reading]) -> Reading:
        """Leaves out templates, indexes and other papers: a record has its folder's kind of name, or a status where there are no numbers."""
        names = {path: name_of(path) for path in pages}
        numbered = Counter(_folder(path, name) for path, name in names.items() if name.number and not name.template)
        taken: defaultdict[str, set[str]] = defaultdict(set)
        for path, name in names.items():
            if name.number and not name.index:
                taken[_folder(path, name)].add(name.prefix.lower() + name.number)
        inner = {path.rpartition("/")[0] for path, name in names.items() if (name.number or name.dated) and not name.index}
        kept = [
            path for path, page in pages.items() if page.documents and _is_record(path, names[path], page, numbered, taken, inner)
        ]
        return Reading(
            tuple(document for path in kept for document in pages[path].documents),
            tuple(declaration for path in kept for declaration in pages[path].declarations),
            repository=_repository(root),
        )


def _folder(path: str, name: Name) -> str:
    folder = path.rpartition("/")[0]
    return folder.rpartition("/")[0] if name.index else folder


def _is_record(
    path: str, name: Name, page: Reading, numbered: Counter[str], taken: Mapping[str, set[str]], inner: set[str]
) -> bool:
    if name.template:
        return False
    if name.index and (path.rpartition("/")[0] in inner or name.prefix.lower() + name.number in taken[_folder(path, name)]):
        return False
    if name.number or name.dated:
        return True
    if name.index or (numbered[_folder(path, name)] and not re.match(r"adrs?[-_]", name.stem, re.I)):
        return False
    return any(is_status(d.field) for d in page.declarations)


def _document(path: str, name: Name, found: Outline) -> Document:
    title = found.front.get("title") or found.title
    heading = re.match(r"([A-Z]{2,8})[\s-]?#?0*(\d+)\b", found.title)
    label = name.label
    if heading and not name.prefix and name.number and heading[2] == re.sub(r"^0+|\D", "", name.number):
        label = f"{heading[1]}-{name.number}{name.version}"
    aliases = [
        name.number + name.version,
        name.number,
        name.stem,
        name.slug,
        found.front.get("id", ""),
        found.front.get("slug", ""),
        *found.labels,
    ]
    date = found.front.get("date") or found.fields.get("date", "")
    return Document(path, _title(title, name), label, _iso(date), tuple(dict.fromkeys(filter(None, aliases))))


def _title(text: str, name: Name) -> str:
    text = re.sub(r"^(?:architecture decision records?|adr)\s*[:—–-]\s*", "", text, flags=re.I)
    text = re.sub(
        r"^\[?(?:[A-Za-z]+[\s-]?){0,3}#?\d{1,6}[a-z]?\]?(?:-[vw]\d+)?\s*(?:[.:)\]—–|-]+\s+|\s(?=\w)(?<=\d\s))", "", text
    )
    return text.strip() or (name.slug or name.stem).replace("-", " ").replace("_", " ")


def _iso(text: str) -> str:
    match = re.search(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b", text)
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}" if match else ""


def _repository(root: Path) -> str:
    """`owner/name` of the git repository that a folder lies in, from its own settings; empty where there is none."""
    for folder in (root, *root.resolve().parents):
        config = folder / ".git" / "config"
        if config.is_file():
            match = re.search(r"url\s*=\s*\S+?[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$", config.read_text("utf-8", "replace"), re.M)
            return match[1] if match else ""
    return ""
