"""Decision records in the forms that people write them."""

import csv
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from citator.api import Problems, SourceError, Status, decide
from citator.index import DecisionIndex
from citator_plugins.adr import AdrResolver
from citator_plugins.adr.reading import readable
from citator_plugins.adr.source import Adr

SHARED = Path(__file__).parents[3] / "shared" / "adr"

ACCEPTED = "# Newer\n\n## Status\n\nAccepted\n"


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def index(folder: Path, files: Mapping[str, str | bytes]) -> DecisionIndex:
    return DecisionIndex(write(folder, files), AdrResolver(type="adr"))


def told(folder: Path, files: Mapping[str, str | bytes]) -> dict[str, str]:
    """path -> "status → successors @line of the evidence"."""
    found = {}
    for path, verdict in index(folder, files).verdicts().items():
        by = ", ".join(s.path or s.external or f"missing {s.label}" for s in verdict.successors)
        line = verdict.evidence.removeprefix(f"{path}:")
        found[path] = verdict.status.value + (f" → {by}" if by else "") + (f" @{line}" if line else "")
    return found


FORMS: dict[str, tuple[str, str, str]] = {
    "section": (
        "0001-a.md",
        "# 1. A\n\nDate: 2024-01-01\n\n## Status\n\nSuperseded by [2. New](0002-new.md)\n\n## Context\n",
        "superseded @7",
    ),
    "section with history": (
        "0001-a.md",
        "# 1. A\n\n## Status\n\nAccepted (all agreed)\n\nSuperceded by [2. New](0002-new.md)\n",
        "superseded @7",
    ),
    "section with a wrapped line": (
        "0001-a.md",
        "# 1. A\n\n## Status\n\nAccepted, then superseded by\n[2. New](0002-new.md)\n",
        "superseded @5",
    ),
    "section at the end": (
        "adr-001-a.md",
        "# A\n\n## Context\n\nSo.\n\n## Decision\n\nYes.\n\n## Status\n\nSuperseded by ADR-2\n",
        "superseded @13",
    ),
    "section deeper": ("0001-a.md", "# A\n\n## About\n\n### Status\n\nSuperseded by ADR-2\n", "superseded @7"),
    "status in the heading": ("0001-a.md", "# A\n\n## Status: superseded by ADR-2\n\n## Context\n", "superseded @3"),
    "underlined headings": ("0001-a.md", "A\n=\n\nStatus\n------\n\nSuperseded by ADR-2\n", "superseded @7"),
    "front matter": ("0001-a.md", '---\nstatus: "superseded by ADR-0002"\ndate: 2024-01-01\n---\n# A\n', "superseded @2"),
    "front matter with a field": ("0001-a.md", "---\nstatus: accepted\nsuperseded-by: [ADR-0002]\n---\n# A\n", "superseded @3"),
    "front matter with a list": (
        "0001-a.md",
        "---\nstatus: Deprecated\nreplaced_by:\n- 0002-new.md\n---\n# A\n",
        "superseded @3",
    ),
    "front matter that is no YAML": (
        "0001-a.md",
        "---\ntitle: A: b: c\nstatus: superseded by [2](0002-new.md)\n---\n# A\n",
        "superseded @3",
    ),
    "front matter with a comment": ("0001-a.md", "---\nstatus: superseded by ADR-2 # not by ADR-3\n---\n# A\n", "superseded @2"),
    "front matter with a byte order mark": ("0001-a.md", "\ufeff---\nstatus: superseded by ADR-2\n---\n# A\n", "superseded @2"),
    "Windows line ends": ("0001-a.md", "# A\r\n\r\n## Status\r\n\r\nSuperseded by ADR-2\r\n", "superseded @5"),
    "bullet": ("0001-a.md", "# A\n\n* Status: **superseded by [ADR-2](./0002-new.md)**\n* Deciders: us\n", "superseded @3"),
    "bullet of a field": ("0001-a.md", "# A\n\n- status: accepted\n- superseded by: [0002 New](0002-new.md)\n", "superseded @4"),
    "bullet with nested ones": (
        "0001-a.md",
        "# A\n\n- Status: accepted\n- Superseded by:\n  - [0002 New](0002-new.md)\n",
        "superseded @5",
    ),
    "bold label": ("0001-a.md", "# A\n\n**Status:** Superseded by [2](0002-new.md) | **Date:** 2024-01-01\n", "superseded @3"),
    "plain label": ("0001-a.md", "# A\n\nStatus: Superseded by ADR-2\nDate: 2024-01-01\n", "superseded @3"),
    "links section": (
        "0001-a.md",
        "# A\n\n- Status: accepted\n\n## Links\n\n- Superseded by [New](0002-new.md)\n",
        "superseded @7",
    ),
    "section named by the relation": (
        "0001-a.md",
        "# A\n\n## Status\n\nAccepted\n\n## Superseded by\n\n- [New](0002-new.md)\n",
        "superseded @9",
    ),
    "table of two columns": (
        "0001-a.md",
        "# A\n\n| | |\n|---|---|\n| **Status** | Accepted |\n| Superseded by: | [2](0002-new.md) |\n",
        "superseded @6",
    ),
    "table with a header row": (
        "0001-a.md",
        "# A\n\n| Status | Date | Author(s) |\n|---|---|---|\n| Superseded by [2](0002-new.md) | 2024 | me |\n",
        "superseded @5",
    ),
    "table whose first row is a field": (
        "0001-a.md",
        "# A\n\n| Date | 2024-01-01 |\n|---|---|\n| Status | Superseded by ADR-2 |\n",
        "superseded @5",
    ),
    "blockquote": (
        "0001-a.md",
        '# A\n\n## Status\n\n> A record is "proposed" or "superseded".\n\n> Superseded by ADR-2\n',
        "superseded @7",
    ),
    "check boxes": (
        "0001-a.md",
        "# A\n\n## Status\n\n- [ ] Proposed\n- [ ] Accepted\n- [x] Superseded by ADR-2\n",
        "superseded @7",
    ),
    "note on top": ("0001-a.md", "---\nstatus: superseded\n---\n\nSuperseded by [2](0002-new.md).\n\n# A\n", "superseded @2"),
    "reference link": ("0001-a.md", "# A\n\n## État\n\nRemplacé par [la suite][next]\n\n[next]: 0002-new.md\n", "superseded @5"),
    "German": ("0001-a.md", "# A\n\n**Status:** ersetzt durch [ADR-0002](0002-new.md)\n", "superseded @3"),
    "Spanish": ("0001-a.md", "---\nestado: sustituida\npor: [ADR-2]\n---\n# A\n", "superseded @2"),
    "Japanese": ("0001-a.md", "# A\n\n- ステータス: 廃止（ADR-2により置換）\n", "superseded @3"),
    "Chinese": ("0001-a.md", "# A\n\n状态：已被 ADR 0002 取代\n", "superseded @3"),
    "grid table": (
        "0001-a.rst",
        "A\n#\n\n+---+---+\n| OEP | one |\n+---+---+\n| Status | Replaced by :ref:`New one` |\n+---+---+\n",
        "superseded @7",
    ),
    "list-table": (
        "0001-a.rst",
        "A\n#\n\n.. list-table::\n   :widths: 1 2\n\n   * - Status\n     - Replaced by :doc:`0002-new`\n",
        "superseded @8",
    ),
    "reStructuredText section": (
        "0001-a.rst",
        "#\nA\n#\n\nStatus\n******\n\nSuperceded by :ref:`new <New one>`.\n",
        "superseded @8",
    ),
    "reStructuredText fields": (
        "0001-a.rst",
        "A\n=\n\n:Status: Superseded by `two <0002-new.md>`_\n:Date: 2024-01-01\n",
        "superseded @4",
    ),
    "reStructuredText box": (
        "0001-a.rst",
        "A\n=\n\n:Status: Replaced\n\n.. warning::\n\n   This record has been replaced by\n   :ref:`New one`.\n",
        "superseded @4",
    ),
    "AsciiDoc section": (
        "001_a.adoc",
        "= A\n\n[source,java]\n----\n== Status\n----\n\n== Status\n\nSuperseded by xref:0002-new.md[two].\n",
        "superseded @10",
    ),
    "AsciiDoc attribute": ("001-a.adoc", "= A\n:status: superseded by ADR-2\n:date: 2024-01-01\n\n== Context\n", "superseded @2"),
    "AsciiDoc bullet": ("001-a.adoc", "= A\n\n* Status: superseded by link:0002-new.md[two]\n", "superseded @3"),
    "AsciiDoc table": ("001-a.adoc", "= A\n\n|===\n|Status |Superseded by ADR-2\n|===\n", "superseded @4"),
    "bold heading": ("0001-a.md", "# A\n\n**Status**\n\nSuperseded by ADR-2\n\n**Context**\n\nSo.\n", "superseded @5"),
    "bare heading": ("0001-a.md", "# A\n\nStatus\n\nSuperseded by ADR-2\n\nContext\n\nSo.\n", "superseded @5"),
    "label with a dash": ("0001-a.md", "# A\n\n- **Status** — superseded by ADR-2\n", "superseded @3"),
    "double colon": ("0001-a.md", "# A\n\nStatus:: superseded by ADR-2\n", "superseded @3"),
    "open table": ("0001-a.md", "# A\n\nStatus | Superseded by ADR-2\n--- | ---\nDate | 2024-01-01\n", "superseded @3"),
    "HTML table": ("0001-a.md", "# A\n\n<tr><td>Status</td><td>Superseded by ADR-2</td></tr>\n", "superseded @3"),
    "badge": ("0001-a.md", "# A\n\n## Status\n\n![superseded by ADR-2](badge.svg)\n", "superseded @5"),
    "TOML": ("0001-a.md", '+++\nstatus = "superseded by ADR-2"\n+++\n# A\n', "superseded @2"),
    "HTML table over several lines": (
        "0001-a.md",
        "# A\n\n<table>\n  <tr>\n    <th>Status</th>\n    <td>\n      Superseded by ADR-2\n    </td>\n  </tr>\n</table>\n",
        "superseded @8",
    ),
    "HTML table with a header row": (
        "0001-a.md",
        "# A\n\n<table>\n<tr><th>Status</th><th>Date</th></tr>\n<tr>\n<td>Superseded by ADR-2</td><td>2024</td>\n</tr>\n",
        "superseded @6",
    ),
    "HTML definition list": (
        "0001-a.md",
        "# A\n\n<dl>\n  <dt>Status</dt>\n  <dd>Superseded by ADR-2</dd>\n  <dt>Date</dt><dd>2024</dd>\n</dl>\n",
        "superseded @5",
    ),
    "HTML label": ("0001-a.md", "# A\n\n<p><b>Status:</b> Superseded by ADR-2</p>\n", "superseded @3"),
    "definition list": ("0001-a.md", "# A\n\nStatus\n: Superseded by ADR-2\n\nDate\n: 2024\n", "superseded @4"),
    "badge of a service": (
        "0001-a.md",
        "# A\n\n![Old](https://b.example/badge/status-superseded-grey?style=flat)\n\n> Superseded by [2](0002-new.md)\n",
        "superseded @3",
    ),
    "JSON in front": (
        "0001-a.md",
        '---json\n{\n  "status": "accepted",\n  "superseded-by": ["ADR-2"]\n}\n---\n# A\n',
        "superseded @4",
    ),
    "TOML with a table": ("0001-a.md", '+++\ntitle = "A"\n[extra]\nstatus="superseded by ADR-2"\n+++\n', "superseded @4"),
    "front matter with objects": (
        "0001-a.md",
        "---\nstatus: superseded\nsuperseded-by:\n  - id: ADR-2\n    title: 'A: b'\n---\n# A\n",
        "superseded @2",
    ),
    "front matter with objects in a line": (
        "0001-a.md",
        "---\nstatus: accepted\nsuperseded_by: [{id: ADR-2, title: New}]\n---\n# A\n",
        "superseded @3",
    ),
    "front matter with named links": (
        "0001-a.md",
        "---\nstatus: accepted\nlinks:\n  - relates_to: ADR-7\n  - superseded_by: ADR-2\n---\n# A\n",
        "superseded @5",
    ),
    "front matter with typed links": (
        "0001-a.md",
        "---\nstatus: accepted\nlinks:\n  - type: superseded-by\n    note: better\n    target: ADR-2\n---\n# A\n",
        "superseded @6",
    ),
    "front matter behind objects": (
        "0001-a.md",
        "---\nadr:\n  related:\n    - id: ADR-7\n      status: live\n  status: superseded by ADR-2\n---\n# A\n",
        "superseded @6",
    ),
    "link below a link to elsewhere": (
        "0001-a.md",
        "# A\n\n- Status: accepted\n\n## History\n\n- [PR 7](https://x.example/7)\n  - Superseded by [2](0002-new.md)\n",
        "superseded @8",
    ),
    "nested front matter": ("0001-a.md", "---\nadr:\n  status: superseded by ADR-2\n---\n# A\n", "superseded @3"),
    "status in brackets in the heading": ("0001-a.md", "# A\n\n## Status (superseded by ADR-2)\n\n## Context\n", "superseded @3"),
    "status behind a dash in the heading": (
        "0001-a.md",
        "# A\n\n## 📌 Status — Superseded by ADR-2\n\n## Context\n",
        "superseded @3",
    ),
    "heading with more in it": ("0001-a.md", "# A\n\n## Status and date\n\nSuperseded by ADR-2\n", "superseded @5"),
    "label without a colon": ("0001-a.md", "# A\n\n- **Status** superseded by ADR-2\n", "superseded @3"),
    "label behind an emoji": ("0001-a.md", "# A\n\n- 📌 **Status:** Superseded by ADR-2\n", "superseded @3"),
    "value in a list below the label": (
        "0001-a.md",
        "# A\n\nStatus: superseded\n\nSuperseded by:\n\n- `0002-new.md`, the rest\n",
        "superseded @3",
    ),
    "value in an indented line": ("0001-a.md", "# A\n\n- Status:\n\n  Superseded by ADR-2\n", "superseded @5"),
    "several fields on a line": ("0001-a.md", "# A\n\n日期：2024-01-01　状态：已被 ADR-2 取代　范围：全部\n", "superseded @3"),
    "fields in bold on a line": ("0001-a.md", "# A\n\n**Date**: 2024-01-01, **Status**: Superseded by ADR-2\n", "superseded @3"),
    "fields below a second heading": (
        "0001-a.md",
        "# ADR\n\n# A\n\n- Status: superseded by ADR-2\n\n## Context\n",
        "superseded @5",
    ),
    "fields in the first section": (
        "0001-a.md",
        "# A\n\n## Document control\n\n| Status | Superseded by ADR-2 |\n|---|---|\n",
        "superseded @5",
    ),
    "directive": (
        "0001-a.rst",
        "A\n=\n\n.. adr::\n   :id: ADR-1\n   :status: Superseded by :doc:`0002-new`\n\n   Text.\n",
        "superseded @6",
    ),
    "tags": ("0001-a.md", "---\ntags: [Superseded]\n---\n# A\n\n## Links\n\n* Superseded by [2](0002-new.md)\n", "superseded @8"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_what_replaced_a_record_and_on_which_line(form: str, tmp_path: Path) -> None:
    name, text, wanted = FORMS[form]
    newer = (
        {"0002-new.rst": ".. _New one:\n\nNew\n===\n\nStatus\n------\n\nAccepted\n"}
        if name.endswith(".rst") and "0002-new.md" not in text
        else {}
    )
    files = {name: text, **(newer or {"0002-new.md": ACCEPTED})}
    successor = next(n for n in files if n != name)
    assert told(tmp_path, files)[name] == wanted.replace(" @", f" → {successor} @")


CLAIMS = {
    "section": "# 2. New\n\n## Status\n\nAccepted\n\nSupersedes [1. A](0001-a.md)\n",
    "front matter": "---\nstatus: accepted\nsupersedes: [ADR-0001]\n---\n# New\n",
    "status field": '---\nstatus: "accepted; supersedes ADR-0001"\n---\n# New\n',
    "header": "# New\n\n**Status**: Accepted (supersedes ADR-001)\n",
    "address": "# New\n\n- Status: accepted\n- Supersedes: https://example.org/me/it/blob/main/adr/0001-a.md\n",
    "links": "# New\n\n- Status: accepted\n\n## Links\n\n- Supersedes [a](0001-a.md)\n",
    "decision": "# New\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use queues. This ADR **supersedes [ADR 1](0001-a.md)**.\n",
    "number": "# New\n\n- Status: accepted\n- Supersedes: No. 1\n",
    "beside a badge": "# New\n\n![x](https://b.example/badge/status-accepted-green) Supersedes ADR-1.\n\n- Status: accepted\n",
    "behind a tag in the text": "# New\n\n- Status: accepted\n\nWe use `<table>` now.\n\nThis ADR supersedes ADR-1.\n",
    "behind a table that nothing closes": "# New\n\n<table>\n<td>x\n\n- Status: accepted\n- Supersedes: ADR-1\n",
    "note in brackets": "# New\n\n- Status: accepted\n\n(Supersedes ADR-1)\n",
    "behind the link": "# New\n\n- Status: accepted\n\n## Related\n\n- [ADR-1](0001-a.md) (superseded by this ADR)\n",
    "passive": "# New\n\n- Status: accepted\n\n## Consequences\n\nADR-1 is now superseded by this decision.\n",
    "JSON": '---json\n{\n  "status": "accepted",\n  "links": [{"type": "supersedes", "target": "ADR-1"}]\n}\n---\n',
    "table": "# New\n\n| | |\n|---|---|\n| Status | Approved |\n| Supersedes | [1](0001-a.md) |\n",
}


@pytest.mark.parametrize("form", CLAIMS)
def test_a_record_is_superseded_where_only_the_newer_one_says_so(form: str, tmp_path: Path) -> None:
    verdict = index(tmp_path, {"0001-a.md": ACCEPTED, "0002-new.md": CLAIMS[form]}).verdicts()["0001-a.md"]
    assert (verdict.status, [s.path for s in verdict.successors]) == (Status.SUPERSEDED, ["0002-new.md"])
    assert verdict.evidence.startswith("0002-new.md:")


def test_a_link_beside_a_claim_tells_which_of_two_records_with_one_number_it_means(tmp_path: Path) -> None:
    claim = "## More\n\n**Extends**: [ADR 0001 — A](0001-a.md)\n**Supersedes**: ADR 0001 §7\n"
    files = {"0001-a.md": ACCEPTED, "0001-b.md": ACCEPTED, "0002-new.md": f"{ACCEPTED}\n{claim}"}
    verdicts = index(tmp_path, files).verdicts()
    assert [verdicts[name].status for name in ("0001-a.md", "0001-b.md")] == [Status.PARTIALLY_SUPERSEDED, Status.LIVE]


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n## Status\n\nAccepted\n\n## Context\n\n```yaml\nstatus: superseded by ADR-2\n```\n",
        "# A\n\n<!--\nStatus: superseded by ADR-2\n-->\n\n## Status\n\n<!-- superseded by ADR-2 -->Accepted\n",
        "# A\n\n## Status\n\nAccepted\n\n## Audit\n\n**Status:** Rejected\n",
        "# A\n\n## Status\n\nAccepted\n\n## Notes\n\n> **Superseded by [2](0002-new.md)** as to this note\n",
        "# A\n\n## Current state\n\nAll is old.\n\n## Status\n\nAccepted\n",
        "# A\n\n- Status: accepted\n\n## Decision\n\nReplace X. It does not supersede [2](0002-new.md).\n",
        "---\nstatus: accepted\ntitle: Supersede all of it\nsuperseded_by: null\n---\n# A\n",
        "# A\n\n| | |\n|---|---|\n| Status | Accepted |\n| Superseded by | N/A |\n",
        "# A\n\n- Status: accepted\n\n## Options\n\n### Kafka\n\n#### Status\n\nRejected\n",
        "# A\n\n- State — kept in the queue\n\n## Status\n\nAccepted\n",
        "# A\n\n## Status of the ruleset\n\nOld.\n\n## Status\n\nAccepted\n",
        "---\nstatus: accepted\nreview:\n  status: pending\nlinks: []\n---\n# A\n",
        "# A\n\n- Status: accepted\n- Superseded by: — (beside [2](0002-new.md))\n",
        "# A\n\n- Status: accepted\n\n## Links\n\n- [ADR-7](0007-x.md), queues\n  - superseded by [2](0002-new.md)\n",
        "---\nstatus: accepted\nrelated:\n  - id: ADR-7\n    superseded_by: ADR-2\n---\n# A\n",
        "---\nstatus: accepted\nrelated: [{id: ADR-7, superseded_by: ADR-2}]\n---\n# A\n",
        "---\nrelated:\n- id: ADR-7\n  status: superseded\n---\n# A\n\n## Status\n\nAccepted\n",
    ],
)
def test_what_looks_like_a_status_elsewhere_is_none(text: str, tmp_path: Path) -> None:
    assert index(tmp_path, {"0001-a.md": text, "0002-new.md": ACCEPTED}).verdicts()["0001-a.md"].status is Status.LIVE


