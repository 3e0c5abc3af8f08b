"""Series of numbered proposals are dialects of their own, and the same rule decides what stands in them."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from citator.api import Status, StatusResolver, Verdict
from citator.index import DecisionIndex
from citator_plugins.bip import Bip
from citator_plugins.eip import Eip
from citator_plugins.kep import Kep
from citator_plugins.pep import Pep
from citator_plugins.rfc import Rfc
from citator_plugins.swift import Swift

DIALECTS: dict[str, type[StatusResolver]] = {"bip": Bip, "eip": Eip, "kep": Kep, "pep": Pep, "rfc": Rfc, "swift": Swift}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def judge(dialect: str, folder: Path, files: dict[str, str]) -> dict[str, Verdict]:
    index = DecisionIndex(write(folder, files), DIALECTS[dialect](type=dialect))
    assert not index.problems()
    return {index.documents()[path].label: verdict for path, verdict in index.verdicts().items()}


def standing(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {
        label: " → ".join([verdict.status, *(s.label or s.external for s in verdict.successors)])
        for label, verdict in verdicts.items()
    }


def pep(number: int, *fields: str, body: str = "") -> dict[str, str]:
    header = "\n".join(
        [f"PEP: {number}", f"Title: On {number} things", "Author: A. Nobody <a@example.org>,", "        B. Nobody", *fields]
    )
    return {f"pep-{number:04}.rst": f"{header}\nCreated: 07-Dec-2003\n\n\nAbstract\n========\n\n{body}\n"}


def test_a_pep_ends_with_its_own_pointer_and_with_the_claim_of_a_newer_one(tmp_path: Path) -> None:
    files = (
        pep(11, "Status: Final", "Superseded-By: 3011")
        | pep(12, "Status: Active")
        | pep(13, "Status: Superseded", "Superseded-By: 12")
        | pep(14, "Status: Rejected", "Superseded-By: 12")
        | pep(15, "Status: Draft", "Replaces: 12", body="Status: Final\n\nSuperseded-By: 12")
        | pep(16, "Status: April Fool!")
        | pep(17, "Status: Final")
        | pep(3011, "Status: Accepted", "Requires: 17", "Replaces: 11,\n          17")
    )
    files |= {"index.rst": "Status: Final\n", "pep-nnnn.rst": "PEP: 9999\nStatus: Final\n"}
    assert standing(judge("pep", tmp_path, files)) == {
        "PEP 11": "superseded → PEP 3011",
        "PEP 12": "live",
        "PEP 13": "superseded → PEP 12",
        "PEP 14": "rejected → PEP 12",
        "PEP 15": "proposed",
        "PEP 16": "unknown",
        "PEP 17": "superseded → PEP 3011",
        "PEP 3011": "live",
    }


def test_a_pep_is_known_by_its_title_its_date_and_the_line_that_decided(tmp_path: Path) -> None:
    index = DecisionIndex(write(tmp_path, pep(12, "Status: Final")), Pep(type="pep"))
    [document] = index.documents().values()
    assert (document.path, document.title, document.date) == ("pep-0012.rst", "On 12 things", "2003-12-07")
    assert index.verdicts()["pep-0012.rst"].evidence == "pep-0012.rst:5"


def bip(number: int, *fields: str, fence: tuple[str, str] = ("<pre>", "</pre>")) -> str:
    lines = [
        f"BIP: {number}",
        "Title: Coins",
        "Author: A. Nobody <a@example.org>",
        "        B. Nobody",
        *fields,
        "Created: 2017-03-20",
    ]
    return "\n".join([fence[0], *(f"  {line}" for line in lines), fence[1], "", "==Abstract==", "  Status: Final"])


def test_a_bip_has_its_header_in_a_preformatted_block(tmp_path: Path) -> None:
    files = {
        "README.mediawiki": "Status: Final",
        "bip-0011.mediawiki": bip(11, "Status: Final", "Superseded-By: 12"),
        "bip-0012.md": bip(12, "Status: Deployed", "Replaces: 13", fence=("```", "```")),
        "bip-0013.mediawiki": bip(13, "Status: Active"),
        "bip-0014.mediawiki": bip(14, "Status: Complete", "Proposed-Replacement: 15"),
        "bip-0015.mediawiki": bip(15, "Status: Draft"),
        "bip-0016.mediawiki": bip(16, "Status: Closed", "Proposed-Replacement: 15"),
        "bip-0017.mediawiki": "no header at all",
    }
    verdicts = judge("bip", tmp_path, files)
    assert standing(verdicts) == {
        "BIP 11": "superseded → BIP 12",
        "BIP 12": "live",
        "BIP 13": "superseded → BIP 12",
        "BIP 14": "proposed",
        "BIP 15": "proposed",
        "BIP 16": "deprecated",
        "BIP 17": "unknown",
    }
    assert any("15" in str(warning) for warning in verdicts["BIP 14"].warnings)


def eip(number: int, *fields: str, body: str = "## Abstract") -> str:
    return "\n".join(
        ["---", f"eip: {number}", "title: Gas: how much?", *fields, "created: 2020-10-15", "---", "", body, "", "status: Final"]
    )


def test_an_eip_may_be_moved_to_another_repository(tmp_path: Path) -> None:
    files = {
        "eip-1.md": eip(1, "status: Living"),
        "eip-20.md": eip(
            20, "status: Moved", body="This file was moved to https://github.com/ethereum/ercs/blob/master/ERCS/erc-20.md"
        ),
        "eip-30.md": eip(30, "status: Withdrawn", "withdrawal-reason: Superseded by EIP-77"),
        "eip-31.md": eip(31, "status: Withdrawn", "withdrawal-reason: Nobody wants it"),
        "eip-40.md": eip(40, "status: Stagnant"),
        "eip-41.md": eip(41, "status: Final", body="The state is moved to a tree of its own."),
        "eip-77.md": eip(77, "status: Final  # at last", "requires: 1, 20"),
        "eip-78.md": eip(78, "status: Final", "superseded-by: 77"),
        "erc-79.md": eip(79, "status: Final"),
        "eip-template.md": eip(0, "status: Draft"),
    }
    assert standing(judge("eip", tmp_path, files)) == {
        "EIP-1": "live",
        "EIP-20": "superseded → https://github.com/ethereum/ercs/blob/master/ERCS/erc-20.md",
        "EIP-30": "rejected → EIP-77",
        "EIP-31": "rejected",
        "EIP-40": "proposed",
        "EIP-41": "live",
        "EIP-77": "live",
        "EIP-78": "superseded → EIP-77",
        "ERC-79": "live",
    }


def kep(number: int, *fields: str) -> str:
    return "\n".join(
        [
            "title: Pods",
            f"kep-number: {number}",
            "authors:",
            '  - "@nobody"',
            "owning-sig: sig-node",
            *fields,
            "creation-date: 2019-10-04",
        ]
    )


def test_a_kep_is_named_by_its_folder_and_what_the_template_brought_is_nothing(tmp_path: Path) -> None:
    files = {
        "keps/NNNN-kep-template/kep.yaml": kep(0, "status: provisional"),
        "keps/sig-node/11-one/kep.yaml": kep(11, "status: implementable", "superseded-by: n/a"),
        "keps/sig-node/11-one/README.md": "# KEP-11\n\nStatus: replaced",
        "keps/sig-node/12-two/kep.yaml": kep(12, "status: implemented", "superseded-by:", "  - /keps/sig-ccc/3456-replaced-kep"),
        "keps/sig-node/13-three/kep.yaml": kep(13, "status: replaced # replaced by keps/sig-node/11-one"),
        "keps/sig-api/11-four/kep.yaml": kep(11, 'status: "implemented"', "superseded-by:", '- "/keps/sig-node/12-two"'),
        "keps/sig-api/14-five/kep.yaml": kep(
            14,
            "replaces:",
            "  - https://github.com/kubernetes/enhancements/tree/master/keps/sig-api/15-six/",
            "status: implemented",
        ),
        "keps/sig-api/15-six/kep.yaml": kep(15, "#status: rejected", "status: implementable"),
        "keps/sig-api/16-seven/kep.yaml": kep(16, "status: deferred", "replaces:", "  - /keps/sig-node/12-two/README.md"),
    }
    index = DecisionIndex(write(tmp_path, files), Kep(type="kep"))
    assert {path: " → ".join([v.status, *(s.path for s in v.successors)]) for path, v in index.verdicts().items()} == {
        "keps/sig-api/11-four/kep.yaml": "superseded → keps/sig-node/12-two/kep.yaml",
        "keps/sig-api/14-five/kep.yaml": "live",
        "keps/sig-api/15-six/kep.yaml": "superseded → keps/sig-api/14-five/kep.yaml",
        "keps/sig-api/16-seven/kep.yaml": "proposed",
        "keps/sig-node/11-one/kep.yaml": "live",
        "keps/sig-node/12-two/kep.yaml": "live",
        "keps/sig-node/13-three/kep.yaml": "superseded → keps/sig-node/11-one/kep.yaml",
    }


def test_a_reference_to_a_kep_is_found_from_whichever_folder_is_read(tmp_path: Path) -> None:
    files = {
        "11-one/kep.yaml": kep(11, "status: implemented", "superseded-by:", "  - keps/sig-node/12-two"),
        "12-two/kep.yaml": kep(12, "status: implementable"),
    }
    assert standing(judge("kep", tmp_path, files)) == {"KEP-11": "superseded → KEP-12", "KEP-12": "live"}


def swift(number: int, status: str, *fields: str) -> str:
    lines = [
        f"* Proposal: [SE-{number:04}](x.md)",
        "* Authors: [A](https://example.org/a),",
        "  [B](https://example.org/b)",
        f"* Status: {status}",
    ]
    return "\n".join([f"# Feature {number}", "", *lines, *fields, "", "## Introduction", "", "* Status: **Rejected**"])


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("**Implemented (Swift 2.2)**", Status.LIVE),
        ("**Accepted with modifications**", Status.LIVE),
        ("**Partially implemented (Swift 5.9)**", Status.LIVE),
        ("**Active review (May 3...17, 2022)**", Status.PROPOSED),
        ("**Scheduled for review (May 3...17, 2022)**", Status.PROPOSED),
        ("**Awaiting implementation**", Status.PROPOSED),
        ("**Returned for revision**", Status.PROPOSED),
        ("**Previewing**", Status.PROPOSED),
        ("**Rejected** ([Rationale](https://example.org/1))", Status.REJECTED),
        ("**Withdrawn**", Status.REJECTED),
        ("**Someday**", Status.UNKNOWN),
    ],
)
def test_the_words_of_swift_evolution_have_a_standing(tmp_path: Path, status: str, expected: Status) -> None:
    verdicts = judge("swift", tmp_path, {"0007-feature.md": swift(7, status)})
    assert verdicts["SE-0007"].status is expected


def test_a_swift_proposal_may_be_superseded_or_renamed(tmp_path: Path) -> None:
    files = {
        "0000-template.md": swift(0, "**Accepted**"),
        "0007-old.md": swift(7, "**Withdrawn**", "* Superseded by: [SE-0008](0008-new.md)"),
        "0008-new.md": swift(8, "**Implemented (Swift 6)**"),
        "0009-first-name.md": "This document was renamed. Please see [SE-0009: Better](0009-second-name.md).\n",
        "0009-second-name.md": swift(9, "**Accepted**"),
        "0010-own.md": swift(10, "**Implemented**", "* Superseded by: [SE-0008](0008-new.md)"),
        "testing/0011-test.md": swift(11, "**Accepted**").replace("SE-", "ST-"),
    }
    index = DecisionIndex(write(tmp_path, files), Swift(type="swift"))
    assert {path: " → ".join([v.status, *(s.path for s in v.successors)]) for path, v in index.verdicts().items()} == {
        "0007-old.md": "rejected → 0008-new.md",
        "0008-new.md": "live",
        "0009-first-name.md": "superseded → 0009-second-name.md",
        "0009-second-name.md": "live",
        "0010-own.md": "superseded → 0008-new.md",
        "testing/0011-test.md": "live",
    }
    assert index.documents()["testing/0011-test.md"].label == "ST-0011"
    assert index.documents()["0008-new.md"].title == "Feature 8"


RFC_INDEX = """
                             RFC INDEX

  ####  Title of RFC.  Author 1, Author 2.  Issue date.
        (Format: ASCII) (Obsoletes xxx) (Status: ssssss)

