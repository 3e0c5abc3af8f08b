"""What is handed over beside the headlines: the whole way from files to the block, on a store and a pipeline of its own."""

import re
from pathlib import Path

import pytest
import yaml

from citator.config import PipelineConfig
from citator.embedding import Embedding, Model
from citator.options import SessionOptions, StoreOptions
from citator.pipeline import Pipeline, Recall
from citator.postprocessing import Postprocessor
from citator.records import Part
from citator_plugins.adr.resolver import AdrResolver
from citator_plugins.adr.source import Adr
from citator_plugins.headlines import Headlines
from citator_plugins.markdown import Markdown
from citator_plugins.marks import Marks
from citator_plugins.rejected import Rejected
from citator_plugins.related import WEIGHTS, Related
from words import words_model

ROOT = Path(__file__).parents[1]

RECORDS = {
    "0001-broker.md": (
        "# Rabbit broker\n\nStatus: superseded by [ADR-0002](0002-table.md)\n\n## Context\n\nWorkers ask a rabbit broker.\n"
    ),
    "0002-table.md": (
        "---\nstatus: superseded by ADR-0005\n---\n# Jobs in a table\n\nAmends: ADR-0004\n"
    ),
    "0003-pages.md": (
        "# Pages on the server\n\nStatus: accepted\nRelated: ADR-0004\nConflicts with: ADR-0006\n\n## Considered Options\n\n"
        '* Templates\n* Elm client\n\n## Decision Outcome\n\nChosen option: "Templates"\n\n'
        "## Pros and Cons of the Options\n\n### Elm client\n\n* Bad, because nobody knows it\n"
    ),
    "0004-phones.md": "---\nstatus: accepted\nweight: 0.1\n---\n# Old telephones first\n",
    "0005-stream.md": "# Streams everywhere\n\nStatus: accepted\nRelated: ADR-0001\n",
    "0006-chain.md": "# Invoices in a blockchain\n\nStatus: rejected\n\n## Decision\n\nToo slow a ledger.\n",
}  # fmt: skip
NOTES = {
    "queue.md": "---\ndescription: what we learned\n---\n# Lessons of the broker outage\n\nSee [[ADR-0001]] and [[elm]].\n",
    "elm.md": "---\ntype: rejected-approach\n---\n# Mithril frontend\n\nMithril was tried.\n",
}


class Words(Embedding):
    def load(self, *, indexing: bool) -> Model:
        return words_model()


class First(Postprocessor):
    """Keeps the nearest record, so that all others come by their connections."""

    def build(self, view):  # type: ignore[no-untyped-def]
        from llama_index.core.postprocessor.types import BaseNodePostprocessor

        class Keep(BaseNodePostprocessor):
            def _postprocess_nodes(self, nodes, query_bundle=None):  # type: ignore[no-untyped-def]
                return nodes[:1]

        return Keep()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place, files in (("decisions", RECORDS), ("notes", NOTES)):
        (tmp_path / place).mkdir()
        for name, text in files.items():
            (tmp_path / place / name).write_text(text)
    return tmp_path


def pipeline(folder: Path, *steps: Postprocessor) -> Pipeline:
    sources = (
        Adr(type="adr", path=folder / "decisions", status=AdrResolver(type="adr")),
        Markdown(type="markdown", path=folder / "notes"),
    )
    store = StoreOptions(path=folder / "store")
    config = PipelineConfig(
        sources,
        Words(type="words"),
        store,
        (Marks(type="marks"), First(type="first"), *steps),
        Headlines(type="headlines"),
        SessionOptions(),
    )
    made = Pipeline(config, folder, folder / "data")
    made.sync(lambda done, total: None)
    return made


def related(**options: object) -> Related:
    return Related.model_validate({"type": "related", **options})


def rejected(**options: object) -> Rejected:
    return Rejected.model_validate({"type": "rejected", "min_similarity": 0.3, **options})


def beside(recall: Recall, part: Part) -> list[str]:
    return [hit.record.id for hit in recall.hits if hit.part is part]


def test_a_superseded_record_brings_the_live_end_of_its_chain_before_all_else(folder: Path) -> None:
    recall = pipeline(folder, related()).recall("ask the rabbit broker")
    assert beside(recall, Part.HEADLINE) == ["0001-broker.md"]
    assert beside(recall, Part.RELATED) == ["0005-stream.md", "0002-table.md"]
    assert recall.block.split("\n")[1:] == [
        "- ⚠️superseded → ADR-0002 (now ADR-0005) decision ADR-0001 · Rabbit broker — Workers ask a rabbit broker.",
        "📎 RELATED CONTEXT",
        "- decision ADR-0005 · Streams everywhere — now in force for ADR-0001 (0001-broker.md:3)",
        "- ⚠️superseded → ADR-0005 decision ADR-0002 · Jobs in a table — supersedes ADR-0001 (0001-broker.md:3)",
    ]
    assert "the live end of its chain" in next(c.why for c in recall.candidates if c.hit.record.id == "0005-stream.md")