@pytest.mark.parametrize(
    ("files", "records"),
    [
        (
            ["0001-a.md", "template.md", "adr-template.md", "0000-template.md", "README.md", "index.md", "PROCESS.md"],
            ["0001-a.md"],
        ),
        (["ADR001-a.md", "ADR000-template.md", "DESIGN-REVIEW-2.md"], ["ADR001-a.md"]),
        (["x-0001-v1-a.md", "x-0001-w1-b.md", "x-XXXX-vN-template.md"], ["x-0001-v1-a.md", "x-0001-w1-b.md"]),
        (["0000-use-records.md", "0001-a-template-engine.md"], ["0000-use-records.md", "0001-a-template-engine.md"]),
        (["20240102-a.md", "adr_odd.md", "glossary.md"], ["20240102-a.md", "adr_odd.md"]),
        (["2024-01-02-a/README.md", "2024-01-02-a/notes.md", "README.md"], ["2024-01-02-a/README.md"]),
        (["0001-a/README.md", "0002-b/README.md"], ["0001-a/README.md", "0002-b/README.md"]),
        (
            ["oep-0057-a.md", "oep-0057/README.md", "oep-0057/decisions/0001-b.md"],
            ["oep-0057-a.md", "oep-0057/decisions/0001-b.md"],
        ),
        (["team/a/0001-a.md", "team/b/0001-b.md", "templates/0001-x.md"], ["team/a/0001-a.md", "team/b/0001-b.md"]),
        (["0003a-a.md", "0003.md", "0024-use-#-signs.md"], ["0003.md", "0003a-a.md", "0024-use-#-signs.md"]),
        (["0004-process.md", "0005-overview.md", "0000-overview.md", "0006-index.md"], ["0004-process.md", "0005-overview.md"]),
        ([".decisions/0001-a.md", "node_modules/x/0001-b.md", ".git/0001-c.md"], [".decisions/0001-a.md"]),
    ],
)
def test_records_are_told_from_other_papers(files: list[str], records: list[str], tmp_path: Path) -> None:
    assert list(index(tmp_path, dict.fromkeys(files, ACCEPTED)).verdicts()) == records


