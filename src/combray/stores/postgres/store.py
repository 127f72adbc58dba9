"""A PostgreSQL database as a store. Many processes share it; the writes of one namespace follow one another."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from psycopg import Connection, Error, OperationalError
from psycopg.pq import TransactionStatus

from combray.errors import DiskFullError, ReadOnlyStoreError, StoreError
from combray.runtime import Deeds, Trace, Witness
from combray.stores.postgres import erasing, proving, sql, upkeep
from combray.stores.postgres.cache import NamespaceCache
from combray.stores.postgres.errors import explained, is_lost, translate
from combray.stores.postgres.migrations import migrate
from combray.stores.postgres.pool import PATIENCE, Address, Pool
from combray.stores.postgres.reader import PostgresReader, PostgresView
from combray.stores.postgres.session import Row, Session, State
from combray.stores.postgres.writer import PostgresWriter

T = TypeVar("T")
_PAUSE = 0.05
"""Seconds between two attempts to begin a transaction."""


class PostgresStore:
    """Implements `runtime.Store` and `runtime.Provable`.

    Args:
        url: `postgresql://…` with libpq's parameters, and `schema` (default combray), `pool_size` (default 16)
            and `role` ("none": as the user itself, without row-level security).
        durability: "normal" survives a killed server, "full" also waits for synchronous replicas.
        busy_timeout: Seconds to wait for a lock or for a free connection.

    Raises StoreError and its subclasses, InvalidInputError.
    """

    def __init__(
        self,
        url: str,
        *,
        durability: str = "normal",
        busy_timeout: float = 30.0,
        read_only: bool = False,
        witness: Witness | None = None,
    ) -> None:
        self._address = Address(url)
        self.location = self._address.shown
        self.read_only = read_only
        self.unwritable = ""
        self._process = os.getpid()
        self._caches: dict[str, NamespaceCache] = {}
        self._models: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._writing = threading.local()
        self._closed = False
        self._pool = Pool(self._address, durability=durability, busy_timeout=busy_timeout)
        with self._owning() as session:
            migrate(session, self._address.schema, self.location, read_only=read_only)
            if not read_only:
                upkeep.rebuild_terms_if_stale(session, self._address.schema)
        self._pool.open()
        # The log lies beside each server; the head that is kept here is that of this server's log.
        self._head = f"audit_head@{socket.gethostname()}"
        self._witness = witness
        if witness is not None:
            witness.ask(self._kept_for_witness)

    @property
    def writable(self) -> bool:
        return not self.read_only

    def probe(self) -> str:
        """Check again whether the server accepts writes, over a connection of its own."""
        if self._closed or os.getpid() != self._process or self.read_only:
            return self.unwritable
        try:
            with self._owning() as session:
                ((replica, only_reads),) = session.rows(sql.server.writing_possible)
        except StoreError as error:
            self.unwritable = str(error)
            return self.unwritable
        refused = replica or only_reads == "on"
        self.unwritable = f"{self.location}: the server is a replica or read-only" if refused else ""
        return self.unwritable

    def namespaces(self) -> list[str]:
        with self._reading("") as session:
            return [row[0] for row in session.rows(sql.namespaces.names)]

    def reader(self, namespace: str) -> PostgresReader:
        return PostgresReader(namespace, self._cache(namespace), lambda: self._reading(namespace))

    @contextmanager
    def view(self, namespace: str) -> Iterator[PostgresReader]:
        with self._reading(namespace) as session:
            yield PostgresView(self._cache(namespace), session)

    def _cache(self, namespace: str) -> NamespaceCache:
        with self._lock:
            if namespace not in self._caches:
                self._caches[namespace] = NamespaceCache(namespace)
            return self._caches[namespace]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.location}: the store is closed. Open it again.")
        if os.getpid() != self._process:
            raise StoreError(f"{self.location}: opened before this process was forked. Open it again here.")

    # -- transactions ----------------------------------------------------------------------------------

    @contextmanager
    def _owning(self) -> Iterator[Session]:
        """Open a connection as the owner of the tables, for upkeep: every statement is a transaction."""
        with explained(self.location):
            connection = self._pool.connect()
            try:
                yield Session(connection)
            finally:
                connection.close()

    @contextmanager
    def _reading(self, namespace: str) -> Iterator[Session]:
        """Open a transaction that sees one state of the database."""
        self._check_open()

        def begin(connection: Connection[Row]) -> Session:
            connection.execute(sql.server.begin_read.encode())
            session = Session(connection, namespace)
            session.models = self._models
            session.look()
            return session

        with explained(self.location):
            session = self._begun(begin)
            try:
                yield session
            finally:
                self._end(session.connection)

    @contextmanager
    def transaction(self, namespace: str) -> Iterator[PostgresWriter]:
        if self.read_only:
            raise ReadOnlyStoreError(f"{self.location}: opened read-only; nothing was written. Open it to write.")
        self._check_open()
        if getattr(self._writing, "now", False):
            raise StoreError(f"{self.location}: a transaction is already open. End it before the next begins.")
        self._writing.now = True
        try:
            with explained(self.location), self._noting_trouble():
                session, state = self._begun(lambda connection: _locked(connection, namespace))
                deeds = Deeds()
                try:
                    writer = PostgresWriter(self._cache(namespace), session, state)
                    deeds = writer.deeds
                    yield writer
                    if self._witness is not None:
                        self._tell(self._witness, writer)
                    session.connection.execute("COMMIT")
                except BaseException as error:
                    self._end(session.connection)
                    if deeds.seq and self._witness is not None:
                        self._witness.rolled_back(namespace, deeds, error)
                    raise
                self._end(session.connection)
                if writer.erased:
                    self._cache(namespace).drop()
        finally:
            self._writing.now = False

    def _begun(self, begin: Callable[[Connection[Row]], T]) -> T:
        """Begin a transaction on a connection that lives; wait a little for a server that is away.

        Nothing was done yet, so that a lost connection is simply replaced.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            connection = self._pool.get()
            try:
                return begin(connection)
            except BaseException as error:
                self._end(connection)
                if not is_lost(error) or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE)

    def _end(self, connection: Connection[Row]) -> None:
        """Give a connection back. What was not committed is rolled back."""
        with suppress(Error):
            if connection.info.transaction_status != TransactionStatus.IDLE and not connection.closed:
                connection.execute("ROLLBACK")
        self._pool.put(connection)

    @contextmanager
    def _noting_trouble(self) -> Iterator[None]:
        try:
            yield
        except Error as error:
            known = translate(error, self.location)
            if is_lost(error) or isinstance(known, DiskFullError | ReadOnlyStoreError):
                self.unwritable = str(known)
            raise
        self.unwritable = ""

    # -- the witness -------------------------------------------------------------------------------------

    def _tell(self, witness: Witness, writer: PostgresWriter) -> None:
        """Report the pending commit. Raises StoreError if the witness forbids it."""
        session = writer.session
        # Locked: the writes of this server's other processes are witnessed one after the other.
        found = session.rows(sql.settings.lock, self._head)
        if not found:
            session.run(sql.settings.put_first, self._head)
            found = session.rows(sql.settings.lock, self._head)
        known = str(found[0][0])
        wanted = witness.committing(writer.namespace, writer.witnessed(), known)
        if wanted != known:
            session.run(sql.settings.put, self._head, wanted)

    def _kept_for_witness(self) -> str:
        with self._reading("") as session:
            found = session.rows(sql.settings.get, self._head)
            return str(found[0][0]) if found else ""

    # -- proof of erasure (`runtime.Provable`) ---------------------------------------------------------

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        with self._reading(namespace) as session:
            return [] if session.number is None else proving.traces(session, keys)

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        with self._owning() as session:
            return proving.rows_left(session, keys)

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        with self._owning() as session:
            return proving.shared(session, traces)

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        with self._owning() as session:
            session.name = namespace
            session.look()
            return proving.rows_holding(session, traces, everywhere=everywhere)

    def let_go(self) -> bool:
        with self._owning() as session:
            done = erasing.rewrite(session)
        for cache in self._caches.values():
            cache.drop()
        return done

    def files(self) -> list[str]:
        """Return no files: they are the server's."""
        return []

    # -- upkeep ------------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        with self._owning() as session:
            problems = upkeep.check(session)
        with self._reading("") as session:
            ((secured,),) = session.rows(sql.server.secured)
        if self._address.secured and not secured:
            problems.append(
                "row-level security is not in force: the role combray_app is missing, or is not granted to this "
                "user; docs/howto/use-postgresql.md has the statements that an administrator runs"
            )
        return problems

    def repair(self) -> list[str]:
        if self.read_only:
            raise ReadOnlyStoreError(
                f"{self.location}: opened read-only; nothing was repaired. Open it to write."
            )
        with self._owning() as session:
            done = upkeep.repair(session, self._address.schema)
        for cache in self._caches.values():
            cache.drop()
        return done

    def backup(self, path: str, key: str | bytes | None = None) -> None:  # noqa: ARG002 - the protocol's
        """Raise StoreError: backups of a server are the server's."""
        raise StoreError(
            f"{self.location}: Combray does not copy a server to {path}. Use pg_dump or pg_basebackup, or copy "
            "the memories to a file with: combray migrate."
        )

    def close(self) -> None:
        """Release the connections. Each open read finishes first, in its own thread."""
        if not self._closed:
            self._closed = True
            if os.getpid() == self._process:
                self._pool.close()


def _locked(connection: Connection[Row], namespace: str) -> tuple[Session, State]:
    """Begin a write: lock the namespace's row, and count its revision up."""
    connection.execute(sql.server.begin_write.encode())
    session = Session(connection, namespace)
    found = session.rows(sql.namespaces.begin_write, namespace)
    if not found:
        session.run(sql.namespaces.add, namespace)
        found = session.rows(sql.namespaces.begin_write, namespace)
    if not found:
        raise OperationalError("the namespace vanished while it was locked")
    session.state = State(*found[0][:4])
    return session, session.state
