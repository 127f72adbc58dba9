"""A relay in front of a PostgreSQL server that counts round trips, and can make each of them take longer."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_NAME = ".s.PGSQL.5432"
_ROLLBACK = b"Q\x00\x00\x00\x0dROLLBACK\x00"
"""The end of a read, as it is sent: nobody waits for its answer."""


class Relay:
    """Passes everything on between clients and a server's Unix socket.

    `delay`: seconds that a request is held back, as a network would. A round trip is whatever a client sends
    after the server has sent something, except for the end of a read.
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
        with suppress(OSError):
            while data := source.recv(1 << 20):
                if asks and turn.is_servers and data != _ROLLBACK:
                    self.trips += 1
                    time.sleep(self._delay)
                turn.is_servers = not asks
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@dataclass
class _Turn:
    """Who has sent something last on one connection."""

    is_servers: bool = True
