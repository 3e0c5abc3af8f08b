"""From the records handed over to those that are declared to be connected with them: a LlamaIndex node postprocessor."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from citator.marks import mark
from citator.postprocessing import View
from citator.postprocessors import stamp
from citator.prose import Reference
from citator.records import Document, Edge, EdgeKind, Part, Status

_Key = tuple[str, str]
"""A record: its source's key, or nothing where that is not known, and its id."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How a record was reached: by which connection, from a record of what name, and how much it weighs.

    `further` is the live end of a chain that the edge's evidence only begins.
    """

    edge: Edge
    origin: str
    weight: float
    further: bool = False

    @property
    def said(self) -> str:
        """The connection as the record that was reached would say it, with its evidence."""
        words = "now in force for" if self.further else self.edge.turned().words
        return f"{words} {self.origin} ({self.edge.evidence})"


class Expansion(BaseNodePostprocessor):
    """Adds the records that are one declared connection away: the heaviest first, of equals the most similar, none twice.

    The live ends of superseded records' chains come before all others, however many. A node that was added has `part` in its
    metadata, the connection as its description, and its real standing in front of its text as any other.
    """

    most: int
    notes: bool
    cites: bool
    _weights: Mapping[EdgeKind, float] = PrivateAttr()
    _view: View = PrivateAttr()

    def __init__(self, view: View, most: int, weights: Mapping[EdgeKind, float], notes: bool, cites: bool) -> None:
        super().__init__(most=most, notes=notes, cites=cites)
        self._view, self._weights = view, weights

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name for the class."""
        return "Expansion"

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        headlines = [node for node in nodes if not node.node.metadata.get("part")]
        there = {(node.node.metadata["source"], node.node.metadata["record"]) for node in nodes}
        there |= {(source.removesuffix("#rejected"), record.partition("#rejected")[0]) for source, record in there}
        ways: dict[_Key, _Way] = {}
        for node in headlines:
            for key, way in self._ways(node):
                if key not in there and (key not in ways or way.weight > ways[key].weight):
                    ways[key] = way
            if self.cites:
                self._say_what_it_cites(node)
        if not ways or query_bundle is None or not self.most:
            return nodes
        found = {key: node for key, node in self._nodes(query_bundle, ways) if key not in there}
        weighed = {key: _weighed(_way(ways, key), node) for key, node in found.items()}
        reached = {key: way for key, way in weighed.items() if way.weight > 0}
        order = sorted(reached, key=lambda key: (-reached[key].weight, -(found[key].score or 0.0), key))
        ends = sum(way.weight == float("inf") for way in reached.values())
        return [*nodes, *(self._related(found[key], reached[key]) for key in order[: max(self.most, ends)])]

    def _ways(self, node: NodeWithScore) -> Iterator[tuple[_Key, _Way]]:
        data = node.node.metadata
        source, record, name = data["source"], data["record"], data["label"] or data["title"]
        standings = self._view.standings(source)
        if standings is None:
            for edge, key in self._edges_of_note(node) if self.notes else ():
                yield key, _Way(edge, name, self._weights[edge.kind])
            return
        documents = standings.documents
        verdict = standings.verdicts.get(record)
        if verdict and verdict.status in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
            declared = {successor.path for successor in verdict.successors}
            for end in verdict.current:
                if end.path in documents and end.path != record:
                    edge = Edge(record, EdgeKind.SUPERSEDED_BY, end.path, verdict.evidence)
                    yield (source, end.path), _Way(edge, name, float("inf"), end.path not in declared)
        for edge in standings.edges.get(record, ()):
            weight = self._weights[edge.kind] * documents[edge.end].weight
            if weight > 0:
                yield (source, edge.end), _Way(edge, name, weight)

    def _edges_of_note(self, node: NodeWithScore) -> Iterator[tuple[Edge, _Key]]:
        """What a note is connected with: decisions by any name, else records of that id in sources without standing."""
        for kind, end, evidence in node.node.metadata.get("edges", ()):
            known = self._decision(end)
            key = known or ("", end)
            yield Edge(node.node.metadata["record"], EdgeKind(kind), key[1], evidence), key

    def _decision(self, name: str) -> _Key | None:
        """The one decision that a note's words or link mean."""
        found: list[_Key] = []
        for source in self._view.sources:
            standings = self._view.standings(source)
            if standings is not None:
                target = name if "/" in name or "." in name else ""
                found += [(source, path) for path in standings.library.find(Reference(name, target), "").paths]
        return found[0] if len(found) == 1 else None

    def _say_what_it_cites(self, node: NodeWithScore) -> None:
        """Puts the verdicts on the superseded decisions that a note links to in front of its description."""
        data = node.node.metadata
        if self._view.standings(data["source"]) is not None:
            return
        said = []
        for _, (source, path) in self._edges_of_note(node):
            standings = self._view.standings(source) if source else None
            verdict = standings.verdicts[path] if standings else None
            if standings and verdict and verdict.status is Status.SUPERSEDED:
                said.append(f"cites {standings.documents[path].label or path} {mark(verdict)}")
        if said:
            data["description"] = "; ".join(filter(None, (*dict.fromkeys(said), data["description"])))

    def _nodes(self, bundle: QueryBundle, keys: Iterable[_Key]) -> Iterator[tuple[_Key, NodeWithScore]]:
        """The records as the store has them, with their similarity; a decision that is not there yet as its folder has it."""
        wanted: dict[str, list[str]] = {}
        for source, record in keys:
            wanted.setdefault(source, []).append(record)
        for source, records in wanted.items():
            standings = self._view.standings(source) if source else None
            anywhere = [key for key in self._view.sources if self._view.standings(key) is None]
            stored = self._view.records(bundle, [source] if source else anywhere, records)
            found = {(node.node.metadata["source"], node.node.metadata["record"]): node for node in stored}
            yield from found.items()
            if standings:
                for record in records:
                    if (source, record) not in found:
                        yield (source, record), _unstored(source, standings.documents[record])

    def _related(self, node: NodeWithScore, way: _Way) -> NodeWithScore:
        data = node.node.metadata
        weight = "" if way.weight == float("inf") else f", weight {way.weight:g}"
        data["part"], data["description"] = Part.RELATED.value, way.said
        data["why"] = f"{way.said}{weight or ', the live end of its chain'}"
        standings = self._view.standings(data["source"])
        if standings:
            stamp(node, standings.verdicts.get(data["record"]))
        return node


def _way(ways: Mapping[_Key, _Way], key: _Key) -> _Way:
    return ways.get(key) or ways["", key[1]]


def _weighed(way: _Way, node: NodeWithScore) -> _Way:
    """The way with the record's own weight, which the store knows where no status resolver reads it."""
    return replace(way, weight=way.weight * node.node.metadata.get("weight", 1.0))


def _unstored(source: str, document: Document) -> NodeWithScore:
    data = {
        "source": source,
        "record": document.path,
        "kind": "decision",
        "title": document.title,
        "description": "",
        "label": document.label,
        "date": document.date,
        "path": document.file,
    }
    return NodeWithScore(node=TextNode(text=document.title, metadata=data), score=0.0)