@pytest.mark.parametrize(
    ("name", "heading", "label", "title"),
    [
        ("0168-use-queues.md", "# 168. Use queues", "ADR-0168", "Use queues"),
        ("0168-use-queues.md", "# ADR 168: Use queues", "ADR-0168", "Use queues"),
        ("0168-use-queues.md", "# RFC 0168 — Use queues", "RFC-0168", "Use queues"),
        ("ADR028-use-queues.md", "# ADR028: Use queues", "ADR028", "Use queues"),
        ("adr-028-use-queues.md", "# Architecture Decision Record: Use queues", "ADR-028", "Use queues"),
        ("oep-0017-bp.md", "# OEP-17: Use queues", "OEP-0017", "Use queues"),
        ("ODH-ADR-Operator-0009-x.md", "# Use queues", "ODH-ADR-Operator-0009", "Use queues"),
        ("scs-0100-v2-names.md", "# Use queues", "SCS-0100-v2", "Use queues"),
        ("20240102-use-queues.md", "# Use queues", "20240102-use-queues", "Use queues"),
        ("0030-use-queues.md", "# 29 Use 3 queues", "ADR-0030", "Use 3 queues"),
        ("0030-use-queues.md", "no heading", "ADR-0030", "use queues"),
    ],
)
def test_a_record_is_called_as_people_call_it(name: str, heading: str, label: str, title: str, tmp_path: Path) -> None:
    (document,) = index(tmp_path, {name: f"{heading}\n\n## Status\n\nAccepted\n"}).documents().values()
    assert (document.label, document.title) == (label, title)