0011 Host Things. A. Nobody. April 1969. (Format: TXT, HTML) (Obsoleted by
     RFC0012) (Status: UNKNOWN) (DOI: 10.17487/RFC0011)

0012 Host Things, Part I. A. Nobody, B.C. Nobody. May 1970. (Format: TXT)
     (Obsoletes RFC0011) (Updated by RFC0014, RFC0015) (Also STD0001)
     (Status: PROPOSED STANDARD) (DOI: 10.17487/RFC0012)

0013 Not Issued.

0014 A Note. B. Nobody. January 2001. (Format: TXT) (Updates
     RFC0012) (Status: INFORMATIONAL) (DOI: 10.17487/RFC0014)

0015 Try Things. B. Nobody. 1 April 2002. (Format: TXT) (Updates RFC0012)
     (Status: EXPERIMENTAL)

0016 Dead Things. B. Nobody. June 1980. (Format: TXT) (Status: HISTORIC)

0017 Lost Things. B. Nobody. June 1980. (Format: TXT) (Status: UNKNOWN)

0018 Left Things. B. Nobody. June 1980. (Format: TXT) (Status: INTERNET STANDARD)

10019 New Things. B. Nobody. July 2026. (Format: TXT) (Obsoletes RFC0018)
     (Status: BEST CURRENT PRACTICE)
