"""opencode's plugin in Node, with a program in the client's place."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citator.config import shipped

NODE = shutil.which("node")

CLIENT = """
import json, sys
event = json.load(sys.stdin)
open(sys.argv[1], "a").write(json.dumps(event) + "\\n")
if "fail" in json.dumps(event): sys.exit("no")
if "silent" not in json.dumps(event): print("block ⚠️", end="")
"""

DRIVER = """
import { Citator } from "./citator.mjs"
const hooks = await Citator({ directory: "/shop" })
const text = (text, more) => ({ type: "text", text, ...more })
const say = async (...parts) => {
  const output = { message: { id: "m1" }, parts }
  await hooks["chat.message"]({ sessionID: "s1" }, output)
  return output.parts
}
const read = async (tool, args) => {
  const output = { title: "", output: "content", metadata: {} }
  await hooks["tool.execute.after"]({ tool, sessionID: "s1", callID: "c1", args }, output)
  return output.output
}
const seen = {
  answered: await say(text("Which queue?"), text("injected", { synthetic: true }), { type: "file", url: "x" }),
  silent: (await say(text("silent"))).length,
  failed: (await say(text("fail"))).length,
  read: await read("read", { filePath: "/shop/1.md" }),
  other: await read("bash", { command: "ls" }),
}
await hooks["experimental.session.compacting"]({ sessionID: "s1" }, { context: [] })
console.log(JSON.stringify(seen))
"""


@pytest.mark.skipif(not NODE, reason="Node, which opencode's plugins are for, is not installed")
@pytest.mark.parametrize("program", [sys.executable, "/nowhere/python"])
def test_the_plugin_adds_what_the_client_prints_and_never_disturbs(tmp_path: Path, program: str) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    (tmp_path / "driver.mjs").write_text(DRIVER)
    command = json.dumps([program, str(tmp_path / "client.py"), str(tmp_path / "events")])
    template = (shipped("configs") / "opencode" / "citator.js").read_text()
    (tmp_path / "citator.mjs").write_text(template.replace("$argv", command))
    done = subprocess.run([str(NODE), "driver.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert (seen["silent"], seen["failed"], seen["other"]) == (1, 1, "content")
    if program != sys.executable:
        assert (len(seen["answered"]), seen["read"]) == (3, "content")
        return
    added = seen["answered"][-1]
    assert added.pop("id").startswith("prt_")
    assert added == {"sessionID": "s1", "messageID": "m1", "type": "text", "text": "block ⚠️", "synthetic": True}
    assert seen["read"] == "content\n\nblock ⚠️"
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    here = {"session_id": "s1", "cwd": "/shop"}
    assert events[0] == {"hook_event_name": "chat.message", **here, "prompt": "Which queue?"}
    assert events[-2] == {"hook_event_name": "tool.read", **here, "path": "/shop/1.md"}
    assert events[-1] == {"hook_event_name": "session.compacting", **here}
