"""Chains of successors: their live ends, and the circles among them."""

from collections.abc import Iterator, Mapping, Sequence

from citator.records import Status

_STANDS = (Status.LIVE, Status.PARTIALLY_SUPERSEDED)


def live_ends(start: str, following: Mapping[str, Sequence[str]], statuses: Mapping[str, Status]) -> tuple[str, ...]:
    """The records in force, wholly or in part, at which the chains from `start` end, in the order of the declared successors."""
    ends: dict[str, None] = {}
    seen = {start}
    todo = list(reversed(following[start]))
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        if statuses[path] in _STANDS:
            ends[path] = None
        else:
            todo += reversed(following[path])
    return tuple(ends)


def loops(following: Mapping[str, Sequence[str]]) -> Iterator[frozenset[str]]:
    """Every largest set of at least two records that replace each other in circles (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: dict[str, None] = {}
    for start in following:
        work = [(start, iter(following[start]))] if start not in order else []
        while work:
            path, rest = work[-1]
            if path not in order:
                order[path] = low[path] = len(order)
                open_[path] = None
            for after in rest:
                if after not in order:
                    work.append((after, iter(following[after])))
                    break
                if after in open_:
                    low[path] = min(low[path], order[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[path])
                if low[path] == order[path]:
                    found = {open_.popitem()[0]}
                    while path not in found:
                        found.add(open_.popitem()[0])
                    if len(found) > 1:
                        yield frozenset(found)
