"""The MCP server under test: through the SDK's own client, or line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

import combray
from combray.interfaces.mcp.server import server_for


class Agent:
    """A client with one server; calls from any test thread."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal, self.client = portal, client

    def start(self, tool: str, **arguments: Any) -> Future[CallToolResult]:
        return self.portal.start_task_soon(self.client.call_tool, tool, arguments)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.start(tool, **arguments).result(timeout=180)

    def done(self, tool: str, **arguments: Any) -> Any:
        """The structured answer of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text(result)
        return result.structured_content

    def remember(self, content: str, **fields: Any) -> str:
        return str(self.done("remember", content=content, **fields)["id"])

    def refused(self, tool: str, **arguments: Any) -> str:
        """The message of a call that must fail, and after which the server still answers."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert not self.call("status").is_error
        return text(result)


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


@contextmanager
def connected(
    db: Path,
    profile: str = "full",
    *,
    namespaces: Sequence[str] = (),
    memory_file: Path | None = None,
    **options: Any,
) -> Iterator[Agent]:
    """A client of a server in this process, which starts in milliseconds."""
    with (
        combray.open(db, **options) as engine,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(
            Client(server_for(engine, namespaces, profile, memory_file=memory_file))
        ) as client,
    ):
        yield Agent(portal, client)


@contextmanager
def process(db: Path, *options: str) -> Iterator[Agent]:
    """A client of a server in a process of its own, as an agent starts it."""
    arguments = ["-m", "combray", "mcp", "--db", str(db), *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment(db.parent))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        yield Agent(portal, client)


def environment(home: Path) -> dict[str, str]:
    """The client hands on little of its own environment: the server must run the code under test."""
    return {"COMBRAY_HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}


def command(db: Path | str, namespace: str, embedder: str = "none") -> list[str]:
    return [
        *(sys.executable, "-m", "combray", "mcp", "--db", str(db)),
        *("--namespace", namespace, "--embedder", embedder, "--tools", "full"),
    ]


class Raw:
    """A server spoken to line by line, to see all it writes and how it ends."""

    def __init__(self, db: Path, namespace: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command(db, namespace), stdin=pipe, stdout=pipe, stderr=pipe)
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        self.ask("initialize", about)
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        assert self.process.stdout
        self.send({"id": 1, "method": method, "params": params})
        line = self.process.stdout.readline()
        assert line, f"the server ended: {self.process.communicate(timeout=180)[1].decode()}"
        answered = json.loads(line)
        assert (answered["jsonrpc"], answered["id"]) == ("2.0", 1)
        return answered["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def end(self, stop: Callable[[subprocess.Popen[bytes]], None] = lambda _: None) -> tuple[int, bytes, bytes]:
        """Exit code and what was still written after stopping it, or after the end of its input."""
        stop(self.process)
        out, err = self.process.communicate(timeout=180)
        return self.process.returncode, out, err