def test_one_file_may_hold_many_records(tmp_path: Path) -> None:
    text = (
        "# Decisions\n\n- [ADR-001](#adr-001--old)\n\n"
        "## ADR-001 — Old\n\n**Status:** Superseded by ADR-002\n**Date:** 2024-01-01\n\nWhy.\n\n"
        "## ADR-002 — New\n\n**Status:** Accepted\n\n### Context\n\nSo.\n"
    )
    found = index(tmp_path, {"decisions.md": text})
    assert told(tmp_path, {}) == {
        "decisions.md#adr-001--old": "superseded → decisions.md#adr-002--new @decisions.md:7",
        "decisions.md#adr-002--new": "live @decisions.md:14",
    }
    assert [(d.label, d.title, d.date) for d in found.documents().values()] == [
        ("ADR-001", "Old", "2024-01-01"),
        ("ADR-002", "New", ""),
    ]
    old = next(record for record in Adr(type="adr", path=tmp_path).load(Problems()) if record.label == "ADR-001")
    assert old.text == "Why."


def test_a_translation_speaks_of_the_translations_in_its_own_language(tmp_path: Path) -> None:
    files = {
        "0001-a.md": "# A\n\n**Status:** Accepted\n",
        "0001-a.fr.md": "# A\n\n**Statut :** Accepté\n",
        "0002-b.md": "# B\n\n**Status:** Accepted\n**Supersedes:** ADR-1\n",
        "0002-b.fr.md": "# B\n\n**Statut :** Accepté\n**Remplace :** ADR-1\n",
        "0003-c.md": "# C\n\n**Status:** Accepted\n",
        "0003-c.fr.md": "# C\n\n**Statut :** Accepté\n",
        "0004-d.md": "# D\n\n**Status:** Accepted\n**Supersedes:** [C](0003-c.md)\n",
    }
    assert told(tmp_path, files) == {
        "0001-a.fr.md": "superseded → 0002-b.fr.md @0002-b.fr.md:4",
        "0001-a.md": "superseded → 0002-b.md @0002-b.md:4",
        "0002-b.fr.md": "live @3",
        "0002-b.md": "live @3",
        "0003-c.fr.md": "superseded → 0004-d.md @0004-d.md:4",
        "0003-c.md": "superseded → 0004-d.md @0004-d.md:4",
        "0004-d.md": "live @3",
    }


