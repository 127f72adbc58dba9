"""The hooks in JavaScript for OpenClaw and opencode, run by Node with a program that plays Combray."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from combray.agents.clients.files import CLIENTS
from combray.agents.clients.places import Places, Wanted

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")

PROGRAM = """#!{python}
import json, sys
given = json.load(sys.stdin)
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], given]) + "\\n")
verb = sys.argv[2]
if verb == "session-start":
    print(json.dumps({{"hookSpecificOutput": {{"additionalContext": "the digest"}}}}))
if verb == "prompt":
    print("plain recall")
"""
OPENCLAW = """
import handler from "./handler.mjs";
const event = (type, action, context) => ({ type, action, sessionKey: "agent:main:main", timestamp: 0, context });
const start = event("agent", "bootstrap", { bootstrapFiles: [], workspaceDir: "/w" });
await handler(start);
console.log(JSON.stringify(start.context.bootstrapFiles));
await handler(event("message", "received", { content: "Hello." }));
await handler(event("message", "sent", { content: "Hi." }));
await handler(event("session", "compact:before", {}));
await handler(event("command", "new", {}));
await handler(event("gateway", "startup", undefined));
"""
OPENCODE = """
import plugin from "./combray.mjs";
const said = [
  { info: { role: "user", time: { created: 1000 } }, parts: [{ type: "text", text: "Where?" }] },
  { info: { role: "assistant", time: { created: 2000 } }, parts: [{ type: "tool" }] },
];
const client = { session: { messages: async () => ({ data: said }) } };
const hooks = await plugin.server({ client, directory: "/w" });
const out = { message: { id: "m" }, parts: [{ type: "text", text: "Where?" }] };
await hooks["chat.message"]({ sessionID: "s" }, out);
const first = { system: [] }, second = { system: [] };
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, first);
await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, second);
await hooks["tool.execute.after"]({ sessionID: "s", tool: "bash", args: {} }, { output: "x" });
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
const registered = {};
const session = { hook: async (name, call) => (registered[name] = call) };
await plugin.setup({ location: { directory: "/w" }, session });
const event = { sessionID: "t", system: [] };
await registered.context(event);
console.log(JSON.stringify([out.parts[1].text, out.parts[1].synthetic, first, second, event.system]));
"""


def run(client: str, folder: Path, name: str, script: str, *, broken: bool = False) -> tuple[str, list[Any]]:
    """What a script prints, and the calls of Combray: arguments and input."""
    log = folder / "calls"
    program = folder / "my combray"
    if not broken:
        program.write_text(PROGRAM.format(python=sys.executable, log=str(log)))
        program.chmod(0o755)
    wanted = Wanted(str(program), ("--store", "agent"))
    pieces = CLIENTS[client](Places("user", folder, folder / "home", {}), wanted)
    (text,) = [each.added(None) for each in pieces if each.path.name == name]
    (folder / f"{Path(name).stem}.mjs").write_text(text)
    (folder / "test.mjs").write_text(script)
    assert NODE is not None
    done = subprocess.run(
        [NODE, "test.mjs"], cwd=folder, capture_output=True, timeout=180, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    calls = log.read_text().splitlines() if log.exists() else []
    return done.stdout.strip(), sorted((json.loads(each) for each in calls), key=lambda each: str(each[0]))


def test_openclaw(tmp_path: Path) -> None:
    shown, calls = run("openclaw", tmp_path, "handler.js", OPENCLAW)
    assert [each["content"] for each in json.loads(shown)] == ["the digest"]
    verbs = [call[0][1] for call in calls]
    assert verbs == ["pre-compact", "session-end", "session-start", "stop", "stop"]
    assert all(call[0][2:] == ["--client", "openclaw", "--store", "agent"] for call in calls)
    said = [call[1]["messages"][0] for call in calls if call[0][1] == "stop"]
    assert {(each["role"], each["content"]) for each in said} == {("user", "Hello."), ("assistant", "Hi.")}


def test_opencode(tmp_path: Path) -> None:
    shown, calls = run("opencode", tmp_path, "combray.js", OPENCODE)
    digest = {"system": ["the digest"]}
    assert json.loads(shown) == ["plain recall", True, digest, digest, [{"type": "text", "text": "the digest"}]]
    verbs = [call[0][1] for call in calls]
    # The digest of a session is made once, so that the prompt's beginning stays the same.
    assert verbs == ["prompt", "session-start", "session-start", "stop"]
    (stop,) = [call[1] for call in calls if call[0][1] == "stop"]
    assert stop["messages"] == [{"role": "user", "content": "Where?", "timestamp": 1000}]


@pytest.mark.parametrize(
    ("client", "name", "script"), [("openclaw", "handler.js", OPENCLAW), ("opencode", "combray.js", OPENCODE)]
)
def test_a_missing_program_never_stops_the_agent(tmp_path: Path, client: str, name: str, script: str) -> None:
    script = script.replace("out.parts[1].text, out.parts[1].synthetic", "out.parts.length")
    # Calls that nobody waits for need a moment to fail.
    script += "await new Promise((go) => setTimeout(go, 1000));\n"
    script += (
        "console.log(JSON.stringify(process.getActiveResourcesInfo().filter((each) => each === 'Timeout')));"
    )
    shown, calls = run(client, tmp_path, name, script, broken=True)
    assert calls == []
    answer, left = shown.splitlines()
    assert json.loads(answer) == ([] if client == "openclaw" else [1, {"system": []}, {"system": []}, []])
    # A timer that is left would keep the agent from ending.
    assert json.loads(left) == []
