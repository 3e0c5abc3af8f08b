"""The status resolver `kep`: Kubernetes Enhancement Proposals, and those of the projects that follow its form."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from citator.api import Declaration, Place, Reading, StatusResolver, hookimpl
from citator.expressions import expression
from citator_plugins._series import Field, Series, reading, yaml_head

_FOLDER = expression(r"(?<![\w/])(?:https?://\S+?/|/)?(keps/(?:[\w.-]+/)*?[\w.-]+?)/?(?:/README\.md|/kep\.yaml)?(?![\w./-])")
_SAMPLE = expression(r"/sig-(?:aaa|bbb|ccc)/|/?keps/NNNN")
_HINT = expression(r"^status:\s*\S+\s+#\s*(.*\bby\b.*)$", re.MULTILINE)


class Kep(Series):
    """Reads `NNNN-slug/kep.yaml`; the references that the template comes with are nothing."""

    name: ClassVar[re.Pattern[str]] = expression(r"(?:^|/)(?P<number>\d+)-(?P<slug>[^/]+)/kep\.yaml$")

    def parse(self, path: str, text: str) -> Reading:
        """One KEP from its metadata."""
        name = self.name.search(path)
        assert name is not None  # only files of this name are wanted
        fields = (Field(f.name, "\n".join(_links(f)), f.line) for f in yaml_head(text.split("\n")))
        number = str(int(name["number"]))
        found = reading(path, f"KEP-{number}", fields, names=(number, f"{name['number']}-{name['slug']}"))
        hint = _HINT.search(text)  # that a KEP is replaced is in a field, by which one perhaps in the comment beside it
        if hint is None:
            return found
        line = text.count("\n", 0, hint.start()) + 1
        return Reading(found.documents, (*found.declarations, Declaration(path, Place.LINK, "", _linked(hint[1]), line)))


def _links(field: Field) -> Iterator[str]:
    """The items of a field; a path from the root of the repository is a link to the folder's metadata."""
    for item in field.text.split("\n"):
        if not _SAMPLE.search(item):
            yield _linked(item)


def _linked(text: str) -> str:
    return _FOLDER.sub(lambda found: f"[{found[0]}](/{found[1]}/kep.yaml)", text)


@hookimpl
def register_status_resolvers() -> Mapping[str, type[StatusResolver]]:
    """Offers `kep`."""
    return {"kep": Kep}