def test_a_record_whose_name_is_no_utf_8_has_one_name_everywhere(tmp_path: Path) -> None:
    name = os.fsdecode(b"0001-caf\xe9.md")
    (tmp_path / name).write_text("# A\n\n- Status: accepted\n")
    found = index(tmp_path, {"0002-new.md": "# New\n\n- Status: proposed\n- Supersedes: ADR-1\n"})
    (record, _) = sorted(Adr(type="adr", path=tmp_path).load(Problems()), key=lambda record: record.id)
    assert record.id == r"0001-caf\xe9.md"
    assert found.verdicts()[record.id].status is Status.LIVE


def test_a_superseding_record_with_damage_in_its_text_is_still_one(tmp_path: Path) -> None:
    newer = b"# New\n\n- Status: accepted\n- Supersedes: ADR-1\n\n## Context\n\n" + b"text " * 20 + b"\0\xff text\n"
    assert told(tmp_path, {"0001-a.md": ACCEPTED, "0002-new.md": newer})["0001-a.md"] == "superseded → 0002-new.md @0002-new.md:4"


def test_a_versioned_family_is_known_by_the_newer_file_only(tmp_path: Path) -> None:
    files = {
        "std-0100-v1-names.md": "---\nstatus: Deprecated\n---\n",
        "std-0100-v2-names.md": "---\nstatus: Stable\nreplaces: std-0100-v1-names.md\n---\n",
        "std-0100-v3-names.md": "---\nstatus: Draft\nreplaces: std-0100-v2-names.md\n---\n",
    }
    assert told(tmp_path, files) == {
        "std-0100-v1-names.md": "superseded → std-0100-v2-names.md @std-0100-v2-names.md:3",
        "std-0100-v2-names.md": "live @2",
        "std-0100-v3-names.md": "proposed @2",
    }


