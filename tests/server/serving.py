"""Servers of the tests: in a thread of this process, or as a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from ports import free_port

import combray
from combray.interfaces.cli.serving import mcp_at
from combray.server.access import Access, KeyedAccess, Limits
from combray.server.app import application
from combray.server.keys import KeyRing
from combray.server.spaces import Schedule, Spaces

SECONDS = 120
"""A limit for a server that hangs."""


@dataclass
class Served:
    """A running server and a client of it."""

    client: httpx2.Client
    engine: combray.Engine
    port: int

    def remember(self, content: str, **more: Any) -> str:
        """Store a memory; its id."""
        answer = self.client.post("/v1/memories", json={"content": content, **more})
        assert answer.status_code in (200, 201), answer.text
        found: str = answer.json()["id"]
        return found


@contextmanager
def serving(
    path: Path | str,
    limits: Limits | None = None,
    schedule: Schedule | None = None,
    access: Access | None = None,
    *,
    mem0: bool = False,
    tools: str = "lean",
) -> Iterator[Served]:
    """Serve a store in a thread, as `combray serve` does."""
    engine = combray.open(path, embedder="none", worker=False)
    access = access or KeyedAccess(KeyRing(None))
    origins = access.origins if isinstance(access, KeyedAccess) else ()
    spaces = Spaces(engine, limits or Limits())
    made = application(spaces, access, schedule or Schedule(), {"/mcp": mcp_at(tools)}, origins, mem0=mem0)
    server = uvicorn.Server(uvicorn.Config(made, port=0, log_level="critical", lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + SECONDS
    while not server.started:
        assert thread.is_alive(), "the server does not start"
        assert time.monotonic() < until, "the server does not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS, verify=False) as client:
            yield Served(client, engine, port)
    finally:
        made.state.endpoints.stopping = True
        server.should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive(), "the server does not stop"


def started(
    db: Path, *options: str, port: int = 0, folder: Path | None = None
) -> tuple[subprocess.Popen[str], int]:
    """Start `combray serve` and wait until it is ready. The process and its port."""
    port = port or free_port()
    program = [
        sys.executable,
        "-m",
        "combray",
        "serve",
        "--db",
        str(db),
        "--embedder",
        "none",
        "--port",
        str(port),
    ]
    log = db.with_suffix(".log").open("a", encoding="utf-8")
    process = subprocess.Popen([*program, *options], stderr=log, env=environment(folder or db.parent), text=True)
    until = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < until:
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"http://127.0.0.1:{port}/ready", timeout=SECONDS, verify=False).status_code == 200:
                return process, port
        time.sleep(0.02)
    raise AssertionError(f"the server does not start: {db.with_suffix('.log').read_text(encoding='utf-8')}")


def environment(folder: Path) -> dict[str, str]:
    """The variables of a process that finds no settings of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COMBRAY_")}
    return kept | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
