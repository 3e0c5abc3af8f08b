import json
import re
from pathlib import Path

import pytest

from citator.agents import Agent, Event, Meaning, Moment, Target, load_agent, names, read_event, write_answer
from citator.config import shipped
from citator.errors import ConfigError

DOCS = Path(__file__).parents[1] / "docs" / "agents"
SAMPLES = Path(__file__).parents[2] / "shared" / "contracts" / "samples"
AGENTS = ("claude-code", "cline", "codex", "copilot-cli", "cursor", "gemini-cli", "kiro", "opencode", "qwen")
CLAUDE = {"transcript_path": "/home/ada/.claude/t.jsonl", "cwd": "/home/ada/shop", "session_id": "c1"}
CODEX = {**CLAUDE, "model": "any", "turn_id": "t1"}
GEMINI = {**CLAUDE, "timestamp": "2026-11-30T14:33:39.757Z"}
CURSOR = {"conversation_id": "u1", "workspace_roots": ["/home/ada/shop", "/home/ada/other"], "cursor_version": "3.20"}
CLINE = {"taskId": "k1", "workspaceRoots": ["/home/ada/shop"], "clineVersion": "4.0"}
OPENCODE = {"session_id": "o1", "cwd": "/home/ada/shop"}


def event(agent: str, payload: object, **environment: str) -> Event:
    return read_event(load_agent(agent), json.dumps(payload).encode(), "/here", environment)


def message(agent: Agent, name: str = "") -> Event:
    found = next(name for name, meaning in agent.events.items() if meaning.moment is Moment.MESSAGE)
    return Event(Moment.MESSAGE, name or found, "hello", "/home/ada/shop", "s1")


def test_all_agents_are_there() -> None:
    assert tuple(names()) == AGENTS


@pytest.mark.parametrize(
    ("agent", "payload", "expected"),
    [
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "Which queue?"},
            Event(Moment.MESSAGE, "UserPromptSubmit", "Which queue?", "/home/ada/shop", "c1"),
        ),
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"},
            Event(Moment.START, "SessionStart", "", "/home/ada/shop", "c1"),
        ),
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "SessionStart", "source": "compact", "model": "any"},
            Event(Moment.START, "SessionStart", "", "/home/ada/shop", "c1", fresh=True),
        ),
        (
            "claude-code",
            {**CLAUDE, "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "docs/../docs/1.md"}},
            Event(Moment.READ, "PostToolUse", "", "/home/ada/shop", "c1", "/home/ada/shop/docs/1.md"),
        ),
        (
            "codex",
            {**CODEX, "hook_event_name": "UserPromptSubmit", "prompt": "Which queue?"},
            Event(Moment.MESSAGE, "UserPromptSubmit", "Which queue?", "/home/ada/shop", "c1"),
        ),
        ("codex", {**CODEX, "hook_event_name": "PostCompact"}, Event(Moment.FORGET, "PostCompact", "", "/home/ada/shop", "c1")),
        (
            "gemini-cli",
            {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "Which queue?"},
            Event(Moment.MESSAGE, "BeforeAgent", "Which queue?", "/home/ada/shop", "c1"),
        ),
        (
            "gemini-cli",
            {**GEMINI, "hook_event_name": "SessionStart", "source": "clear"},
            Event(Moment.START, "SessionStart", "", "/home/ada/shop", "c1", fresh=True),
        ),
        ("gemini-cli", {**GEMINI, "hook_event_name": "PreCompress", "trigger": "auto"}, Event(Moment.NONE, folder="/here")),
        (
            "gemini-cli",
            {**GEMINI, "hook_event_name": "PreCompress", "trigger": "manual"},
            Event(Moment.FORGET, "PreCompress", "", "/home/ada/shop", "c1"),
        ),
        (
            "copilot-cli",
            {
                "hook_event_name": "UserPromptSubmit",
                "session_id": "p1",
                "timestamp": "now",
                "cwd": "/home/ada/shop",
                "prompt": "Why?",
            },
            Event(Moment.MESSAGE, "UserPromptSubmit", "Why?", "/home/ada/shop", "p1"),
        ),
        (
            "cursor",
            {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "Which queue?", "attachments": []},
            Event(Moment.MESSAGE, "beforeSubmitPrompt", "Which queue?", "/home/ada/shop", "u1"),
        ),
        (
            "cline",
            {**CLINE, "hookName": "UserPromptSubmit", "userPromptSubmit": {"prompt": "Which queue?", "attachments": []}},
            Event(Moment.MESSAGE, "UserPromptSubmit", "Which queue?", "/home/ada/shop", "k1"),
        ),
        (
            "kiro",
            {"hook_event_name": "userPromptSubmit", "cwd": "/home/ada/shop", "prompt": "Which queue?"},
            Event(Moment.MESSAGE, "userPromptSubmit", "Which queue?", "/home/ada/shop"),
        ),
        (
            "qwen",
            {**GEMINI, "hook_event_name": "UserPromptSubmit", "prompt": "Which queue?"},
            Event(Moment.MESSAGE, "UserPromptSubmit", "Which queue?", "/home/ada/shop", "c1"),
        ),
        (
            "opencode",
            {**OPENCODE, "hook_event_name": "tool.read", "path": "/home/ada/shop/docs/1.md"},
            Event(Moment.READ, "tool.read", "", "/home/ada/shop", "o1", "/home/ada/shop/docs/1.md"),
        ),
    ],
)
def test_an_event_is_read_by_its_agents_contract(agent: str, payload: object, expected: Event) -> None:
    assert event(agent, payload) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'"UserPromptSubmit"',
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"hook_event_name": "UserPromptSubmit"}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": ""}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": {"text": "x"}}',
        b'{"hook_event_name": ["UserPromptSubmit"], "prompt": "x"}',
        b'{"hook_event_name": "SessionEnd", "reason": "other"}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": "/x"}}',
        b'{"hook_event_name": "UserPromptSubmit", "prompt": "cut off',
    ],
)
def test_what_cannot_be_read_or_is_not_meant_for_us_is_nothing(raw: bytes) -> None:
    assert read_event(load_agent("claude-code"), raw, "/here", {}) == Event(Moment.NONE, folder="/here")