@pytest.mark.parametrize("status", ["proposed", "rejected"])
def test_what_a_record_claims_that_was_never_in_force_only_would_be(folder: Path, status: str) -> None:
    (folder / "decisions" / "0007-pigeons.md").write_text(
        f"# Carrier pigeons\n\nStatus: {status}\nSupersedes: ADR-0005\nAmends: ADR-0004\n"
    )
    made = pipeline(folder, related())
    assert "Streams everywhere — would be superseded by ADR-0007 (0007-pigeons.md:4)" in made.recall("carrier pigeons").block
    assert "Old telephones first — would be amended by ADR-0007 (0007-pigeons.md:5)" in made.recall("carrier pigeons").block
    assert "Carrier pigeons — would supersede ADR-0005 (0007-pigeons.md:4)" in made.recall("streams everywhere").block


def test_a_message_that_only_names_records_is_answered_by_name_alone(folder: Path) -> None:
    made = pipeline(folder)
    assert [hit.record.id for hit in made.recall("why ADR-2?").hits] == ["0002-table.md"]
    assert made.recall("why ADR-77?").candidates == ()
    assert made.recall("why was ADR-77 decided?").candidates


def test_the_heaviest_connection_comes_first_and_a_weight_of_nothing_leaves_it_out(folder: Path) -> None:
    message = "pages on the server"
    assert beside(pipeline(folder, related()).recall(message), Part.RELATED) == ["0006-chain.md", "0004-phones.md"]
    assert beside(pipeline(folder, related(max=1)).recall(message), Part.RELATED) == ["0006-chain.md"]
    lighter = related(weights={"conflicts with": 0.04})
    assert beside(pipeline(folder, lighter).recall(message), Part.RELATED) == ["0004-phones.md", "0006-chain.md"]
    without = related(weights={"conflicts with": 0})
    assert beside(pipeline(folder, without).recall(message), Part.RELATED) == ["0004-phones.md"]
    assert beside(pipeline(folder, related(enabled=False)).recall(message), Part.RELATED) == []


def test_a_decision_written_since_the_last_sync_is_there_already(folder: Path) -> None:
    made = pipeline(folder, related())
    (folder / "decisions" / "0007-new.md").write_text("# Quite new\n\nStatus: accepted\nAmends: ADR-0003\n")
    assert beside(made.recall("pages on the server"), Part.RELATED)[0] == "0006-chain.md"
    assert "0007-new.md" in beside(made.recall("pages on the server"), Part.RELATED)


def test_notes_are_a_start_only_where_the_options_say_so(folder: Path) -> None:
    message = "lessons of the broker outage"
    assert beside(pipeline(folder, related()).recall(message), Part.RELATED) == []
    recall = pipeline(folder, related(notes=True)).recall(message)
    assert sorted(beside(recall, Part.RELATED)) == ["0001-broker.md", "elm.md"]
    assert "⚠️superseded → ADR-0002 (now ADR-0005) decision ADR-0001" in recall.block


def test_a_notes_own_weight_counts_too(folder: Path) -> None:
    (folder / "notes" / "elm.md").write_text("---\nweight: 9\n---\n# Mithril frontend\n")
    recall = pipeline(folder, related(notes=True)).recall("lessons of the broker outage")
    assert beside(recall, Part.RELATED) == ["elm.md", "0001-broker.md"]
    assert "weight 2.7" in next(c.why for c in recall.candidates if c.hit.record.id == "elm.md")
    without = pipeline(folder, related(notes=True, weights={"link": 0})).recall("lessons of the broker outage")
    assert beside(without, Part.RELATED) == []


def test_no_record_is_there_twice_and_a_circle_of_connections_is_harmless(folder: Path) -> None:
    for name, other in (("0003-pages.md", "ADR-0004"), ("0004-phones.md", "ADR-0003")):
        file = folder / "decisions" / name
        file.write_text(f"{file.read_text()}\n## Links\n\n* supersedes nothing, relates to {other}\n* see [{other}]({name})\n")
    recall = pipeline(folder, rejected(), related()).recall("pages on the server elm client nobody knows")
    shown = [(hit.source, hit.record.id) for hit in recall.hits]
    assert len(shown) == len(set(shown))
    assert "0004-phones.md" in beside(recall, Part.RELATED)