"""


def test_the_index_of_the_rfcs_holds_a_record_for_each(tmp_path: Path) -> None:
    verdicts = judge("rfc", tmp_path, {"rfc-index.txt": RFC_INDEX, "rfc0011.txt": "Status: final"})
    assert standing(verdicts) == {
        "RFC 11": "superseded → RFC 12",
        "RFC 12": "live",
        "RFC 14": "live",
        "RFC 15": "proposed",
        "RFC 16": "deprecated",
        "RFC 17": "unknown",
        "RFC 18": "superseded → RFC 10019",
        "RFC 10019": "live",
    }
    assert [s.label for s in verdicts["RFC 12"].amended_by] == ["RFC 14", "RFC 15"]
    assert verdicts["RFC 11"].evidence == "rfc-index.txt:7"
    index = DecisionIndex(tmp_path, Rfc(type="rfc"))
    document = index.documents()["rfc-index.txt#rfc12"]
    assert (document.title, document.date) == ("Host Things, Part I", "1970-05")


def test_a_teams_words_come_beside_those_of_the_series(tmp_path: Path) -> None:
    resolver = TypeAdapter(Rfc).validate_python(
        {"type": "rfc", "words": {"experimental use": "live", "informational": "rejected"}}
    )
    assert (resolver.words["experimental use"], resolver.words["informational"]) == (Status.LIVE, Status.LIVE)
    assert resolver.words["proposed standard"] is Status.LIVE


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_each_dialect_recognises_its_own_files_and_no_others(tmp_path: Path, dialect: str) -> None:
    own = {
        "bip": "bip-0011.mediawiki",
        "eip": "EIPS/eip-20.md",
        "kep": "keps/sig-node/11-one/kep.yaml",
        "pep": "peps/pep-0011.rst",
        "rfc": "rfc-index.txt",
        "swift": "proposals/0007-feature.md",
    }
    write(
        tmp_path,
        {own[dialect]: swift(7, "**Accepted**"), "README.md": "x", "src/main.py": "x", "adr/0001-use-adr.md": "# Use ADRs"},
    )
    expected = {name: name == dialect for name in DIALECTS}
    assert {name: bool(cls.recognise(tmp_path)) for name, cls in DIALECTS.items()} == expected
