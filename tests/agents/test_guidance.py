"""The guidance for a model: it names only tools that the server has as setup starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from combray.agents.clients.files import text_of
from combray.agents.clients.places import Wanted

CALLED = re.compile(r"call `(\w+)`|with\s+`(\w+)`|and `(\w+)` if")
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the tools, over the wire."""
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
    ]
    _, *arguments = Wanted().server()
    environment = {**os.environ, "COMBRAY_HOME": str(tmp_path_factory.mktemp("data")), "COMBRAY_EMBEDDER": "none"}
    command = [sys.executable, "-m", "combray", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for each in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == 1:
                break
        server.stdin.close()
    return {tool["name"] for tool in answer["result"]["tools"]}


@pytest.mark.parametrize("name", ["SKILL.md", "combray.mdc"])
def test_every_tool_that_is_named_exists(tools: set[str], name: str) -> None:
    named = {next(filter(None, groups)) for groups in CALLED.findall(text_of(name))}
    assert {"recall", "remember", "settle_memories"} <= named
    assert named <= tools


def test_texts_have_the_mark_and_no_place_left_to_fill() -> None:
    folder = Path(text_of.__code__.co_filename).parent / "texts"
    values = {"call": "[]", "options": "[]", "tools": "false", "calling": "// combray:setup"}
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".md", ".mdc", ".js"):
            text = text_of(str(path.relative_to(folder)), **values)
            assert "combray:setup" in text, path
            assert "@@" not in text, path
