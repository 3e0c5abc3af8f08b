import json
import os
import re
import shlex
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from citator.agents import filled, load_agent, names
from citator.cli import main
from citator.config import shipped
from citator.installing import installed, scopes, wired
from citator.runtime import client_command, daemon_file, statusline_command

CHECKOUT = Path(__file__).parents[1]
CITATOR = Path(sysconfig.get_path("scripts")) / "citator"
SETTINGS = """{
    // the user's own
    "model": "large",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
    },
    "env": {"A": "\\u00e9"}
}"""
PLAIN = SETTINGS.replace("    // the user's own\n", "")


@pytest.fixture
def settings(home: Path) -> Path:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    return file


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "shop" / "docs"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder.parent], check=True)
    monkeypatch.chdir(folder)
    return folder.parent


def tree(folder: Path) -> dict[str, bytes | str | None]:
    """Everything below a folder, with its mode."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[f"{path.relative_to(folder)} {path.lstat().st_mode:o}"] = content
    return found


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 1
    [line] = capsys.readouterr().err.splitlines()
    return line


def commands(value: object) -> list[str]:
    """Every text in some JSON that starts our client."""
    if isinstance(value, str):
        return [value] if "client.main()" in value else []
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [command for each in inside for command in commands(each)]


def timeouts(value: object) -> list[object]:
    if not isinstance(value, dict | list):
        return []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    return [t for key, each in pairs for t in ([each] if str(key).startswith("timeout") else timeouts(each))]


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN + "\n",
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("    ", "\t"),
        "\ufeff" + PLAIN,
        json.dumps(json.loads(PLAIN)),
        "{}",
        "{ }\n\n",
        "",
        " \n",
        None,
    ],
)
def test_uninstalling_gives_back_every_byte(
    settings: Path, home: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    if content is None:
        settings.parent.rmdir()
    else:
        settings.write_bytes(content.encode())
        settings.chmod(0o640)
    before = tree(home)
    said(capsys, "install", "claude-code")
    hooks = json.loads(settings.read_text("utf-8-sig"))["hooks"]
    assert {*hooks} - {"Stop"} == {"UserPromptSubmit", "SessionStart", "PostToolUse"}
    assert commands(hooks) == [shlex.join(client_command("claude-code"))] * 3
    assert content is None or settings.stat().st_mode & 0o777 == 0o640
    said(capsys, "uninstall", "claude-code")
    assert {k: v for k, v in tree(home).items() if not k.startswith(".local ") and not k.startswith(".local/share ")} == before


@pytest.mark.parametrize("agent", names())
def test_each_agent_is_installed_and_uninstalled_without_a_trace(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    for scope in scopes(load_agent(agent)):
        before = tree(project)
        said(capsys, "install", agent, "--scope", scope)
        files = wired(load_agent(agent))
        assert files
        for file in files:
            assert file.is_relative_to(project if scope == "project" else home)
            if file.suffix == ".json":
                content = json.loads(file.read_text())
                assert {*commands(content)} == {shlex.join(client_command(agent))}
                assert {*timeouts(content)} == {2000 if agent in ("gemini-cli", "qwen") else 2}, (
                    "two seconds, in the agent's own unit"
                )
            else:
                assert os.access(file, os.X_OK) == (agent == "cline")
        assert said(capsys, "install", agent, "--scope", scope).startswith("all is in place")
        said(capsys, "uninstall", agent)
        assert (tree(project), wired(load_agent(agent)), installed()) == (before, [], [])
    assert [path for path in home.rglob("*") if path.is_file() and project not in path.parents] == []


def test_the_change_is_shown_and_a_dry_run_changes_nothing(
    settings: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(PLAIN)
    before = tree(home)
    out = said(capsys, "install", "claude-code", "--dry-run")
    assert tree(home) == before
    assert out.startswith(f"--- {settings}\n+++ {settings}\n")
    assert "\nnothing was changed" in out
    written = said(capsys, "install", "claude-code")
    assert written.partition("\n\n")[0] == out.partition("\n\n")[0]
    assert f"\nwrote {settings}\n" in written
    again = tree(home)
    undone = said(capsys, "uninstall", "claude-code", "--dry-run")
    assert tree(home) == again
    assert undone.startswith(f"--- {settings}\n+++ {settings}\n") and undone.endswith("\nnothing was changed\n")


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (lambda s: {**s, "model": "small"}, lambda s: {**s, "model": "small"}),
        (lambda s: {**s, "hooks": {**s["hooks"], "UserPromptSubmit": [*s["hooks"]["UserPromptSubmit"], {"hooks": []}]}}, None),
    ],
)
def test_edits_made_meanwhile_stay(
    settings: Path,
    capsys: pytest.CaptureFixture[str],
    edit: Callable[[dict[str, object]], dict[str, object]],
    left: Callable[[dict[str, object]], dict[str, object]] | None,
) -> None:
    settings.write_text(PLAIN)
    said(capsys, "install", "claude-code")
    settings.write_text(json.dumps(edit(json.loads(settings.read_text())), indent=2))
    said(capsys, "uninstall", "claude-code")
    original = json.loads(PLAIN)
    if left is None:
        original["hooks"]["UserPromptSubmit"] = [{"hooks": []}]
    assert json.loads(settings.read_text()) == (left(original) if left else original)
    assert installed() == []


def test_installing_again_after_an_edit_keeps_the_edit_for_good(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.write_text(PLAIN)
    said(capsys, "install", "claude-code")
    settings.write_text(settings.read_text().replace('"timeout": 2', '"timeout": 9').replace("large", "small"))
    said(capsys, "install", "claude-code")
    assert timeouts(json.loads(settings.read_text())) == [2, 2, 2]
    said(capsys, "uninstall", "claude-code")
    assert settings.read_text() == PLAIN.replace("large", "small")


def test_a_command_of_another_installation_is_replaced(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "claude-code")
    settings.write_text(settings.read_text().replace(client_command("claude-code")[0], "/old/python"))
    said(capsys, "install", "claude-code")
    assert commands(json.loads(settings.read_text())) == [shlex.join(client_command("claude-code"))] * 3


@pytest.mark.parametrize("lost", ["installed.json", "backups"])
def test_hooks_are_found_where_what_was_remembered_is_lost(
    settings: Path, home: Path, capsys: pytest.CaptureFixture[str], lost: str
) -> None:
    settings.write_text(PLAIN)
    said(capsys, "install", "claude-code")
    (home / ".local/share/citator" / lost).rename(home / "lost")
    said(capsys, "uninstall", "claude-code")
    assert settings.read_text() == PLAIN


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{\n  "model": "large",\n}', "is not valid JSON at line 3"),
        (SETTINGS.encode(), "is not valid JSON at line 2"),
        (b"[]", "is no JSON object"),
        (b'{"hooks": []}', "has a hooks that is no object"),
        (b'{"hooks": {"SessionStart": "x"}}', "has a hooks.SessionStart that is no list"),
        (b'{"model": "\xff"}', "is not UTF-8"),
    ],
)
def test_broken_settings_are_refused_in_a_line_and_left_alone(
    settings: Path, home: Path, capsys: pytest.CaptureFixture[str], content: bytes, reason: str
) -> None:
    settings.write_bytes(content)
    before = tree(home)
    assert refused(capsys, "install", "claude-code") == f"citator: {settings}: {reason}; nothing was changed"
    assert tree(home) == before
    said(capsys, "uninstall", "claude-code")
    assert tree(home) == before


def test_settings_broken_after_the_installation_are_left_alone(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "claude-code")
    settings.write_text(settings.read_text() + "}")
    broken = settings.read_text()
    assert "is not valid JSON" in refused(capsys, "uninstall", "claude-code")
    assert settings.read_text() == broken


def test_comments_stay_where_the_agent_takes_them(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(SETTINGS)
    said(capsys, "install", "gemini-cli")
    assert "// the user's own" in file.read_text()
    said(capsys, "uninstall", "gemini-cli")
    assert file.read_text() == SETTINGS


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_is_followed_and_stays(home: Path, capsys: pytest.CaptureFixture[str], there: bool) -> None:
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").symlink_to("../dotfiles/claude.json")
    if there:
        real.write_text(PLAIN)
    before = tree(home)
    said(capsys, "install", "claude-code")
    assert (home / ".claude" / "settings.json").is_symlink()
    assert commands(json.loads(real.read_text()))
    said(capsys, "uninstall", "claude-code")
    assert {key: value for key, value in tree(home).items() if not key.startswith(".local")} == before


@pytest.mark.parametrize(
    ("agent", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot-cli", "COPILOT_HOME", "hooks/citator.json"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/citator.js"),
    ],
)
def test_an_agents_own_variable_moves_its_settings(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, agent: str, variable: str, file: str
) -> None:
    monkeypatch.setenv(variable, str(home / "elsewhere"))
    assert f"wrote {home}/elsewhere/{file}\n" in said(capsys, "install", agent)


def test_a_hook_of_somebody_else_is_not_replaced(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / "Documents" / "Cline" / "Hooks" / "TaskStart"
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\necho mine\n")
    before = tree(home)
    assert refused(capsys, "install", "cline") == f"citator: {file}: is there already and is not citator's; move it away first"
    assert tree(home) == before


def test_a_hook_that_is_a_program_prints_json_even_where_there_is_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "cline")
    program = home / "Documents" / "Cline" / "Hooks" / "UserPromptSubmit"
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CITATOR_SELF": "1"}
    done = subprocess.run([program], input="{}", env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"cancel": False}


def test_a_file_that_cannot_be_written_is_a_line(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.parent.rmdir()
    settings.parent.write_text("no folder")
    assert re.fullmatch(
        rf"citator: {settings}: cannot be (read|written): Not a directory", refused(capsys, "install", "claude-code")
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("install", "claud-code"), "no agent named 'claud-code'; did you mean 'claude-code'?"),
        (("install", "kiro", "--scope", "user"), "Kiro has no user scope; it has: project"),
    ],
)
def test_what_cannot_be_installed_is_told_in_a_line(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    assert refused(capsys, *words).removeprefix("citator: ").startswith(reason)


def test_installing_again_keeps_the_status_line(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.write_text(PLAIN)
    said(capsys, "install", "claude-code", "--statusline")
    before = settings.read_bytes()
    assert "all is in place" in said(capsys, "install", "claude-code")
    assert settings.read_bytes() == before
    settings.write_text(settings.read_text().replace('"large"', '"small"'))
    said(capsys, "install", "claude-code")
    assert "statusLine" in json.loads(settings.read_text())
    said(capsys, "uninstall", "claude-code")
    assert json.loads(settings.read_text()) == json.loads(PLAIN) | {"model": "small"}


def test_one_scope_is_uninstalled_alone(settings: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "claude-code")
    said(capsys, "install", "claude-code", "--scope", "project")
    [own] = {entry.file for entry in installed()} - {settings}
    assert "--purge deletes what claude-code needs" in refused(
        capsys, "uninstall", "claude-code", "--scope", "project", "--purge"
    )
    said(capsys, "uninstall", "claude-code", "--scope", "project")
    assert {entry.file for entry in installed()} == {settings}
    assert settings.exists() and not own.exists()
    assert "Kiro has no user scope" in refused(capsys, "uninstall", "kiro", "--scope", "user")


def test_purging_waits_until_no_other_agent_needs_the_data(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "install", "claude-code")
    said(capsys, "install", "codex")
    assert "--purge deletes what codex needs as well" in refused(capsys, "uninstall", "claude-code", "--purge")
    assert wired(load_agent("claude-code"))


def test_purging_leaves_nothing_but_the_users_own_files(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = home / ".config" / "citator" / "pipeline.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("renderer: headlines\n")
    for folder in (home / ".local" / "share" / "citator" / "store", home / ".cache" / "citator" / "standings"):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    said(capsys, "install", "claude-code")
    said(capsys, "uninstall", "claude-code", "--purge")
    assert [path for path in home.rglob("*") if path.is_file()] == [own]
    assert not (home / ".local" / "share" / "citator").exists()


def test_purging_leaves_the_daemons_of_other_homes(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        for variable in ("XDG_RUNTIME_DIR", "TMPDIR"):
            monkeypatch.setenv(variable, short)
        own = daemon_file("lock")
        other = own.with_name("0123abcd.lock")
        for file in (own, other):
            file.touch()
        assert f"deleted {own}" in said(capsys, "uninstall", "claude-code", "--purge")
        assert list(own.parent.iterdir()) == [other]
        other.unlink()
        said(capsys, "uninstall", "claude-code", "--purge")
        assert not own.parent.exists()


def test_the_plugin_for_claude_code_sets_the_same_hooks_as_the_installation() -> None:
    market = json.loads((CHECKOUT / ".claude-plugin" / "marketplace.json").read_text())
    folder = CHECKOUT / market["plugins"][0]["source"]
    shown, packed = (
        {file.relative_to(top): file.read_bytes() for file in top.rglob("*") if file.is_file()}
        for top in (folder, shipped("configs") / "claude-plugin")
    )
    assert shown == packed, "it comes with the wheel"
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_text())["version"] == version("citator")
    client = "! command -v citator-client >/dev/null || citator-client claude-code"
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    assert hooks == filled(load_agent("claude-code").install[0].add["hooks"], {"$command": client})
    without = subprocess.run(["/bin/sh", "-c", client], env={"PATH": "/nowhere"}, capture_output=True, check=False)
    assert (without.returncode, without.stdout, without.stderr) == (0, b"", b"")


def test_the_installed_command_answers_nothing_and_succeeds_whatever_happens(settings: Path, home: Path) -> None:
    subprocess.run([CITATOR, "install", "claude-code"], check=True, capture_output=True, env={"HOME": str(home), "PATH": ""})
    command = commands(json.loads(settings.read_text()))[0]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CITATOR_SELF": "1"}
    done = subprocess.run(["/bin/sh", "-c", command], input=b"no event", env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_status_line_is_set_where_there_is_none(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings.write_text(PLAIN)
    said(capsys, "install", "claude-code")
    assert "statusLine" not in json.loads(settings.read_text())
    said(capsys, "install", "claude-code", "--statusline")
    line = {"type": "command", "command": shlex.join(statusline_command())}
    assert json.loads(settings.read_text())["statusLine"] == line
    for words in (["--statusline"], []):
        assert said(capsys, "install", "claude-code", *words).startswith("all is in place")
    settings.write_text(settings.read_text().replace("large", "small"))
    said(capsys, "uninstall", "claude-code")
    assert json.loads(settings.read_text()) == json.loads(PLAIN.replace("large", "small"))


@pytest.mark.parametrize("own", ['{"type": "command", "command": "my-line"}', '{"command": ""}', "null"])
def test_a_status_line_of_ones_own_stays(settings: Path, capsys: pytest.CaptureFixture[str], own: str) -> None:
    settings.write_text(f'{{"statusLine": {own}}}')
    line = refused(capsys, "install", "claude-code", "--statusline")
    assert line.startswith(f"citator: {settings}: has a statusLine already")
    assert settings.read_text() == f'{{"statusLine": {own}}}'


def test_an_agent_without_a_status_line_says_so(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Codex has no status line" in refused(capsys, "install", "codex", "--statusline")


ODD = {
    "tabs, no line end": '{\n\t"a": [1,\t2],\n\t"é": {}\n}',
    "one line": '{"a":1,"b":[]}',
    "Windows": '{\r\n  "a": 1\r\n}\r\n',
    "a mark at its front": '\ufeff{\n    "a": 1\n}\n',
    "blank": "\n\n",
    "empty object": "{\n}",
    "comments": '{ // mine\n  "a": 1, /* and\n  theirs */\n  "b": 2,\n}\n',
}


@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
@pytest.mark.parametrize("agent", names())
def test_odd_settings_behind_a_link_come_back_byte_for_byte(
    home: Path, project: Path, capsys: pytest.CaptureFixture[str], agent: str, text: str
) -> None:
    known = load_agent(agent)
    for scope in scopes(known):
        said(capsys, "install", agent, "--scope", scope)
        files = [file for file in wired(known) if file.suffix == ".json"]
        said(capsys, "uninstall", agent)
        for file in files:
            kept = home / "dotfiles" / scope / file.name
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(text.encode())
            kept.chmod(0o440)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to(kept)
            before = tree(kept.parent)
            if "//" in text and not any(target.comments for target in known.install):
                assert str(kept) in refused(capsys, "install", agent, "--scope", scope)
            else:
                said(capsys, "install", agent, "--scope", scope)
                assert kept in wired(known)
                said(capsys, "uninstall", agent)
            assert (tree(kept.parent), file.is_symlink()) == (before, True)
