"""Verdict -> mark: how the standing of a decision is written in front of its headline."""

from citator.records import Status, Successor, Trouble, Verdict
from citator.text import cut, inert

_LABEL = 40
"""The most bytes of a successor's label."""

_NAMED = 2
"""The most successors that a mark names."""

_MARKS = {
    Status.LIVE: "",
    Status.SUPERSEDED: "⚠️superseded",
    Status.PARTIALLY_SUPERSEDED: "△partially superseded",
    Status.PROPOSED: "△proposed (not approved)",
    Status.REJECTED: "⚠️rejected",
    Status.DEPRECATED: "⚠️deprecated",
    Status.UNKNOWN: "status unknown",
}

_DOUBT = "△may be replaced (a record cannot be read)"


def mark(verdict: Verdict) -> str:
    """The mark of a verdict, empty for a live record; one line without control or bidi characters."""
    text = _MARKS[verdict.status]
    if verdict.status in (Status.SUPERSEDED, Status.PARTIALLY_SUPERSEDED):
        text += f" → {_names(verdict.successors) or '?'}"
        declared = {s.path for s in verdict.successors}
        if ends := _names(tuple(s for s in verdict.current if s.path not in declared)):
            text += f" (now {ends})"
    doubted = verdict.status is not Status.UNKNOWN and any(caution.trouble is Trouble.UNREADABLE for caution in verdict.warnings)
    return f"{text} {_DOUBT}".lstrip() if doubted else text


def rejected_mark(instead: str) -> str:
    """The mark of an approach that was turned down, with what was chosen instead, if anything."""
    text = _MARKS[Status.REJECTED]
    return f"{text} → {cut(inert(instead), _LABEL)}" if instead else text


def _names(successors: tuple[Successor, ...]) -> str:
    known = [s for s in successors if not s.missing]
    names = [_name(s) for s in known[:_NAMED]]
    if len(known) > _NAMED:
        names.append(f"+{len(known) - _NAMED}")
    return ", ".join(names)


def _name(successor: Successor) -> str:
    if successor.external:
        return " ".join(filter(None, ("external", cut(inert(successor.title or successor.repository), _LABEL))))
    return cut(inert(successor.label or successor.path), _LABEL)