def test_a_template_that_was_left_in_is_no_status(tmp_path: Path) -> None:
    text = "# A\n\n* Status: [proposed | rejected | accepted | … | superseded by [ADR-0005](0005-example.md)] <!-- optional -->\n"
    assert told(tmp_path, {"0001-a.md": text}) == {"0001-a.md": "unknown"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_a_record_in_another_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    text = "# Clé privée\n\n## État\n\nRemplacé par [la suite](0002-new.md)\n\n## Contexte\n\nDéjà à préciser l'été passé.\n"
    assert told(tmp_path, {"0001-a.md": text.encode(encoding), "0002-new.md": ACCEPTED})["0001-a.md"].startswith(
        "superseded → 0002"
    )


def load(path: Path, problems: Problems | None = None) -> list[str]:
    return [record.id for record in Adr(type="adr", path=path).load(problems or Problems())]


def test_the_source_has_one_record_for_each_decision(tmp_path: Path) -> None:
    text = (
        "---\nstatus: accepted\ndate: 2024-03-04\n---\n# 7. Use *queues*\n\n<!-- note to self -->\n"
        "## Context\n\nJobs [pile up](x.md).\n\n"
        "## Decision\n\nWe put jobs into **queues**. They survive a restart.\n\n```sh\nrm -rf x\n```\n"
    )
    write(tmp_path, {"0007-queues.md": text, "README.md": "# Decisions\n"})
    (record,) = Adr(type="adr", path=tmp_path).load(Problems())
    assert (record.id, record.kind, record.label, record.date) == ("0007-queues.md", "decision", "ADR-0007", "2024-03-04")
    assert record.title == "Use queues"
    assert record.path == str(tmp_path / "0007-queues.md")
    assert record.description == "We put jobs into queues."
    assert record.text == "Context\n\nJobs pile up.\n\nDecision\n\nWe put jobs into queues. They survive a restart."


def test_the_records_of_the_source_are_the_records_of_the_index(tmp_path: Path) -> None:
    files = {name: text for name, text, _ in FORMS.values()}
    assert sorted(load(write(tmp_path, files))) == sorted(index(tmp_path, {}).verdicts())


def test_a_missing_folder_is_an_error_with_its_fix(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no such folder; correct the path or mount it"):
        load(tmp_path / "gone")
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="is no folder"):
        load(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, {"0001-a.md": ACCEPTED, "0002-b.md": ACCEPTED})
    (tmp_path / "0001-a.md").chmod(0)
    problems = Problems()
    assert load(tmp_path, problems) == ["0002-b.md"]
    assert problems.kept == {"0001-a.md"}


def test_a_binary_file_is_a_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    problems = Problems()
    assert load(write(tmp_path, {"0001-a.md": b"\0\1" * 99, "0002-b.md": ACCEPTED}), problems) == ["0002-b.md"]
    assert problems.lines == [f"{tmp_path / '0001-a.md'}: is no text file; rename or remove it"]


@pytest.mark.parametrize(
    "folder",
    [
        "doc/adr",
        "docs/adr",
        "docs/decisions",
        "docs/architecture/decisions",
        "architecture/decisions",
        "adr",
        "adrs",
        "decisions",
        ".decisions",
        "src/adr",
    ],
)
def test_a_usual_folder_is_found(folder: str, tmp_path: Path) -> None:
    write(
        tmp_path, {f"{folder}/0001-a.md": ACCEPTED, f"{folder}/template.md": ACCEPTED, "node_modules/x/adr/0001-b.md": ACCEPTED}
    )
    (found,) = Adr.discover(tmp_path)
    assert (found.options, found.what) == ({"path": folder}, f"1 decision record in {folder}")


def test_the_folders_of_all_packages_are_found(tmp_path: Path) -> None:
    write(
        tmp_path, {"docs/adr/0001-a.md": ACCEPTED, "packages/x/docs/adr/0001-b.md": ACCEPTED, "packages/y/docs/adr/notes.txt": ""}
    )
    assert [found.options["path"] for found in Adr.discover(tmp_path)] == ["docs/adr", "packages/x/docs/adr"]


@pytest.mark.parametrize(
    ("file", "text"), [(".adr-dir", "notes/big\n"), (".log4brains.yml", "project:\n  name: X\n  adrFolder: ./notes/big\n")]
)
def test_a_folder_that_a_tool_was_told_of_is_found(file: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, {"notes/big/0001-a.md": ACCEPTED, file: text})
    assert [found.options["path"] for found in Adr.discover(tmp_path)] == ["notes/big"]


def truth_tables() -> list[str]:
    return sorted(path.stem for path in (SHARED / "truth").glob("*.tsv") if path.stem != "python__peps")


def expected(corpus: str) -> list[dict[str, str]]:
    csv.field_size_limit(10**7)
    with (SHARED / "truth" / f"{corpus}.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora are not beside the project")
@pytest.mark.parametrize("corpus", truth_tables() or [pytest.param("", marks=pytest.mark.skip(reason="no truth tables"))])
def test_a_real_folder_is_read_as_a_person_reads_it(corpus: str) -> None:
    verdicts = DecisionIndex(SHARED / "corpora" / corpus, AdrResolver(type="adr")).verdicts()
    rows = expected(corpus)
    assert {row["path"] for row in rows} <= set(verdicts)
    right = {row["path"]: {row["effective_status"], *filter(None, row["also_right"].split(","))} for row in rows}
    wrong = [path for path, statuses in right.items() if verdicts[path].status.value not in statuses]
    assert [path for path in wrong if verdicts[path].status is Status.LIVE] == []
    assert len(wrong) <= max(1, 0.02 * len(rows)), wrong
    named = {
        row["path"]: {s for s in row["successors"].split(",") if s and not s.startswith(("external:", "missing:"))}
        for row in rows
    }
    lost = [path for path, wanted in named.items() if wanted and {s.path for s in verdicts[path].successors if s.path} != wanted]
    assert len(lost) <= max(1, 0.05 * sum(bool(wanted) for wanted in named.values())), lost
    shown = [row for row in rows if row["evidence"]]
    elsewhere = [row["path"] for row in shown if verdicts[row["path"]].evidence != row["evidence"]]
    assert len(elsewhere) <= max(1, 0.05 * len(shown)), elsewhere


@pytest.mark.parametrize(
    "unit", [" ", "- ", "* ", "[", "<!--", "((", "| ", "a-", "2020-01-01 ", "`", "~~", "superseded by ", "廃止により"]
)
@pytest.mark.parametrize("name", ["0001-a.md", "0001-a.rst", "0001-a.adoc"])
def test_a_hostile_line_does_not_hang_the_reading_and_hides_no_other_record(name: str, unit: str, tmp_path: Path) -> None:
    hostile = f"S{unit * (4000 // len(unit))}x\n"
    verdicts = index(tmp_path, {name: hostile * 5 + "\n" + hostile, "0002-new.md": ACCEPTED}).verdicts()
    assert verdicts["0002-new.md"].status is Status.LIVE
    assert verdicts[name].status is not Status.LIVE


def test_no_truncation_of_a_superseded_record_makes_it_look_current(tmp_path: Path) -> None:
    for name, text, _ in FORMS.values():
        status_at = text.lower().find("accepted")
        for end in range(0, len(text), 3) if status_at < 0 else ():
            verdicts = AdrResolver(type="adr").parse(name, text[:end])
            assert all(v.status is not Status.LIVE for v in decide(verdicts.documents, verdicts.declarations, {}).values())


def test_a_file_without_number_that_cannot_be_read_is_a_record_where_none_has_a_number(tmp_path: Path) -> None:
    files = {"use-a-queue.md": ACCEPTED, "use-a-log.md": b"\0", "README.md": b"\0"}
    assert told(tmp_path, files) == {"use-a-queue.md": "live @5", "use-a-log.md": "unknown"}
    files = {"0001-use-a-queue.md": ACCEPTED, "notes.md": b"\0"}
    assert "notes.md" not in told(tmp_path / "numbered", files)


def test_a_line_end_in_a_files_name_does_not_hide_its_record(tmp_path: Path) -> None:
    assert told(tmp_path, {"0001-use\na-queue.md": ACCEPTED, "0002\n.md": ACCEPTED}) == {
        "0001-use\na-queue.md": "live @5",
        "0002\n.md": "live @5",
    }


def test_as_many_records_are_found_in_a_project_as_are_listed(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs" / "adr", {"0001-a.md": ACCEPTED, "0002-b.md": b"\0", "templates/0003-c.md": ACCEPTED})
    (folder / "0004-d.md").symlink_to("0001-a.md")
    os.mkfifo(folder / "0005-e.md")
    [found] = Adr.discover(tmp_path)
    assert found.what == "2 decision records in docs/adr"
    assert len(DecisionIndex(folder, AdrResolver(type="adr")).verdicts()) == 2


def test_the_text_of_a_huge_record_is_left_out_and_its_standing_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"0001-a.md": ACCEPTED, "0002-b.md": ACCEPTED + "\n## Context\n\n" + "So it is.\n" * 250_000})
    problems = Problems()
    assert [record.id for record in Adr(type="adr", path=tmp_path).load(problems)] == ["0001-a.md"]
    [line] = problems.lines
    assert "0002-b.md: has 2.5 MB, a record at most 2; it has its standing, but is not recalled: split it" in line
    assert DecisionIndex(tmp_path, AdrResolver(type="adr")).verdicts()["0002-b.md"].status is Status.LIVE


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Decision 4: Use Foo", "Use Foo"),
        ("# Decision: use Foo", "use Foo"),
        ("# Decision Record: Use Bar", "Use Bar"),
        ("# Decision tree library", "Decision tree library"),
        ("# Context propagation with W3C headers", "Context propagation with W3C headers"),
        ("# Consequences of failure", "Consequences of failure"),
        ("Summary tables for reports\n===", "Summary tables for reports"),
        ("# Context", "one"),
        ("# Context and Problem Statement", "one"),
    ],
)
@pytest.mark.parametrize("status", ["Status: Accepted", "## Status\n\nAccepted"])
def test_a_title_may_begin_like_a_section(tmp_path: Path, heading: str, title: str, status: str) -> None:
    if title == "one" and status.startswith("Status:"):
        status = f"# {status}"  # below a section, only a heading declares it
    found = index(tmp_path, {"0004-one.md": f"{heading}\n\n{status}\n\n## Decision\n\nWe take Foo.\n"}).standings()
    [(document, verdict)] = found.entries()
    assert (document.title, verdict.status, verdict.warnings) == (title, Status.LIVE, ())
    _, gist = readable("0004-one.md", f"{heading}\n\n{status}\n\n## Decision\n\nWe take Foo.\n")
    assert gist == "We take Foo."


