"""What replaced and amended what, as a picture: Mermaid, Graphviz dot, or a drawing that needs nothing else."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from citator.records import EdgeKind, Status, Successor
from citator.standings import Standings
from citator.text import cut, inert

COLOURS: Mapping[Status, str] = {
    Status.LIVE: "#d7f0dd",
    Status.SUPERSEDED: "#e3e3e3",
    Status.PARTIALLY_SUPERSEDED: "#f3ecc8",
    Status.PROPOSED: "#dbe7fb",
    Status.REJECTED: "#f6d5d5",
    Status.DEPRECATED: "#ead9c9",
    Status.UNKNOWN: "#ffffff",
}


@dataclass(frozen=True, slots=True)
class Node:
    """One record, or what an external successor is known by."""

    label: str
    title: str
    status: Status


@dataclass(frozen=True, slots=True)
class Graph:
    """Records by a key of their own, and arrows from what was replaced (or amended) to what did it, with what the arrow says."""

    nodes: Mapping[str, Node]
    arrows: Sequence[tuple[str, str, str]]


def around(standings: Standings, path: str) -> Graph:
    """A record with all that is connected with it, and what connects those with each other; arrows say where it is declared."""
    near = dict.fromkeys((path, *(edge.end for edge in standings.edges.get(path, ()))))
    documents, verdicts = standings.documents, standings.verdicts
    nodes = {at: Node(documents[at].label or at, documents[at].title, verdicts[at].status) for at in near}
    arrows: list[tuple[str, str, str]] = []
    drawn: set[tuple[str, str, str]] = set()
    for start in near:
        for edge in standings.edges.get(start, ()):
            if edge.kind in (EdgeKind.SUPERSEDES, EdgeKind.AMENDS):
                edge = edge.turned()
            known = {(edge.start, edge.kind, edge.end), (edge.end, edge.kind.inverse, edge.start)}
            if {edge.start, edge.end} <= near.keys() and not known & drawn:
                drawn |= known
                arrows.append((edge.start, edge.end, f"{edge.words} ({edge.evidence})"))
    return Graph(nodes, arrows)


def graph_of(standings: Standings, everything: bool = False) -> Graph:
    """The records between which there is a relation, or all of them."""
    known = {
        document.path: Node(document.label or document.path, document.title, verdict.status)
        for document, verdict in standings.entries()
    }
    arrows: list[tuple[str, str, str]] = []
    for path, verdict in standings.verdicts.items():
        word = "partly superseded by" if verdict.status is Status.PARTIALLY_SUPERSEDED else "superseded by"
        arrows += [(path, _key(successor), word) for successor in verdict.successors]
        arrows += [(path, _key(other), "amended by") for other in verdict.amended_by]
        for successor in verdict.successors:
            known.setdefault(_key(successor), Node(successor.label or successor.external, successor.title, Status.UNKNOWN))
    joined = {end for arrow in arrows for end in arrow[:2]}
    return Graph({path: node for path, node in known.items() if everything or path in joined}, arrows)


def _key(successor: Successor) -> str:
    return successor.path or successor.external or f"missing: {successor.label}"


def mermaid(graph: Graph) -> str:
    """The graph for a Markdown page."""
    names = {path: f"r{n}" for n, path in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    for path, node in graph.nodes.items():
        lines.append(f'    {names[path]}["{_entities(_text(node))}"]:::{node.status.name.lower()}')
    for old, new, word in graph.arrows:
        said = _entities(inert(word)).replace("(", "#40;").replace(")", "#41;")
        lines.append(f"    {names[old]} {'-->' if _replaces(word) else '-.->'}|{said}| {names[new]}")
    lines += [f"    classDef {status.name.lower()} fill:{colour},stroke:#666,color:#111" for status, colour in COLOURS.items()]
    return "\n".join(lines)


def _replaces(word: str) -> bool:
    return word.startswith("supersede")


def _entities(text: str) -> str:
    return "".join(char if char.isalnum() or char in " .,:/-_()" else f"#{ord(char)};" for char in text)


def dot(graph: Graph) -> str:
    """The graph for Graphviz."""
    lines = ["digraph decisions {", "    rankdir=LR;", '    node [shape=box, style="filled,rounded", fontname="sans-serif"];']
    for path, node in graph.nodes.items():
        lines.append(f'    {_quoted(path)} [label={_quoted(_text(node))}, fillcolor="{COLOURS[node.status]}"];')
    for old, new, word in graph.arrows:
        style = "" if _replaces(word) else ", style=dashed"
        lines.append(f"    {_quoted(old)} -> {_quoted(new)} [label={_quoted(word)}{style}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + inert(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _text(node: Node) -> str:
    return inert(f"{node.label}: {cut(node.title, 60)}" if node.title else node.label)


TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>'
)
WIDTH, HEIGHT, ACROSS, DOWN = 250, 46, 120, 18
"""Pixels of a box, and between boxes."""


def svg(graph: Graph) -> str:
    """The graph as a drawing: what was replaced on the left, what replaced it to the right of it."""
    places = _places(graph)
    width = max((x for x, _ in places.values()), default=0) + WIDTH + 20
    height = max((y for _, y in places.values()), default=0) + HEIGHT + 20
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">', TIP]
    for old, new, word in graph.arrows:
        parts.append(_arrow(places[old], places[new], word))
    for path, node in graph.nodes.items():
        x, y = places[path]
        title = cut(inert(node.title), 38)
        parts.append(
            f"<g><title>{escape(f'{_text(node)} ({node.status})')}</title>"
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{COLOURS[node.status]}" stroke="#666"/>'
            f'<text x="{x + 10}" y="{y + 18}" font-weight="bold">{escape(cut(inert(node.label), 34))}</text>'
            f'<text x="{x + 10}" y="{y + 36}" fill="#333">{escape(title)}</text></g>'
        )
    return "\n".join([*parts, "</svg>"])


def _arrow(start: tuple[int, int], end: tuple[int, int], word: str) -> str:
    x1, y1, x2, y2 = start[0] + WIDTH, start[1] + HEIGHT // 2, end[0], end[1] + HEIGHT // 2
    bend = max(40, abs(x2 - x1) // 2)
    dashes = "" if _replaces(word) else ' stroke-dasharray="5 4"'
    curve = f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
    return (
        f'<path d="{curve}" fill="none" stroke="#555" marker-end="url(#tip)"{dashes}><title>{escape(inert(word))}</title></path>'
    )


def _places(graph: Graph) -> dict[str, tuple[int, int]]:
    """Where each box is: its column is the longest way that leads to it, and what belongs together lies in neighbouring rows."""
    following: defaultdict[str, list[str]] = defaultdict(list)
    joined: defaultdict[str, set[str]] = defaultdict(set)
    for old, new, _ in graph.arrows:
        following[old].append(new)
        joined[old].add(new)
        joined[new].add(old)
    columns: dict[str, int] = {}
    rows: dict[str, int] = {}
    row = 0
    for start in graph.nodes:
        if start in columns:
            continue
        group = _group(start, joined)
        columns |= _columns(group, following)
        taken: defaultdict[int, int] = defaultdict(lambda: row)  # noqa: B023 - used up before the row goes on
        for path in group:
            rows[path] = taken[columns[path]]
            taken[columns[path]] += 1
        row = max(taken.values())
    return {path: (10 + columns[path] * (WIDTH + ACROSS), 10 + rows[path] * (HEIGHT + DOWN)) for path in graph.nodes}


def _group(start: str, joined: Mapping[str, Iterable[str]]) -> list[str]:
    found, todo = {start: None}, [start]
    while todo:
        for path in sorted(joined.get(todo.pop(), ())):
            if path not in found:
                found[path] = None
                todo.append(path)
    return sorted(found)


def _columns(group: Sequence[str], following: Mapping[str, Iterable[str]]) -> dict[str, int]:
    columns = dict.fromkeys(group, 0)
    for _ in group:  # a circle would push its members on for ever
        moved = False
        for path in group:
            for after in following.get(path, ()):
                if after != path and columns[after] <= columns[path] < len(group):
                    columns[after], moved = columns[path] + 1, True
        if not moved:
            break
    used = sorted(set(columns.values()))
    return {path: used.index(column) for path, column in columns.items()}


def html(graph: Graph, heading: str) -> str:
    """The drawing as a page with a legend; nothing is fetched from anywhere."""
    legend = "".join(f'<li><span style="background:{colour}"></span>{escape(status)}</li>' for status, colour in COLOURS.items())
    style = (
        "body{font-family:sans-serif;margin:1.5rem}ul{list-style:none;padding:0;display:flex;gap:1rem;flex-wrap:wrap}"
        "li span{display:inline-block;width:1rem;height:1rem;border:1px solid #666;margin-right:.4rem;vertical-align:middle}"
    )
    head = f'<meta charset="utf-8"><title>{escape(heading)}</title><style>{style}</style>'
    advice = (
        "An arrow leads from a record to the one that replaced it; a dashed one is another connection: point at it to read which."
    )
    body = f"<h1>{escape(heading)}</h1><ul>{legend}</ul>\n<p>{advice}</p>\n{svg(graph)}"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}\n</body></html>'
