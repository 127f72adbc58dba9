"""A PostgreSQL database as a store. Many processes share it; the writes of one namespace follow one another."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from psycopg import Connection, Error, OperationalError
from psycopg.errors import LockNotAvailable

from combray.errors import DiskFullError, ReadOnlyStoreError, StoreError
from combray.runtime import Deeds, Trace, Witness, calls
from combray.stores.postgres import upkeep
from combray.stores.postgres.cache import PostgresNamespaceCache
from combray.stores.postgres.listening import Listener
from combray.stores.postgres.pool import Address, PostgresPool, milliseconds
from combray.stores.postgres.reader import PostgresReader, PostgresView
from combray.stores.postgres.recovery import Recovery, end, explained, is_lost, new_write_id, translate
from combray.stores.postgres.session import PostgresSession, Statement, run
from combray.stores.postgres.sql import sql
from combray.stores.postgres.writer import PostgresWriter
from combray.stores.proving import ProvableStore, traces_of
from combray.stores.session import NamespaceState, Row


class PostgresStore(ProvableStore):
    """Implements `runtime.Store` and `runtime.Provable`.

    Args:
        url: `postgresql://…` with libpq's parameters, and `schema` (default combray), `pool_size` (default 16),
            `role` ("none": as the user itself, without row-level security) and `vectors` (exact, hnsw).
        durability: "normal" survives a killed server, "full" also waits for synchronous replicas.
        busy_timeout: Seconds to wait for a lock or for a free connection.
        replica: URL of a streaming replica that answers reads. A namespace is read from the primary until the
            replica has what this process has seen of it, and while the replica cannot be reached.

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
        replica: str | None = None,
    ) -> None:
        self._address = Address(url)
        self.location = self._address.shown
        self.read_only = read_only
        self.unwritable = ""
        self._process = os.getpid()
        self._caches: dict[str, PostgresNamespaceCache] = {}
        self._models: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._writing = threading.local()
        self._closed = False
        self._pool = PostgresPool(self._address, durability=durability, busy_timeout=busy_timeout)
        self._replica: PostgresPool | None = None
        if replica:
            self._replica = PostgresPool(
                Address(replica), durability=durability, busy_timeout=busy_timeout, patience=0.5
            )
        self._listener = Listener(f"combray {self._address.schema}", self._pool.connect, self._warm)
        self._written: dict[str, int] = {}
        """Namespace -> the last revision that this process wrote and no replica has shown yet."""
        with self._owning() as session:
            upkeep.migrate(session, self._address.schema, self.location, read_only=read_only)
            if not read_only:
                upkeep.rebuild_terms_if_stale(session, self._address.schema)
            if self._address.indexed:
                upkeep.prepare_index(session, self._address.schema, self.location, read_only=read_only)
        self._pool.open()
        if self._replica is not None:
            self._replica.open()
        # The log lies beside each server; the head that is kept here is that of this server's log.
        self._head = f"audit_head@{socket.gethostname()}"
        self._witness = witness
        if witness is not None:
            witness.ask(self._kept_for_witness)

    @property
    def writable(self) -> bool:
        return not self.read_only

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        return (Error,)

    @property
    def busy(self) -> bool:
        # Writes of several namespaces, and of other machines, do not wait for one another here.
        return False

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

    def _cache(self, namespace: str) -> PostgresNamespaceCache:
        with self._lock:
            if namespace not in self._caches:
                self._caches[namespace] = PostgresNamespaceCache(
                    namespace,
                    indexed=self._address.indexed,
                    on_foreign=self._listener.start,
                    zone=self.zone,
                )
            return self._caches[namespace]

    def _warm(self, numbers: set[int] | None) -> None:
        """Catch up the caches of namespaces that other processes have written to; None: of all."""
        with self._lock:
            caches = [each for each in self._caches.values() if numbers is None or each.number in numbers]
        for cache in caches:
            with self._reading(cache.name) as session:
                cache.warm(session)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.location}: the store is closed. Open it again.")
        if os.getpid() != self._process:
            raise StoreError(f"{self.location}: opened before this process was forked. Open it again here.")

    # -- transactions ----------------------------------------------------------------------------------

    @contextmanager
    def _owning(self) -> Iterator[PostgresSession]:
        """Open a connection as the owner of the tables, for upkeep: every statement is a transaction."""
        with explained(self.location):
            connection = self._pool.connect()
            try:
                yield PostgresSession(connection, self._pool)
            finally:
                connection.close()

    @contextmanager
    def _reading(self, namespace: str) -> Iterator[PostgresSession]:
        """Open a transaction that sees one state of the database."""
        self._check_open()

        def begin(pool: PostgresPool, connection: Connection[Row]) -> PostgresSession | None:
            session = PostgresSession(connection, pool, namespace)
            session.models = self._models
            session.begin_read()
            return session if pool is self._pool or self._is_fresh(session) else None

        with explained(self.location):
            session = Recovery(self._pool, begin, self._replica).session()
            try:
                yield session
            finally:
                end(session)

    def _is_fresh(self, session: PostgresSession) -> bool:
        """Return whether a replica has everything that this process has seen of a namespace."""
        if not session.name:
            return not self._written
        revision = session.state.revision if session.state else 0
        if revision < max(self._written.get(session.name, 0), self._cache(session.name).revision):
            return False
        self._written.pop(session.name, None)
        return True

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
                write_id = new_write_id()
                recovery = Recovery(self._pool, lambda pool, own: self._locked(pool, own, namespace, write_id))
                session, deeds = recovery.session(), Deeds()
                session.done, session.models, session.listener = [], self._models, self._listener
                try:
                    writer = PostgresWriter(self._cache(namespace), session)
                    deeds = writer.deeds
                    yield writer
                    if self._witness is not None:
                        self._tell(self._witness, writer)
                    recovery.commit(session, write_id)
                except BaseException as error:
                    end(session)
                    if deeds.seq and self._witness is not None:
                        self._witness.rolled_back(namespace, deeds, error)
                    raise
                end(session)
                self._cache(namespace).own_writes += 1
                if self._replica is not None:
                    self._written[namespace] = writer.revision_now
                if writer.erased:
                    self._cache(namespace).drop()
                if writer.new_model and self._address.indexed:
                    self._index_vectors()
        finally:
            self._writing.now = False

    def _locked(
        self, pool: PostgresPool, connection: Connection[Row], namespace: str, write_id: int
    ) -> PostgresSession:
        """Begin a write. A wait for another one is reported, and ends after the setting's time.

        It is made in parts: between them the caller can stop it.
        """
        allowed = calls.patience(pool.lock_timeout)
        deadline, reported = time.monotonic() + allowed, False
        while True:
            part = min(calls.UNREPORTED, max(0.0, deadline - time.monotonic()))
            try:
                return _locked(pool, connection, namespace, write_id, part)
            except LockNotAvailable:
                if time.monotonic() >= deadline:
                    raise
            connection.rollback()
            if not reported and allowed > calls.UNREPORTED:
                calls.report_waiting(self.location, pool.lock_timeout)
            reported = True

    def _index_vectors(self) -> None:
        """Make the index of a new model, which is small. If that fails, searches are exact and doctor says so."""
        with suppress(StoreError), self._owning() as session:
            upkeep.build_index(session, self._address.schema, wait=False)

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
            session.later(sql.settings.put_first, self._head)
            found = session.rows(sql.settings.lock, self._head)
        known = str(found[0][0])
        wanted = witness.committing(writer.namespace, writer.witnessed(), known)
        if wanted != known:
            session.later(sql.settings.put, self._head, wanted)

    def _kept_for_witness(self) -> str:
        with self._reading("") as session:
            found = session.rows(sql.settings.get, self._head)
            return str(found[0][0]) if found else ""

    # -- proof of erasure (`runtime.Provable`) ---------------------------------------------------------

    @contextmanager
    def _proving(self, namespace: str = "") -> Iterator[PostgresSession]:
        with self._owning() as session:
            session.name = namespace
            session.look()
            yield session

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        with self._reading(namespace) as session:
            return traces_of(session, keys)

    def let_go(self) -> bool:
        with self._owning() as session:
            done = _rewrite(session)
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
            if self._address.indexed:
                problems += upkeep.index_problems(session)
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
            if self._address.indexed:
                done += upkeep.build_index(session, self._address.schema)
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
                self._listener.close()
                self._pool.close()
                if self._replica is not None:
                    self._replica.close()


