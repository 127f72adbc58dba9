"""Clients of a server, in a process of their own: `python -m bench.server.clients PORT CALLS`.

Each client keeps one connection and sends its next request when the last is answered. The process prints one line
of JSON. HTTP is written by hand: a library would take more of the processor than the server saves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.server.calls import Call, shares

_FIRST_ERRORS = 5


class Connection:
    """One connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: dict[str, Any], key: str = "") -> tuple[int, bytes]:
        """Send a request; its status and body. Raises OSError, EOFError."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)
        reader, writer = self._streams
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
        head += f"Idempotency-Key: {key}\r\n" if key else ""
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
        return int(lines[0].split()[1]), await reader.readexactly(int(fields["content-length"]))

    def close(self) -> None:
        """Drop the connection; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


async def client(port: int, name: str, calls: Sequence[Call], until: float, found: dict[str, list[Any]]) -> None:
    """Send calls until the time is over."""
    connection = Connection(port)
    for place, call in enumerate(calls):
        started = time.monotonic()
        if started >= until:
            break
        key = f"{name}-{place}" if call.writes else ""
        try:
            status, body = await connection.post(call.path, call.body, key)
        except (OSError, EOFError) as error:
            found["errors"].append(repr(error))
            connection.close()
            continue
        if status not in (200, 201):
            found["errors"].append(f"{status} {body[:200].decode()}")
        found["writes" if call.writes else "recalls"].append(time.monotonic() - started)
    else:
        found["errors"].append("the client ran out of calls")
    connection.close()


async def load(port: int, clients: int, seconds: float, calls: Sequence[Call]) -> dict[str, list[Any]]:
    """All clients at once; seconds of each answered call, and what went wrong."""
    found: dict[str, list[Any]] = {"recalls": [], "writes": [], "errors": []}
    until = time.monotonic() + seconds
    # Keys of an earlier run on the same store would be answered from its receipts.
    run = secrets.token_hex(4)
    parts = shares(calls, clients)
    await asyncio.gather(*(client(port, f"{run}-{at}", part, until, found) for at, part in enumerate(parts)))
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("calls", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    calls = [Call(**each) for each in json.loads(given.calls.read_text(encoding="utf-8"))]
    spent = time.process_time()
    found = asyncio.run(load(given.port, given.clients, given.seconds, calls))
    found["errors"] = found["errors"][:_FIRST_ERRORS] + [""] * max(0, len(found["errors"]) - _FIRST_ERRORS)
    json.dump(found | {"cpu": time.process_time() - spent}, sys.stdout)


if __name__ == "__main__":
    main()
