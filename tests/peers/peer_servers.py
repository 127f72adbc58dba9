"""A real HTTP service on this machine that answers as it is told and keeps what it was asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Service:
    """Answers every POST with `status`, `headers` and `body` (bytes as they are, anything else as JSON)."""

    body: Any = field(default_factory=lambda: {"results": []})
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    waits_for: threading.Event | None = None
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    url: str = ""

    def has_been_asked(self, count: int) -> int:
        """Wait until it has read as many requests: a client that gives up may be ahead of it. How many it has."""
        until = time.monotonic() + 60
        while len(self.asked) < count and time.monotonic() < until:
            time.sleep(0.005)
        return len(self.asked)


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """Run it until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.asked.append((self.path, headers, json.loads(said)))
            if service.waits_for is not None:
                service.waits_for.wait(90)
            body = service.body if isinstance(service.body, bytes) else json.dumps(service.body).encode()
            try:
                self.send_response(service.status)
                for name, value in {"Content-Length": str(len(body)), **service.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                return  # whoever asked has gone

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        if service.waits_for is not None:
            service.waits_for.set()
        server.shutdown()
        server.server_close()
        thread.join()


_taken: list[socket.socket] = []


def closed_port() -> str:
    """An address where nobody listens. It stays taken: a free one could be another test's a moment later."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    _taken.append(taken)
    return f"http://127.0.0.1:{taken.getsockname()[1]}"