@pytest.mark.parametrize(
    ("field", "day"),
    [
        ("Datum: 2024-03-03", "2024-03-03"),
        ("* Datum: 3. März 2024", "2024-03-03"),
        ("- **Datum:** 03.04.2024", "2024-04-03"),
        ("日付: 2024-03-03", "2024-03-03"),
        ("日付：2024年3月3日", "2024-03-03"),
        ("Fecha: 3 de marzo de 2024", "2024-03-03"),
        ("Date : 3 août 2024", "2024-08-03"),
        ("Дата: 3 марта 2024", "2024-03-03"),
        ("Date: 3 March 2024", "2024-03-03"),
        ("Date: Mar 3rd, 2024", "2024-03-03"),
        ("| Data | 2024-03-03 |", "2024-03-03"),
        ("Date: 3/4/2024", ""),
        ("Date: 2024-13-45", ""),
        ("Date: 3 Foo 2024", ""),
    ],
)
def test_a_day_is_read_in_the_languages_of_the_status_words(tmp_path: Path, field: str, day: str) -> None:
    found = index(tmp_path, {"0001-a.md": f"# 1. A\n\n{field}\n\n## Status\n\nAccepted\n"}).standings()
    assert [(document.date, verdict.status) for document, verdict in found.entries()] == [(day, Status.LIVE)]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ("2024-01-01 Proposed\n2024-02-02 Accepted", Status.LIVE),
        ("2024-02-02 Accepted\n2024-01-01 Proposed", Status.LIVE),
        ("- Accepted (2024-02-02)\n- Proposed (2024-01-01)", Status.LIVE),
        ("2024-01-01 - Proposed\n2024-02-02 - Accepted by all", Status.LIVE),
        ("2024-01-01: Deprecated\n2024-02-02: Accepted", Status.LIVE),
        ("2024-02-02 Deprecated\n2024-01-01 Accepted", Status.DEPRECATED),
        ("2024-01-01 Accepted\n2024-02-02 Superseded by ADR-2", Status.SUPERSEDED),
        ("Deprecated\n2024-02-02 Accepted", Status.DEPRECATED),
    ],
)
def test_of_a_history_in_lines_the_last_day_counts(tmp_path: Path, lines: str, status: Status) -> None:
    files = {"0001-a.md": f"# 1. A\n\n## Status\n\n{lines}\n", "0002-b.md": ACCEPTED}
    assert index(tmp_path, files).verdicts()["0001-a.md"].status is status


@pytest.mark.parametrize(
    ("decision", "gist"),
    [
        ("We will:\n\n- Take Foo. It is fast.\n  - and quick\n- Leave\n  Bar;\n\nBecause.", "We will: Take Foo; Leave Bar"),
        ("We have decided to:\n1. Take Foo\n2. Leave Bar\n3. Sleep\n4. Wake", "We have decided to: Take Foo; Leave Bar; Sleep"),
        ("1. Take Foo. It is fast.\n2. Leave Bar.", "Take Foo."),
        ("(B). We take Foo.", "We take Foo."),
        ("TBD", "Foo is slow."),
        ("N/A.", "Foo is slow."),
        ("To be decided", "Foo is slow."),
        ("DNS\n\nWe run our own servers.", "We run our own servers."),
        ("PostgreSQL", "PostgreSQL"),
        ("We will:\n\n## More", "We will:"),
    ],
)
def test_a_gist_says_something(decision: str, gist: str) -> None:
    text = f"# 1. A\n\n## Context\n\nFoo is slow.\n\n## Decision\n\n{decision}\n"
    assert readable("0001-a.md", text)[1] == gist
