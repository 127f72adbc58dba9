"""Connections: configured once, shared by threads, opened again when the server has been away.

They convert Python's values to PostgreSQL's and back. PostgreSQL's texts cannot hold the character NUL, which
SQLite's can. It is written as an escape sequence.
"""

from __future__ import annotations

import logging
import select
import threading
import time
from contextlib import suppress
from typing import Any

from psycopg import Connection, Error, OperationalError, RawCursor, pq
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader, PyFormat
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import ExecStatus
from psycopg.types.numeric import Int8Dumper, IntNumericDumper
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import ConnectionPool, PoolTimeout

from combray.errors import InvalidInputError, StoreBusyError
from combray.stores.postgres.sql import sql
from combray.stores.session import Row

_ESCAPE = "\uf8ff"
"""A character of the private use area."""
_INT8 = 2**63


def escaped(text: str) -> str:
    """Return the text as PostgreSQL stores it."""
    if "\x00" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\x00", f"{_ESCAPE}0")
    return text


def unescaped(text: str) -> str:
    """Return the text that `escaped` was given."""
    if _ESCAPE in text:
        return text.replace(f"{_ESCAPE}0", "\x00").replace(f"{_ESCAPE}1", _ESCAPE)
    return text


class TextDumper(StrDumperUnknown):
    """A text as a parameter whose type the server infers."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escaped(obj))


class TextLoader(Loader):
    """A text of a result."""

    def load(self, data: Buffer) -> str:
        return unescaped(bytes(data).decode())


class TextBinaryLoader(TextLoader):
    """A text of a result in the binary format, which is the same."""

    format = pq.Format.BINARY


class WholeDumper(Int8Dumper):
    """An integer as bigint, whatever its size: one prepared statement a text. Larger ones are numeric."""

    def get_key(self, obj: Any, format: PyFormat) -> Any:  # noqa: ARG002 - psycopg's signature
        return self.cls if -_INT8 <= obj < _INT8 else (self.cls, IntNumericDumper)

    def upgrade(self, obj: Any, format: PyFormat) -> Dumper:  # noqa: ARG002 - psycopg's signature
        return self if -_INT8 <= obj < _INT8 else IntNumericDumper(self.cls)


def register(connection: Connection[Any]) -> None:
    """Use these adapters on a connection."""
    adapters = connection.adapters
    adapters.register_dumper(str, TextDumper)
    adapters.register_dumper(int, WholeDumper)
    for loader in (TextLoader, TextBinaryLoader):
        adapters.register_loader("text", loader)


PATIENCE = 5.0
"""Seconds to wait for a server that cannot be reached, such as during a failover."""
_ANSWER = 2.0
"""Seconds to wait for the answer to a ROLLBACK, which was sent long before; then the connection is given up."""
REST = 5.0
"""Seconds that a replica is left alone after it could not be reached."""
_OWN = ("schema", "pool_size", "role", "vectors")
"""Parameters of the URL that are Combray's; every other is libpq's."""

# psycopg's pool logs every failed attempt; ours are errors that the caller sees.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class Address:
    """A URL, taken apart: what libpq gets, and Combray's own parameters.

    Raises InvalidInputError if the URL or a parameter is invalid.
    """

    def __init__(self, url: str) -> None:
        base, mark, query = url.partition("?")
        own = {"schema": "combray", "pool_size": "16", "role": "combray_app", "vectors": "exact"}
        rest = []
        for part in filter(None, query.split("&")):
            name, _, value = part.partition("=")
            if name in _OWN:
                own[name] = value
            else:
                rest.append(part)
        try:
            given = conninfo_to_dict(base + (mark + "&".join(rest) if rest else ""))
        except Exception as error:
            raise InvalidInputError(
                "location", f"is not a valid PostgreSQL URL ({' '.join(str(error).split())}).", "Correct it."
            ) from error
        given.setdefault("connect_timeout", "5")
        given.setdefault("application_name", "combray")
        self.conninfo = make_conninfo("", **given)
        self.schema, self.secured = own["schema"], own["role"] != "none"
        if not self.schema.isidentifier() or not self.schema.isascii() or self.schema != self.schema.lower():
            raise InvalidInputError("location", f"schema {self.schema!r} is not a lower-case name.", "Rename it.")
        if not own["pool_size"].isdigit() or not 1 <= int(own["pool_size"]) <= 1000:
            raise InvalidInputError("location", f"pool_size {own['pool_size']!r} is not 1 to 1000.", "Change it.")
        self.pool_size = int(own["pool_size"])
        if own["vectors"] not in ("exact", "hnsw"):
            raise InvalidInputError("location", f"vectors {own['vectors']!r} is not known.", "Use exact or hnsw.")
        self.indexed = own["vectors"] == "hnsw"
        place = {name: given.get(name) for name in ("user", "host", "port", "dbname")}
        at = f"{place['user']}@" if place["user"] else ""
        port = f":{place['port']}" if place["port"] else ""
        # The password is in none of our messages.
        self.shown = f"postgresql://{at}{place['host'] or ''}{port}/{place['dbname'] or ''}"
        # The name of a store also tells the origin of a copy: two services are two stores.
        shown = {"service": given.get("service"), "schema": self.schema if self.schema != "combray" else None}
        if query := "&".join(f"{name}={value}" for name, value in shown.items() if value):
            self.shown += f"?{query}"


def milliseconds(seconds: float) -> str:
    """Return a time as a setting of the server. 0 would be no limit."""
    return str(max(1, int(seconds * 1000)))


class PostgresPool:
    """Connections of one process. `secured`: as the role to which row-level security applies."""

    def __init__(
        self, address: Address, *, durability: str, busy_timeout: float, patience: float = PATIENCE
    ) -> None:
        self.address = address
        self.busy_timeout = busy_timeout
        self.lock_timeout = busy_timeout
        """Seconds that a write waits for another one's lock."""
        self._patience = min(patience, busy_timeout)
        self._settings = (
            address.schema,
            milliseconds(busy_timeout),
            "on" if durability == "full" else "local",
        )
        self._failed_at = -1.0
        self._rests_until = -1.0
        self._lock = threading.Lock()
        self._ending: list[Connection[Row]] = []
        """Connections to which ROLLBACK was sent, whose answer is not read yet."""
        self._waiting = 0
        """Threads that wait for a connection of the pool."""
        self._refused: tuple[float, Error] | None = None
        """When a new connection could not be set up, and why: the pool keeps neither."""
        self._pool: ConnectionPool[Connection[Row]] = ConnectionPool(
            address.conninfo,
            min_size=0,
            max_size=address.pool_size,
            open=False,
            configure=self._configure_secured,
            kwargs={"autocommit": True, "cursor_factory": RawCursor},
            reconnect_timeout=0.5,
            reconnect_failed=self._note_failure,
            name="combray",
        )

    def open(self) -> None:
        """Accept requests for connections."""
        self._pool.open()

    def connect(self) -> Connection[Row]:
        """Open a connection of its own, as the user of the URL: the owner of the tables."""
        connection: Connection[Any] = Connection.connect(
            self.address.conninfo, autocommit=True, cursor_factory=RawCursor
        )
        # Migrations and repairs take as long as they take.
        connection.execute("SET statement_timeout = 0")
        self._configure(connection)
        return connection

    def get(self) -> Connection[Row]:
        """Return a connection. Raises OperationalError without a server, StoreBusyError if all are in use."""
        while True:
            with self._lock:
                ending = self._ending.pop() if self._ending else None
                if ending is None:
                    self._waiting += 1
                    break
            if _has_ended(ending):
                return ending
            ending.close()
            self._pool.putconn(ending)
        try:
            return self._taken()
        finally:
            with self._lock:
                self._waiting -= 1

    def _taken(self) -> Connection[Row]:
        started = time.monotonic()
        while True:
            try:
                return self._pool.getconn(timeout=0.6)
            except PoolTimeout as error:
                waited = time.monotonic() - started
                if self._failed_at >= started and waited >= self._patience:
                    if self._refused is not None and self._refused[0] >= started:
                        raise self._refused[1] from error
                    # For its message: the pool keeps none.
                    self.connect().close()
                    raise OperationalError(str(error)) from error
                if waited >= self.busy_timeout:
                    raise StoreBusyError(
                        f"{self.address.shown}: all {self.address.pool_size} connections were in use for "
                        f"{self.busy_timeout:g} s. Try again, or raise pool_size in the URL."
                    ) from None

    def put_reading(self, connection: Connection[Row]) -> bool:
        """Send ROLLBACK and give the connection back, without waiting. Return whether that was possible."""
        with self._lock:
            if self._waiting or connection.closed:
                return False
            with suppress(Error):
                connection.pgconn.send_query(b"ROLLBACK")
                if not connection.pgconn.flush():
                    self._ending.append(connection)
                    return True
                connection.close()
            return False

    def rest(self) -> None:
        """Use another server for a while."""
        self._rests_until = time.monotonic() + REST

    def rests(self) -> bool:
        """Return whether another server is to be used."""
        return time.monotonic() < self._rests_until

    def put(self, connection: Connection[Row]) -> None:
        """Give a connection back; a broken one is replaced by a new one when it is needed."""
        self._pool.putconn(connection)

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            ending, self._ending = self._ending, []
        for connection in ending:
            if not _has_ended(connection):
                connection.close()
            self._pool.putconn(connection)
        self._pool.close()

    def _note_failure(self, _pool: ConnectionPool[Connection[Row]]) -> None:
        self._failed_at = time.monotonic()

    def _configure(self, connection: Connection[Any]) -> None:
        register(connection)
        connection.execute(sql.server.configure.encode(), self._settings)

    def _configure_secured(self, connection: Connection[Any]) -> None:
        try:
            self._configure(connection)
            if self.address.secured:
                connection.execute(sql.server.use_role.encode())
        except Error as error:
            self._refused = time.monotonic(), error
            raise


def _has_ended(connection: Connection[Row]) -> bool:
    """Read the answer to a ROLLBACK that was sent before. Return whether the connection can be used."""
    done = False
    with suppress(Error, ValueError):
        while True:
            if connection.pgconn.is_busy():
                if not select.select([connection.fileno()], [], [], _ANSWER)[0]:
                    return False
                connection.pgconn.consume_input()
                continue
            result = connection.pgconn.get_result()
            if result is None:
                return done
            done = result.status == ExecStatus.COMMAND_OK
    return False
