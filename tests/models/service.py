"""A model service on loopback that answers what it is told to, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from combray.models.http import Timing


@dataclass
class Reply:
    """One answer. `body` may be bytes, or anything JSON; `cut` ends the connection that many bytes early."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: threading.Event | None = None
    cut: int = 0
    pieces: int = 1
    between: Callable[[], None] = lambda: None

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """Gives its replies in order, the last one again and again. A function as reply gets the request's body."""

    url: str
    replies: list[Reply | Callable[[Any], Reply]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def has_been_asked(self, count: int) -> int:
        """Wait until it has read as many requests: a client that gives up may be ahead of it. How many it has."""
        until = time.monotonic() + 60
        while len(self.asked) < count and time.monotonic() < until:
            time.sleep(0.005)
        return len(self.asked)

    def next(self, asked: Asked) -> Reply:
        with self.lock:
            self.asked.append(asked)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply if isinstance(reply, Reply) else reply(asked.body)


@contextmanager
def serving(*replies: Reply | Callable[[Any], Reply]) -> Iterator[Service]:
    """A service at 127.0.0.1, on a free port, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            reply = service.next(Asked(self.path, dict(self.headers.items()), json.loads(sent)))
            if reply.wait is not None:
                reply.wait.wait(60)
            content = reply.content()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                kept = content[: len(content) - reply.cut]
                step = -(-len(kept) // reply.pieces) or 1
                for start in range(0, len(kept), step):
                    self.wfile.write(kept[start : start + step])
                    self.wfile.flush()
                    reply.between()
            except OSError:
                self.close_connection = True
            if reply.cut:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = Service(f"http://127.0.0.1:{server.server_port}", list(replies))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Hands:
    """A clock that only sleeping moves, the pauses slept, and how often the clock was read."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)
    drawn: float = 1.0
    read: int = 0

    def timing(self) -> Timing:
        return Timing(clock=self.clock, date=lambda: self.now, sleep=self.sleep, chance=lambda: self.drawn)

    def clock(self) -> float:
        self.read += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
