from pathlib import Path

import pytest

from citator.config import load_config, parse, shipped
from citator.errors import ConfigError
from citator.plugins import Plugins
from citator.settings import user_file
from citator.trusting import trust


@pytest.fixture
def plugins() -> Plugins:
    return Plugins.load()


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "code" / "shop"
    (folder / "docs" / "decisions").mkdir(parents=True)
    (folder / "docs" / "decisions" / "0001-use-a-queue.md").write_text("# Use a queue\n\n## Status\n\nAccepted\n")
    return folder


def problems(plugins: Plugins, project: Path, text: str) -> list[str]:
    file = project / "pipeline.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(plugins, project, project, file)
    return [problem.removeprefix(f"{file}: ") for problem in caught.value.problems]


def test_without_any_file_the_shipped_pipeline_holds_with_what_is_found(plugins: Plugins, project: Path) -> None:
    config = load_config(plugins, project, project)
    assert [(source.type, source.root) for source in config.sources] == [("adr", project / "docs" / "decisions")]
    assert (config.embedding.type, config.store.type, config.renderer.type) == ("minilm", "edge", "headlines")
    assert [step.type for step in config.postprocessors] == ["marks", "gate", "rejected", "related"]


@pytest.mark.parametrize("file", sorted(shipped("configs").glob("*.yaml")), ids=lambda file: file.name)
def test_every_shipped_pipeline_loads(plugins: Plugins, project: Path, file: Path) -> None:
    assert load_config(plugins, project, project, file)