def test_an_event_without_a_folder_is_where_the_client_is_and_odd_characters_do_no_harm() -> None:
    raw = b'{"hook_event_name": "UserPromptSubmit", "prompt": "a\\u0000b\\ud800c\\ud83d\\ude00", "session_id": 7}'
    found = read_event(load_agent("claude-code"), raw, "/here", {})
    assert found == Event(Moment.MESSAGE, "UserPromptSubmit", "ab\ufffdc😀", "/here")


def test_what_cursor_and_copilot_send_to_claude_codes_hooks_is_not_answered() -> None:
    prompt = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "Which queue?"}
    assert event("claude-code", {**prompt, "cursor_version": "3.20"}).moment is Moment.NONE
    assert event("claude-code", {**prompt, "timestamp": "2026-11-30T14:37:30.954Z"}).moment is Moment.NONE
    assert event("claude-code", prompt, CURSOR_VERSION="3.20").moment is Moment.NONE
    assert event("claude-code", prompt, CLAUDE_CONFIG_DIR="/x").moment is Moment.MESSAGE


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("claude-code", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "⚠️ one\ntwo"}}),
        ("codex", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "⚠️ one\ntwo"}}),
        ("gemini-cli", {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "⚠️ one\ntwo"}}),
        ("copilot-cli", {"additionalContext": "⚠️ one\ntwo"}),
        ("cursor", {"continue": True, "additional_context": "⚠️ one\ntwo"}),
        ("cline", {"cancel": False, "contextModification": "⚠️ one\ntwo"}),
        ("qwen", {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "⚠️ one\ntwo"}}),
    ],
)
def test_the_answer_has_the_agents_envelope_and_no_field_more(agent: str, expected: object) -> None:
    known = load_agent(agent)
    assert json.loads(write_answer(known, message(known), "⚠️ one\ntwo", "citator: 2 records")) == expected


@pytest.mark.parametrize("agent", ["kiro", "opencode"])
def test_an_agent_that_reads_text_gets_the_block_alone(agent: str) -> None:
    known = load_agent(agent)
    assert write_answer(known, message(known), "⚠️ one\n\ud800", "line").decode() == "⚠️ one\n?"