def _rewrite(session: PostgresSession) -> bool:
    """Write the tables and indexes anew, without deleted rows. Return False if that is not possible now.

    PostgreSQL keeps deleted rows in a table's pages until a vacuum, and their bytes until the page is used again.
    Neither a vacuum nor this reaches the write-ahead log, archives, replicas and backups: those keep the bytes
    until they are recycled (docs/howto/use-postgresql.md).
    """
    try:
        session.connection.execute(sql.erasure.rewrite.encode())
    except Error:
        return False
    return True


def _locked(
    pool: PostgresPool, connection: Connection[Row], namespace: str, write_id: int, within: float
) -> PostgresSession:
    """Begin a write: lock the namespace's row, count its revision up, and leave the id of the write there.

    Raises LockNotAvailable if another write holds the lock for more than `within` seconds.
    """
    wait = Statement(sql.server.wait_for_locks.encode(), (milliseconds(within),))
    begin = Statement(sql.namespaces.begin_write.encode(), (namespace, write_id), gives_rows=True)
    found = run(connection, None, [Statement(sql.server.begin_write.encode()), wait, begin])[-1]
    if not found:
        add = Statement(sql.namespaces.add.encode(), (namespace,))
        found = run(connection, None, [add, begin])[-1]
    if not found:
        raise OperationalError("the namespace vanished while it was locked")
    session = PostgresSession(connection, pool, namespace, NamespaceState(*found[0][:4]))
    # With the next statement: psycopg takes what stands behind a failed one for prepared.
    session.later(sql.server.wait_for_locks, milliseconds(pool.lock_timeout))
    return session
