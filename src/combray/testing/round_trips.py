"""A relay in front of a PostgreSQL server that counts round trips, and can make each of them take longer."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from combray.records import dataclass, field

_NAME = ".s.PGSQL.5432"
_ROLLBACK = b"Q\x00\x00\x00\x0dROLLBACK\x00"
"""The end of a read, as it is sent: nobody waits for its answer."""


class Relay:
    """Passes everything on between clients and a server's Unix socket.

    `delay`: seconds that a request is held back, as a network would. A round trip is what a client sends until
    every Sync or Query of it is answered, except for the end of a read. How the bytes are cut on their way, which
    depends on the load of the machine, does not count.
    """

    def __init__(self, server: Path, *, delay: float = 0.0) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="combray-relay-"))
        self.trips = 0
        self._delay = delay
        self._server = str(server / _NAME)
        self._open: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / _NAME))
        self._listening.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """Return the URL of a database behind the relay."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def close(self) -> None:
        """Cut every connection, and remove the socket."""
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                self._open += client, server
                turn = _Turn()
                for asks, *ends in ((True, client, server), (False, server, client)):
                    threading.Thread(target=self._pass, args=(asks, turn, *ends), daemon=True).start()

    def _pass(self, asks: bool, turn: _Turn, source: socket.socket, target: socket.socket) -> None:
        messages = _Messages(is_started=not asks)
        with suppress(OSError):
            while data := source.recv(1 << 20):
                if turn.asked(messages, data) if asks else turn.answered(messages, data):
                    self.trips += 1
                    time.sleep(self._delay)
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class _Messages:
    """Reads the types of PostgreSQL's messages from bytes that are cut anywhere.

    A message is a type of one byte and a length of four, which counts itself; the client's first has no type.
    Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
    """

    def __init__(self, *, is_started: bool) -> None:
        self._is_started = is_started
        self._rest = b""
        self._skipped = 0

    def types(self, data: bytes) -> bytes:
        """Return the types of the messages whose heads have arrived with this."""
        found = bytearray()
        data = self._rest + data
        place = self._skipped
        while place + 4 + self._is_started <= len(data):
            if self._is_started:
                found.append(data[place])
            head = place + self._is_started
            place = head + int.from_bytes(data[head : head + 4], "big")
            self._is_started = True
        self._rest, self._skipped = data[place:], max(0, place - len(data))
        return bytes(found)


@dataclass
class _Turn:
    """What one connection's client waits for."""

    waits: bool = False
    open: int = 1
    """Requests without an answer; the first is the start of the connection."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def asked(self, messages: _Messages, data: bytes) -> bool:
        """Note what a client sends. Return whether a round trip begins."""
        with self.lock:
            types = messages.types(data)
            begins = not self.waits and data != _ROLLBACK
            self.waits = True
            self.open += sum(types.count(each) for each in b"SQ")
            return begins

    def answered(self, messages: _Messages, data: bytes) -> bool:
        """Note what the server sends: `Z` answers a Sync or a Query."""
        with self.lock:
            ready = messages.types(data).count(b"Z")
            self.open -= ready
            self.waits = self.waits and not (ready and self.open <= 0)
            return False