@pytest.mark.parametrize("agent", AGENTS)
def test_without_a_block_nothing_is_printed(agent: str) -> None:
    known = load_agent(agent)
    assert write_answer(known, message(known), "", "citator: 0 records") == b""


@pytest.mark.parametrize(
    ("block", "kept"), [("a" * 10_000, 10_000), ("😀" * 5_000, 5_000), ("a" * 9_990 + "\n" + "b" * 10, 9_990)]
)
def test_a_block_keeps_within_the_agents_limit_by_whole_lines(block: str, kept: int) -> None:
    known = load_agent("claude-code")
    answer = json.loads(write_answer(known, message(known), block))
    assert len(answer["hookSpecificOutput"]["additionalContext"]) == kept


def test_people_are_shown_a_line_once_the_user_says_so(home: Path) -> None:
    own = home / ".config" / "citator" / "agents" / "claude-code.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("agent: {show_line: true}\n")
    known = load_agent("claude-code")
    assert known.files == (shipped("configs") / "claude-code.yaml", own)
    answer = json.loads(write_answer(known, message(known), "block", "citator: 1 record"))
    assert answer["systemMessage"] == "citator: 1 record"
    assert answer["hookSpecificOutput"]["additionalContext"] == "block"


def test_a_pipelines_key_in_a_contract_is_refused(home: Path) -> None:
    own = home / ".config" / "citator" / "agents" / "claude-code.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("agent: {show_line: true}\nrenderer: headlines\n")
    with pytest.raises(ConfigError, match=rf"{own}: renderer: says nothing of an agent; move it to .*/citator/pipeline.yaml"):
        load_agent("claude-code")


MADE_UP = """
agent:
  title: Parley
  event: what
  session: talk.id
  folder: talk.where
  events:
    said: {moment: message, message: talk.words.0}
  answer: {say: [{kind: aside, text: $block}]}
  install: [{user: "${PARLEY_HOME:-~/.parley}/on.json", add: {said: [{run: $command}]}}]
"""


@pytest.fixture
def parley(home: Path) -> Path:
    file = home / ".config" / "citator" / "agents" / "parley.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(MADE_UP)
    return file


def test_a_new_agent_is_read_from_one_yaml_file(parley: Path) -> None:
    assert "parley" in names()
    found = event("parley", {"what": "said", "talk": {"id": "7", "where": "/home/ada", "words": ["Which queue?"]}})
    assert found == Event(Moment.MESSAGE, "said", "Which queue?", "/home/ada", "7")
    assert json.loads(write_answer(load_agent("parley"), found, "block")) == {"say": [{"kind": "aside", "text": "block"}]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MADE_UP.replace("title: Parley", "titel: Parley"), "agent.titel: unknown key; did you mean 'title'?"),
        (
            MADE_UP.replace("moment: message", "moment: mesage"),
            "agent.events.said.moment: Input should be 'message', 'start', 'read'",
        ),
        (MADE_UP.replace("message: talk", "mesage: talk"), "agent.events.said.mesage: unknown key; did you mean 'message'?"),
        (MADE_UP.replace("moment: message, ", ""), "agent.events.said.moment: missing: message, start, read or forget."),
        (MADE_UP.replace("add:", "ad:"), "agent.install[0].ad: unknown key; did you mean 'add'?"),
        (MADE_UP.replace("folder: talk.where", ""), "agent.folder: missing: The field with the folder that the session is in."),
        (MADE_UP.replace("user: ", "template: "), "agent.install[0]: name a file, for user, for project"),
        (
            MADE_UP.replace("add: {said: [{run: $command}]}", "executable: true"),
            "agent.install[0]: give either add or",
        ),
        ("agent: none\n", "agent: a contract is a mapping; see "),
        ("agnt: {}\n", "agnt: unknown key; did you mean 'agent'?"),
        ("agent: [\n", "2: not valid YAML"),
    ],
)
def test_a_broken_contract_is_told_with_file_key_and_hint(parley: Path, text: str, expected: str) -> None:
    parley.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_agent("parley")
    problems = [problem.removeprefix(f"{parley}:").lstrip() for problem in caught.value.problems]
    assert [problem for problem in problems if problem.startswith(expected)], problems


