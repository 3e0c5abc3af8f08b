"""Plain text memos for citator."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from citator.api import (
    ConfigPath,
    Declaration,
    Document,
    Embedding,
    Found,
    Hit,
    Model,
    Place,
    Postprocessor,
    Problems,
    Reading,
    Record,
    Renderer,
    Source,
    SourceError,
    StatusResolver,
    View,
    hookimpl,
    inert,
)

if TYPE_CHECKING:
    from citator_example.newest import NewestFirst


def head(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The `Key: value` lines below the title, up to the first empty line."""
    for line in takewhile(str.strip, lines[1:]):
        key, _, value = line.partition(":")
        yield key.strip().lower(), value.strip()


class Memos(Source):
    """One record for each `.txt` file in a folder; its first line is the title, its name the label."""

    default_status_resolver: ClassVar[str] = "tagged"

    path: ConfigPath
    """The folder of the memos."""

    kind: str = "memo"
    """What its records are called."""

    @property
    def root(self) -> Path:
        """The folder of the memos."""
        return self.path

    def load(self, problems: Problems) -> Iterator[Record]:
        """The memos, the highest number first."""
        try:
            files = sorted((file for file in self.path.iterdir() if file.suffix == ".txt"), reverse=True)
        except OSError as error:
            raise SourceError(f"{self.path}: cannot be listed ({error.strerror}); correct the path") from error
        for file in files:
            try:
                title, *body = file.read_text("utf-8-sig").splitlines() or [""]
            except (OSError, UnicodeDecodeError) as error:
                problems.add(file, error)
                continue
            date = dict(head([title, *body])).get("date", "")
            yield Record(
                id=file.name, kind=self.kind, title=title, text="\n".join(body), label=file.stem, date=date, path=str(file)
            )

    @classmethod
    def discover(cls, folder: Path) -> Iterator[Found]:
        """The project's folder `memos`."""
        if (folder / "memos").is_dir():
            yield Found({"path": "memos"}, "plain text memos")


class Tagged(StatusResolver):
    """What the `Key: value` lines below a memo's title declare."""

    suffixes: ClassVar[tuple[str, ...]] = (".txt",)

    def wants(self, path: str) -> bool:
        """The same files as `memos` reads: those of the folder itself."""
        return super().wants(path) and "/" not in path

    def parse(self, path: str, text: str) -> Reading:
        """One document, and a declaration for each line of its head; what they mean is for the rule to say."""
        lines = text.splitlines() or [""]
        declared: Mapping[str, str] = dict(head(lines))
        label = path.removesuffix(".txt")
        document = Document(path, title=lines[0], label=label, date=declared.get("date", ""), aliases=(label,))
        declarations = [Declaration(path, Place.HEADER, key, value, at) for at, (key, value) in enumerate(head(lines), start=2)]
        return Reading((document,), tuple(declarations))


class Bullets(Renderer):
    """A bullet for each record and nothing else."""

    bullet: str = "*"
    """What stands in front of each record."""

    def render(self, hits: Sequence[Hit]) -> str:
        """One line for each hit; `inert` keeps a record's text from breaking out of it."""
        return "\n".join(" ".join(filter(None, (self.bullet, hit.mark, inert(hit.record.title)))) for hit in hits)


class Words(Embedding):
    """Finds what shares a word with the message: no model, no download, no meaning."""

    dimension: int = Field(default=256, ge=16)
    """How many numbers a vector has."""

    def load(self, *, indexing: bool) -> Model:
        """The model; LlamaIndex is imported only here, where the YAML uses it."""
        from citator_example.words import WordsEmbedding

        return Model(
            WordsEmbedding(dimension=self.dimension),
            fingerprint=f"words-1-{self.dimension}",
            dimension=self.dimension,
            window=1000,
            count_tokens=lambda text: len(text.split()),
        )


class Newest(Postprocessor):
    """Puts the latest record first."""

    def build(self, view: View) -> "NewestFirst":
        """The step."""
        from citator_example.newest import NewestFirst

        return NewestFirst()


@hookimpl
def register_sources() -> dict[str, type[Source]]:
    """Offers `memos`."""
    return {"memos": Memos}


@hookimpl
def register_status_resolvers() -> dict[str, type[StatusResolver]]:
    """Offers `tagged`."""
    return {"tagged": Tagged}


@hookimpl
def register_renderers() -> dict[str, type[Renderer]]:
    """Offers `bullets`."""
    return {"bullets": Bullets}


@hookimpl
def register_embeddings() -> dict[str, type[Embedding]]:
    """Offers `words`."""
    return {"words": Words}


@hookimpl
def register_postprocessors() -> dict[str, type[Postprocessor]]:
    """Offers `newest`."""
    return {"newest": Newest}