def test_the_default_weights_stand_in_the_shipped_file_and_in_the_docs() -> None:
    shipped = yaml.safe_load((ROOT / "configs" / "claude-code.yaml").read_text())["postprocessors"]
    weights = next(step["weights"] for step in shipped if isinstance(step, dict) and step["type"] == "related")
    assert weights == {kind.value: weight for kind, weight in WEIGHTS.items()}
    table = re.findall(
        r"^\| ([a-z ]+) \| ([a-z ]+) \| ([\d.]+) \| ([\d.]+) \|", (ROOT / "docs" / "relations.md").read_text(), re.M
    )
    told = {kind: float(weight) for row in table for kind, weight in (row[::2], row[1::2])}
    assert told == weights


def test_a_note_says_that_what_it_cites_was_superseded_only_where_asked_to(folder: Path) -> None:
    message = "lessons of the broker outage"
    assert "cites" not in pipeline(folder, related()).recall(message).block
    block = pipeline(folder, related(cites=True)).recall(message).block
    assert "— cites ADR-0001 ⚠️superseded → ADR-0002 (now ADR-0005); what we learned" in block


def test_an_option_that_was_not_chosen_is_told_with_what_was_and_where(folder: Path) -> None:
    recall = pipeline(folder, rejected()).recall("elm client nobody knows")
    assert recall.block.split("\n")[-2:] == [
        "⚠ REJECTED APPROACHES",
        "- ⚠️rejected → Templates option ADR-0003 · Elm client — 0003-pages.md:10: nobody knows it",
    ]
    assert all("#rejected" not in c.hit.record.id for c in recall.candidates if c.hit.part is Part.HEADLINE and c.handed_over)
    assert "0003-pages.md:10" in next(c.why for c in recall.candidates if c.hit.part is Part.REJECTED)


def test_a_rejected_decision_and_a_note_of_the_type_are_told_too(folder: Path) -> None:
    made = pipeline(folder, rejected())
    recall = made.recall("mithril frontend")
    assert [(hit.record.id, hit.part, hit.mark) for hit in recall.hits] == [("elm.md#rejected", Part.REJECTED, "⚠️rejected")]
    recall = made.recall("invoices blockchain ledger workers ask rabbit broker")
    assert beside(recall, Part.HEADLINE) == ["0001-broker.md"]
    assert "- ⚠️rejected decision ADR-0006 · Invoices in a blockchain — Too slow a ledger." in recall.block
    recall = made.recall("invoices in a blockchain")
    assert beside(recall, Part.HEADLINE) == ["0006-chain.md"]
    assert beside(recall, Part.REJECTED) == []


def test_what_is_not_rejected_any_more_is_not_told_before_the_next_sync_either(folder: Path) -> None:
    made = pipeline(folder, rejected())
    (folder / "decisions" / "0008-elm.md").write_text("# Use the Elm client\n\nStatus: accepted\n")
    recall = made.recall("elm client nobody knows")
    assert beside(recall, Part.REJECTED) == []
    assert any(c.why == "is not rejected any more" for c in recall.candidates)
    made.sync(lambda done, total: None)
    assert not any(c.hit.record.kind == "option" for c in made.recall("elm client nobody knows").candidates)


def test_the_last_rejected_approach_of_a_source_may_go_without_a_question(folder: Path) -> None:
    made = pipeline(folder, rejected())
    (folder / "notes" / "elm.md").write_text("# Mithril frontend\n\nMithril is used.\n")
    assert not made.sync(lambda done, total: None).problems
    assert beside(made.recall("mithril frontend"), Part.REJECTED) == []


def test_where_no_step_asks_for_them_rejected_approaches_are_not_embedded(folder: Path) -> None:
    made = pipeline(folder, related())
    assert set(made.store.sources()) == set(made.sources)
    assert set(pipeline(folder, rejected()).store.sources()) > set(made.sources)


def test_with_nothing_declared_the_block_is_what_it_was(tmp_path: Path) -> None:
    for place in ("decisions", "notes"):
        (tmp_path / place).mkdir()
    (tmp_path / "decisions" / "0001-a.md").write_text("# Rabbit broker\n\nStatus: accepted\n\n## Context\n\nA broker.\n")
    (tmp_path / "notes" / "n.md").write_text("# Night import\n\nIt runs at night.\n")
    for message in ("rabbit broker", "night import"):
        plain = pipeline(tmp_path).recall(message).block
        assert pipeline(tmp_path, rejected(), related(notes=True, cites=True)).recall(message).block == plain
