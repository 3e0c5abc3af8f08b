"""Lines such as `- **Status**: accepted` -> their label and what it means."""

import re

from citator.api import Relation, field_meaning, is_status, may_replace
from citator.expressions import expression
from citator_plugins.adr.dates import LABELS

_MARK = r"(?:\*{1,3}|_{1,3}|`|</?(?:b|strong|em|i|p|span)>)?"
_BEFORE = (
    r"\s*(?:>\s*)*(?:[-*+•]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s*)?(?:\((?=[^()]*\)\s*$)|\[(?=[^\[\]]*\]\s*$))?"
    rf"{_MARK}(?:[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f]+\s*)?{_MARK}(?P<label>[^\W\d_][\w '’/-]{{0,38}}?)\s*+"
)
_LABELLED = expression(
    rf"{_BEFORE}{_MARK}\s*+"
    r"(?:::?(?=[\s*_\[<`\"'\d{]|$)|(?<=tatus):(?=[A-Z])|(?<=tatus\*\*):|：|(?<=\*\* )[—–-]\s)\s*"
    r"(?:\*{1,3}|_{1,3}|</(?:b|strong|em|i|span)>)?\s*(?P<value>.*)$"
)
_UNPARTED = expression(rf"{_BEFORE}(?:(?:\*\*|__)[\s|]*(?=\S|$)|\s[—–=-]\s|(?<=\s)[—–=-]\s|$)\s*(?P<value>.*)$")
"""A status without a colon: `**Status** accepted`, `Status - accepted`."""
ROW = expression(r"\s*\|(.*\|.*)$")
_BOXES = frozenset("note warning update attention important caution tip".split())
USUAL = frozenset(
    "title tags id slug authors author deciders type created updated category scope tickets project number adr version "
    "owner owners area".split()
).union(LABELS)


def labelled(line: str) -> re.Match[str] | None:
    """A line that is a field: its `label` and its `value`."""
    if match := _LABELLED.match(line):
        return match
    match = _UNPARTED.match(line)
    return match if match and is_status(name := name_of_label(match["label"])) and name != "state" else None


def meaning(label: str) -> bool:
    """Whether a label says something of a record's standing."""
    return is_status(label) or field_meaning(label)[0] is not None


def is_note(label: str) -> bool:
    """Whether what looks like a label is the beginning of a note."""
    name = name_of_label(label)
    return not meaning(name) and (name in _BOXES or may_replace(name))


def name_of_label(label: str) -> str:
    """A label as the name of a field: in lower case, without markup."""
    return " ".join(re.sub(r"[*_`:：]|\[[ xX]\]|<[^<>]*>", " ", label).replace("-", " ").lower().split())


def relation_of(line: str) -> Relation | None:
    """The relation with which a line is labelled, unless it would end the record itself: that is not told in a later section."""
    match = _LABELLED.match(line)
    relation = field_meaning(name_of_label(match["label"]))[0] if match else None
    return relation if relation in (Relation.ENDS, Relation.CHANGES, Relation.CHANGED_BY) else None