@pytest.mark.parametrize("name", ["claude", "codeks", "../claude-code", "", "parley/x", "demo"])
def test_an_unknown_agent_is_told_with_the_nearest_one(home: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"no agent named .*; (did you mean|there are: claude-code)"):
        load_agent(name)


def payloads() -> list[tuple[str, str, str]]:
    """(agent, payload, what it should mean) of every sample that was recorded from a real client."""
    found = []
    for agent, file in (("claude-code", "claude/hook_stdin_by_event.jsonl"), ("codex", "codex/hook_stdin.jsonl")):
        found += [(agent, line) for line in (SAMPLES / file).read_text("utf-8").splitlines()]
    found += [("gemini-cli", line) for line in (SAMPLES / "gemini/hook_stdin.jsonl").read_text("utf-8").splitlines()]
    copilot = (SAMPLES / "copilot/hook_stdin.txt").read_text("utf-8").splitlines()
    found += [("copilot-cli", line.partition(" ")[2]) for line in copilot if not line[0].islower()]
    meant = {"UserPromptSubmit": "message", "BeforeAgent": "message", "SessionStart": "start"}
    return [(agent, line, meant.get(json.loads(line)["hook_event_name"], "")) for agent, line in found]


@pytest.mark.shared
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded payloads are not beside the checkout")
def test_every_recorded_payload_is_understood() -> None:
    read = 0
    for agent, line, meant in payloads():
        found = event(agent, payload := json.loads(line))
        if payload["hook_event_name"] == "PostToolUse" and payload["tool_name"] == "Read":
            assert (found.moment, found.path) == (Moment.READ, payload["tool_input"]["file_path"])
        else:
            assert found.moment == (meant or "none"), line
        if found.moment is not Moment.NONE:
            assert (found.folder, found.session) == (payload["cwd"], payload["session_id"])
            assert found.message == (payload["prompt"] if meant == "message" else "")
            assert found.fresh == (payload.get("source") in ("compact", "clear"))
            read += 1
    assert read >= 20


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_has_a_page_that_says_how_to_install_verify_and_remove_it(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    agent = load_agent(name)
    assert page.startswith(f"# {agent.title}\n\n    citator install {name}\n")
    assert re.findall("^## (.+)$", page, re.MULTILINE) == [
        "What it shows",
        "Where",
        "Traps",
        "Verify",
        "Let the agent set it up",
        "Remove",
    ]
    for target in agent.install:
        for file in filter(None, (target.user, target.project)):
            assert Path(file).name in page
    for event, meaning in agent.events.items():
        assert f"`{event}`" in page or meaning.moment is not Moment.MESSAGE or name == "kiro"
    assert f"[{agent.title}]({name}.md) | `{name}` |" in (DOCS / "README.md").read_text("utf-8")


def test_the_contract_on_the_page_of_the_agents_works(home: Path) -> None:
    [contract] = re.findall(r"^```yaml\n(.*?)^```$", (DOCS / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    own = home / ".config" / "citator" / "agents"
    own.mkdir(parents=True)
    (own / "parley.yaml").write_text(contract)
    sent = {"what": "viewed", "talk": {"id": "7", "places": ["/home/ada"]}, "file": {"name": "1.md", "kind": "text"}}
    assert event("parley", sent) == Event(Moment.READ, "viewed", "", "/home/ada", "7", "/home/ada/1.md")


def test_the_page_of_the_agents_names_every_key_of_a_contract() -> None:
    page = (DOCS / "README.md").read_text("utf-8")
    keys = {*Agent.model_fields, *Meaning.model_fields, *Target.model_fields} - {"name", "files"}
    assert [key for key in keys if f"`{key}`" not in page and f"`{key}:" not in page] == []


@pytest.mark.parametrize("page", sorted(p.name for p in (Path(__file__).parents[1] / "docs" / "agents").glob("*.md")))
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", (DOCS / page).read_text("utf-8")):
        assert (DOCS / target).exists(), target