def test_a_project_replaces_the_user_by_top_level_key_once_it_is_trusted(plugins: Plugins, project: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text("embedding: {type: minilm, threads: 3}\nrenderer: {type: headlines, lines: 2}\n")
    own = project / ".citator.yaml"
    own.write_text("renderer: {type: headlines, bytes: 900}\n")

    before = load_config(plugins, project, project)
    assert before.renderer.model_dump()["lines"] == 2
    assert [f"{own}: left out, since it is not trusted; read it, then say: citator trust"] == list(before.notices)

    trust(own)
    after = load_config(plugins, project, project)
    assert (after.renderer.model_dump()["lines"], after.renderer.model_dump()["bytes"]) == (5, 900)
    assert after.embedding.model_dump()["threads"] == 3
    assert after.files == (user_file(), own)

    own.write_text(own.read_text() + "# edited\n")
    assert load_config(plugins, project, project).notices


def test_a_given_file_stands_alone(plugins: Plugins, project: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text("renderer: {type: headlines, lines: 2}\n")
    given = project / "given.yaml"
    given.write_text("store: {type: local}\n")
    config = load_config(plugins, project, project, given)
    assert (config.store.type, config.renderer.model_dump()["lines"]) == ("local", 5)


def test_discovered_stands_beside_other_sources_and_nothing_is_there_twice(plugins: Plugins, project: Path) -> None:
    given = project / "given.yaml"
    given.write_text("sources: [discovered, {type: adr, path: docs/decisions}, {type: markdown, path: ~/rules, kind: rule}]\n")
    config = load_config(plugins, project, project, given)
    assert sorted((s.type, s.root) for s in config.sources) == [
        ("adr", project / "docs" / "decisions"),
        ("markdown", project.parents[1] / "rules"),
    ]


def test_paths_expand_and_begin_at_the_projects_folder(
    plugins: Plugins, project: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("RULES", "shared/rules")
    given = project / "given.yaml"
    given.write_text("sources: [{type: markdown, path: ~/a}, {type: markdown, path: $RULES/b}, {type: markdown, path: ../c}]\n")
    roots = [source.root for source in load_config(plugins, project, project, given).sources]
    assert roots == [home / "a", project / "shared" / "rules" / "b", project.parent / "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sorces: []\n", "sorces: unknown key; did you mean 'sources'?"),
        ("embedding: minlm\n", "embedding: no embedding of type 'minlm'; did you mean 'minilm'?"),
        ("sources: [{type: adr, pth: x}]\n", "sources[0].pth: unknown key; did you mean 'path'?"),
        (
            "sources: [{type: adr, path: x, status: addr}]\n",
            "sources[0].status: no status resolver of type 'addr'; did you mean 'adr'?",
        ),
        ("sources: [{path: x}]\n", "sources[0]: name the source, or give a mapping with its type and options; there are: "),
        ("sources: 7\n", "sources[0]: name the source, or give a mapping"),
        ("embedding:\n", "embedding: name the embedding, or give a mapping"),
        ("embedding: {type: huggingface}\n", "embedding.model: missing: A name on the hub"),
        ("store: {type: cloud}\n", "store.type: Input should be 'edge', 'server' or 'local', not 'cloud'"),
        ("renderer: {type: headlines, lines: many}\n", "renderer.lines: Input should be a valid integer"),
        ("sources: [{type: markdown, path: $NOT_SET/x}]\n", "sources[0].path: the variable $NOT_SET is not set"),
        ("sources: [{type: markdown, path: '~nobody-here/x'}]\n", "sources[0].path: there is no user"),
        ('sources: [{type: markdown, path: "a\\0b"}]\n', "sources[0].path: a path cannot hold a NUL"),
        ("embedding: {type: minilm, threads: -1}\n", "embedding.threads: Input should be greater than or equal to 0"),
        ("foo: 1\nrenderer: {type: headlines, x: 1}\n", "renderer.x: unknown key"),
        ("store: [edge]\n", "store: Input should be a valid dictionary"),
    ],
)
def test_a_wrong_key_is_told_with_file_key_and_hint(plugins: Plugins, project: Path, text: str, expected: str) -> None:
    assert any(problem.startswith(expected) for problem in problems(plugins, project, text))


def test_all_problems_are_told_at_once_each_in_a_line(plugins: Plugins, project: Path) -> None:
    found = problems(
        plugins, project, "sources: [{type: nope}, {type: markdown}]\nembedding: nope\nrenderer: {type: headlines, x: 1}\n"
    )
    assert [problem.split(":")[0] for problem in found] == ["sources[0]", "sources[1].path", "embedding", "renderer.x"]
    assert all("\n" not in problem for problem in found)


@pytest.mark.parametrize(
    "text",
    [
        "sources: [",
        "a: 1\na: 2\n",
        "- a\n",
        "!!python/object/apply:os.system ['true']\n",
        "\tx: 1\n",
        "a: &a [*a]\nb: *c\n",
        "[" * 3000,
        "? [a, b]\n: c\n",
        "{a: b}: c\n",
    ],
)
def test_yaml_that_is_no_pipeline_is_one_line_with_the_files_name(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "some/file.yaml")
    assert all(problem.startswith("some/file.yaml") and "\n" not in problem for problem in caught.value.problems)


@pytest.mark.parametrize("make", [lambda f: None, lambda f: f.write_bytes(b"\xff\xfe\x00\xd8"), lambda f: f.mkdir()])
def test_a_file_that_cannot_be_read_is_one_line(plugins: Plugins, project: Path, make: object) -> None:
    file = project / "pipeline.yaml"
    make(file)  # type: ignore[operator]
    with pytest.raises(ConfigError, match=r"pipeline\.yaml: (no such file|cannot be read)"):
        load_config(plugins, project, project, file)


def test_an_agents_contract_in_a_pipeline_is_refused(plugins: Plugins, project: Path) -> None:
    [problem] = problems(plugins, project, "agent: {show_line: true}\n")
    assert problem.startswith("agent: says nothing of a pipeline; move it to ") and problem.endswith("/agents/NAME.yaml")


def test_off_is_taken_as_it_is_written_though_yaml_reads_it_as_false(plugins: Plugins, project: Path) -> None:
    file = project / "pipeline.yaml"
    file.write_text("postprocessors: [marks, {type: gate, method: off}]\n")
    assert load_config(plugins, project, project, file).postprocessors[1].model_dump()["method"] == "off"
