"""The MCP server with the protocol's own client, in a process of its own."""

import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import pytest

from warm import User, make_interpreter

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

SERVE = "import sys\nfrom citator.cli import main\nsys.exit(main(sys.argv[1:]))"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    user = User(make_interpreter(tmp_path_factory.mktemp("python")))
    user.decide(4, "Take jobs from PostgreSQL", "Accepted\n\nSupersedes ADR-0001", "Workers take jobs from a table.")
    user.warm()
    yield user
    user.leave()


def asked(user: User, ask: Callable[[Any], Awaitable[Any]]) -> Any:
    """What a client gets that is connected to `citator mcp`, which is started in another folder."""

    async def connected() -> Any:
        words = ["-c", SERVE, "mcp", "--project", str(user.project)]
        server = mcp.StdioServerParameters(command=str(user.python), args=words, env=user.environment, cwd="/")
        async with mcp.Client(mcp.stdio_client(server)) as client:
            return await ask(client)

    return anyio.run(connected)


def called(user: User, tool: str, **arguments: str) -> Any:
    return asked(user, lambda client: client.call_tool(tool, arguments))


def test_there_are_five_tools_that_change_nothing(user: User) -> None:
    tools = asked(user, lambda client: client.list_tools()).tools
    assert sorted(tool.name for tool in tools) == ["decision_status", "get", "recall", "status", "why"]
    assert all(tool.annotations.read_only_hint and not tool.annotations.open_world_hint for tool in tools)
    assert all(tool.description for tool in tools)


def test_recall_gives_the_block_and_the_nearest_records(user: User) -> None:
    got = called(user, "recall", message="Which queue do the background jobs of our workers use?").structured_content
    assert "⚠️superseded → ADR-0004 decision ADR-0001" in got["block"]
    first = next(near for near in got["nearest"] if near["label"] == "ADR-0001")
    assert (first["mark"], first["handed_over"]) == ("⚠️superseded → ADR-0004", True)


def test_why_tells_each_candidates_scores(user: User) -> None:
    got = called(user, "why", message="Which queue?").structured_content
    assert {candidate["label"] for candidate in got["candidates"]} == {"ADR-0001", "ADR-0002", "ADR-0003", "ADR-0004"}


@pytest.mark.parametrize("name", ["1", "ADR-1", "ADR-0001", "0001-use-rabbitmq-for-background-jobs.md"])
def test_a_decisions_status_is_that_of_the_index(user: User, name: str) -> None:
    got = called(user, "decision_status", id=name).structured_content
    assert (got["status"], [one["id"] for one in got["current"]]) == ("superseded", ["ADR-0004"])


def test_a_record_is_read_as_a_tool_and_as_a_resource(user: User) -> None:
    text = called(user, "get", id="ADR-0004").content[0].text
    assert text.startswith("# ADR-0004 · 2026-03-05 · Take jobs from PostgreSQL\n") and "from a table" in text
    same = asked(user, lambda client: client.read_resource("citator://record/0004-take-jobs-from-postgresql.md"))
    assert same.contents[0].text == text


def test_the_status_counts_the_records(user: User) -> None:
    got = called(user, "status").structured_content
    assert sum(source["records"] for source in got["sources"]) == 4


@pytest.mark.parametrize("tool", ["get", "decision_status"])
def test_what_is_not_there_is_an_error_in_words(user: User, tool: str) -> None:
    got = called(user, tool, id="ADR-9999")
    assert got.is_error
    assert "no record is called 'ADR-9999'" in got.content[0].text


def test_standard_output_holds_the_protocol_alone_even_without_a_daemon(user: User) -> None:
    said = [
        {
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"message": "Which queue?"}}},
    ]
    user.citator("daemon", "stop")
    words = [str(user.python), "-c", SERVE, "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, cwd=user.project, env=user.environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as server:
        assert server.stdin and server.stdout
        for message in said:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        rest = server.stdout.read()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "result" in answers[1]
    assert rest == ""
