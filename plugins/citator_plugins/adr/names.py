"""File names -> which files are records, and what people call them."""

import re
from dataclasses import dataclass

from citator.expressions import expression

_DATE = expression(r"(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}-\d{2})(?=[-_.\s]|$)")
_NUMBER = expression(
    r"(?P<prefix>(?:[A-Za-z]+[-_ ])*?(?:[A-Za-z]+)?)(?P<sep>[-_ ]?)(?P<number>\d{1,6}[a-z]?)(?P<version>-[vw]\d+)?(?=$|[-_.\s])"
    r"[-_.\s]*(?P<slug>.*)$",
    re.DOTALL,
)
_INDEX = frozenset(
    "readme index summary process glossary contributing changelog license toc template about overview guidelines guide adr adrs "
    "decisions".split()
)
_NEVER = frozenset("readme index toc template changelog".split())
_OTHER = expression(
    r"design-?review|review|meeting|minutes|notes?|release|sprint|roadmap|v|chapter|step|part|draft-notes|report|figure|diagram|q",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Name:
    """What a path says of a record: its number with the prefix before it, or its date; `stem` is the name without its ending."""

    stem: str
    prefix: str = ""
    number: str = ""
    version: str = ""
    slug: str = ""
    dated: bool = False
    template: bool = False
    index: bool = False

    @property
    def id(self) -> str:
        """What two files of one record have in common."""
        return f"{self.prefix}{self.number}{self.version}".lower() or self.stem

    @property
    def label(self) -> str:
        """The short name: `ADR-0168`, `OEP-0017`, or the stem where there is no number."""
        if not self.number:
            return self.stem
        prefix = self.prefix if any(c.isupper() for c in self.prefix) else self.prefix.upper()
        return f"{prefix or 'ADR-'}{self.number}{self.version}"


def name_of(path: str) -> Name:
    """The name of a file; a README or index is named by its folder."""
    parts = path.split("/")
    stem = parts[-1].rpartition(".")[0] or parts[-1]
    index = stem.lower() in ("readme", "index") and len(parts) > 1
    if index:
        stem = parts[-2]
    if re.search(r"(?:^|/)\.?templates?/", path.lower()):
        return Name(stem, template=True)
    if match := _DATE.match(stem):
        return Name(stem, slug=stem[match.end() :].strip("-_. "), dated=True, index=index)
    match = _NUMBER.match(stem)
    if not match or _OTHER.fullmatch(match["prefix"].strip("-_ ")):
        template = bool(re.search(r"template|x{3,}|n{3,}", stem, re.I)) or stem.lower() in _INDEX
        return Name(stem, slug=stem, template=template, index=index)
    number, slug = match["number"], match["slug"]
    blank = int(re.sub(r"\D", "", number)) == 0
    template = slug.lower() in _NEVER or (blank and (slug.lower() in _INDEX or "template" in slug.lower()))
    return Name(stem, match["prefix"] + match["sep"], number, match["version"] or "", slug, template=template, index=index)
