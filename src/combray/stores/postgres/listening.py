"""Notifications of writes: a thread brings the caches up to date before the next read.

Every commit is followed by a NOTIFY. Nothing relies on it: each transaction reads the revision of its namespace
in its first round trip, so a lost or late notification only makes the next read slower. The NOTIFY is a
transaction of its own, because PostgreSQL lets only one transaction with notifications commit at a time.
"""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from psycopg import Connection, Error

from combray.errors import CombrayError
from combray.stores.postgres.sql import sql

PAUSE = 0.1
"""Seconds between two catch-ups: a namespace with many writes a second is read for all of them at once."""
_RETRY, _LONGEST = 0.5, 30.0
"""Seconds before a lost connection is opened again; doubled up to the second."""


class Listener:
    """Listens on a channel once it is started, on a connection of its own.

    `connect` opens the connection. `catch_up` is called with the numbers of namespaces that others have written
    to, and with None after a connection, when any may have been written to.
    """

    def __init__(
        self, channel: str, connect: Callable[[], Connection[Any]], catch_up: Callable[[set[int] | None], None]
    ) -> None:
        self.channel = channel
        self.own = os.urandom(8).hex()
        """Marks the notifications of this process, which are ignored."""
        self.listens = False
        self._connect = connect
        self._catch_up = catch_up
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._wakes: tuple[socket.socket, socket.socket] | None = None

    def notice(self, number: int) -> str:
        """Return the payload of a notification. It has no name of a namespace: every user may listen."""
        return f"{self.own} {number}"

    def start(self) -> None:
        """Listen in a thread from here on."""
        with self._lock:
            if self._thread is None:
                self._wakes = socket.socketpair()
                self._thread = threading.Thread(target=self._run, name="combray-listen", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        with self._lock:
            if self._thread is None or self._wakes is None:
                return
            self._wakes[1].send(b"x")
            if self._thread is not threading.current_thread():
                self._thread.join(5)
            for end in self._wakes:
                end.close()
            self._wakes = None

    def _run(self) -> None:
        pause = _RETRY
        while True:
            started = time.monotonic()
            # Without a server there is nothing to report here: whoever reads gets the error.
            with suppress(Error, CombrayError):
                self._listen()
                return
            self.listens = False
            pause = _RETRY if time.monotonic() - started > _LONGEST else min(_LONGEST, 2 * pause)
            if self._ends(pause):
                return

    def _listen(self) -> None:
        """Listen until `close`. Raises psycopg's errors when the connection is lost."""
        connection = self._connect()
        try:
            connection.execute(f'LISTEN "{self.channel}"'.encode())
            self.listens = True
            self._catch_up(None)
            while not self._ends(None, connection.fileno()):
                written = set()
                for each in connection.notifies(timeout=0):
                    own, _, number = each.payload.partition(" ")
                    if own != self.own and number.isdecimal():
                        written.add(int(number))
                if written:
                    self._catch_up(written)
                    if self._ends(PAUSE):
                        return
        finally:
            self.listens = False
            connection.close()

    def _ends(self, timeout: float | None, *more: int) -> bool:
        """Wait for a descriptor or for `close`. Return whether it is the latter."""
        if self._wakes is None:
            return True
        with selectors.DefaultSelector() as ready:
            ready.register(self._wakes[0], selectors.EVENT_READ)
            for each in more:
                ready.register(each, selectors.EVENT_READ)
            return any(key.fileobj is self._wakes[0] for key, _ in ready.select(timeout))


def notify(connection: Connection[Any], channel: str, notice: str) -> None:
    """Send a notification in a transaction of its own, which does not wait for the disk."""
    connection.execute(sql.server.notify.encode(), (channel, notice))
