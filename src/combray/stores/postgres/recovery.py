"""PostgreSQL's errors: those that may pass begin the transaction anew, the others become Combray's.

A deadlock, a lost connection and a failover may pass. The caller's code has seen rows already and cannot be run
again. So the statements are repeated, and must give what they gave before. They do unless another process has
written to the namespace meanwhile: its revision shows.

A connection that breaks during COMMIT leaves the outcome open. Every write leaves an id in the row of its
namespace; the id is looked up over another connection before anything is repeated.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from psycopg import Connection, Error, InterfaceError, OperationalError
from psycopg import errors as pg
from psycopg.pq import TransactionStatus

from combray.errors import (
    CorruptStoreError,
    DiskFullError,
    InvalidInputError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)
from combray.records import dataclass, field
from combray.stores.postgres.pool import PATIENCE, PostgresPool
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.session import NamespaceState, Row

_BUSY = (pg.SerializationFailure, pg.DeadlockDetected)
_REFUSED = ("authentication failed", "no password supplied", "no pg_hba.conf entry")
"""An error at the connection has no code."""
_GONE = (
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.DatabaseDropped,
    pg.IdleInTransactionSessionTimeout,
    pg.IdleSessionTimeout,
)


@contextmanager
def explained(location: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into Combray errors that name the database and the remedy."""
    try:
        yield
    except Error as error:
        raise translate(error, location) from error
    except UnicodeEncodeError as error:
        problem = f"contains a lone surrogate at position {error.start}, which cannot be stored."
        raise InvalidInputError("text", problem, "Remove it.") from error


def is_lost(error: BaseException) -> bool:
    """Return whether an error means that the connection is gone, or that there is none."""
    if isinstance(error, _GONE):
        return True
    return isinstance(error, OperationalError | InterfaceError) and getattr(error, "sqlstate", None) is None


def is_temporary(error: BaseException) -> bool:
    """Return whether the transaction was rolled back by chance: begun anew, it may succeed."""
    return isinstance(error, _BUSY) or is_lost(error)


def translate(error: Error, location: str) -> StoreError:
    """Return the Combray error for an error of psycopg."""
    text = " ".join(str(error).split())
    if isinstance(error, pg.ReadOnlySqlTransaction):
        return ReadOnlyStoreError(
            f"{location}: the server accepts no writes ({text}); nothing was written. "
            "Name the primary, or wait for the end of the failover."
        )
    if isinstance(error, pg.DiskFull):
        return DiskFullError(f"{location}: the server's disk is full; nothing was written. Free some space.")
    if isinstance(error, pg.LockNotAvailable):
        return StoreBusyError(
            f"{location}: another connection is writing to this namespace. Try again, or raise "
            "COMBRAY_BUSY_TIMEOUT."
        )
    if isinstance(error, pg.QueryCanceled):
        return StoreBusyError(
            f"{location}: a statement was cancelled ({text}); nothing was written. Raise statement_timeout: with "
            "ALTER ROLE … SET statement_timeout, or in the URL with options=-cstatement_timeout%3D60s."
        )
    if isinstance(error, _BUSY):
        return StoreBusyError(
            f"{location}: two transactions were in each other's way ({text}); nothing was written. Try again."
        )
    if isinstance(error, pg.TooManyConnections):
        return StoreBusyError(
            f"{location}: the server has no free connection ({text}). Close some, or raise max_connections."
        )
    if isinstance(error, pg.InsufficientPrivilege) and "row-level security" in text:
        return StoreError(
            f"{location}: the database refuses this write ({text}); nothing was written. "
            "Its policy may name where the namespace has moved."
        )
    if isinstance(error, pg.InsufficientPrivilege):
        return StoreError(f"{location}: a right is missing ({text}). Grant it: docs/howto/use-postgresql.md.")
    if isinstance(error, pg.DataCorrupted | pg.IndexCorrupted):
        return CorruptStoreError(f"{location}: the database is damaged ({text}). Restore a backup.")
    if any(words in text for words in _REFUSED):
        return StoreError(
            f"{location}: the server refuses this user ({text}). For a password set PGPASSWORD or ~/.pgpass; "
            "peer authentication needs an account of the system with the same name, or a line in pg_ident.conf."
        )
    if 'database "' in text and "does not exist" in text:
        return StoreError(f"{location}: the server has no such database ({text}). Make it with createdb.")
    if is_lost(error):
        return StoreError(
            f"{location}: the server cannot be reached ({text}). A write that was not confirmed may be missing. "
            "Try again when the server runs."
        )
    return StoreError(f"{location}: {text}")


_PAUSE = 0.05
"""Seconds before the first repetition; doubled before each further one."""
_LONGEST = 0.8
MOST_ATTEMPTS = 8
"""Repetitions of one transaction."""


def end(session: PostgresSession) -> None:
    """Give the connection back. What was not committed is rolled back."""
    connection = session.connection
    reads = session.done is None and connection.info.transaction_status == TransactionStatus.INTRANS
    if not (reads and session.pool.put_reading(connection)):
        _give_back(session.pool, connection)


def _give_back(pool: PostgresPool, connection: Connection[Row]) -> None:
    with suppress(Error):
        if connection.info.transaction_status == TransactionStatus.INERROR:
            # Statements behind the failed one were not prepared, but psycopg counts them as such: this forgets
            # all of them.
            connection.rollback()
        elif connection.info.transaction_status != TransactionStatus.IDLE and not connection.closed:
            connection.execute("ROLLBACK")
    pool.put(connection)


@dataclass
class Recovery:
    """Begins one transaction, and begins it anew after an error that may pass.

    `begin` runs the first statements on a connection of a pool. It returns None if that server is behind.
    """

    pool: PostgresPool
    begin: Callable[[PostgresPool, Connection[Row]], PostgresSession | None]
    replica: PostgresPool | None = None
    """Tried first."""
    attempts: int = 0
    _failed_at: float = field(default=0.0)

    def session(self) -> PostgresSession:
        """Return the open transaction. Waits for a server that is away."""
        session = self._begun()
        session.recover = self.again
        return session

    def again(self, session: PostgresSession, error: Error) -> None:
        """Begin the transaction anew, up to the statement that failed. Raises the error if that cannot help."""
        while True:
            self._note(error)
            try:
                self._replay(session)
            except Error as another:
                error = another
            else:
                return

    def _note(self, error: Error) -> None:
        """Wait before the next attempt. Raises the error if it is not temporary, or persists."""
        now = time.monotonic()
        self._failed_at = self._failed_at or now
        self.attempts += 1
        if not is_temporary(error) or self.attempts > MOST_ATTEMPTS or now - self._failed_at > PATIENCE:
            raise error
        time.sleep(min(_LONGEST, _PAUSE * 2 ** (self.attempts - 1)))

    def _replay(self, session: PostgresSession) -> None:
        if session.pool is self.replica:
            self.replica.rest()
        end(session)
        fresh = self._begun()
        before, session.connection, session.pool = session.state, fresh.connection, fresh.pool
        session.state = fresh.state
        if not _same(before, fresh.state):
            raise StoreBusyError(
                "the transaction was rolled back, and the namespace was written to before it could be repeated. "
                "Try again."
            )
        if not session.repeat():
            raise StoreBusyError("the transaction was rolled back, and what it had read has changed. Try again.")

    def _begun(self) -> PostgresSession:
        """Begin on a connection that lives. Nothing was done yet: a lost connection is simply replaced."""
        deadline = time.monotonic() + PATIENCE
        while True:
            pool = self.replica if self.replica is not None and not self.replica.rests() else self.pool
            try:
                if (session := self._begun_on(pool)) is not None:
                    return session
                pool = self.pool
                if (session := self._begun_on(pool)) is not None:
                    return session
            except (Error, StoreBusyError) as error:
                if pool is self.replica:
                    pool.rest()
                    continue
                if not is_lost(error) or time.monotonic() > deadline:
                    raise
            time.sleep(_PAUSE)

    def _begun_on(self, pool: PostgresPool) -> PostgresSession | None:
        connection = pool.get()
        try:
            session = self.begin(pool, connection)
        except BaseException:
            _give_back(pool, connection)
            raise
        if session is None:
            _give_back(pool, connection)
        return session

    def commit(self, session: PostgresSession, write_id: int) -> None:
        """Commit. If the connection breaks, find out whether it was; if not, repeat the transaction."""
        while True:
            try:
                session.commit()
            except Error as error:
                if not is_temporary(error):
                    raise
                if is_lost(error) and self._is_committed(session, write_id, error):
                    return
                self.again(session, error)
            else:
                return

    def _is_committed(self, session: PostgresSession, write_id: int, error: Error) -> bool:
        """Return whether a write was committed. Waits for its server process to end: it holds the row's lock."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                connection = self.pool.get()
                try:
                    connection.execute(sql.server.begin_write.encode())
                    found = connection.execute(
                        sql.namespaces.last_writes.encode(), (session.name,), binary=True
                    ).fetchall()
                finally:
                    _give_back(self.pool, connection)
                break
            except (Error, StoreError) as another:
                if time.monotonic() > deadline:
                    raise OperationalError(
                        f"{error}; whether the write was made is not known, because the server did not come back "
                        "in time"
                    ) from another
                time.sleep(_PAUSE)
        if not found or session.state is None or found[0][0] < session.state.revision:
            return False
        revision, writes = found[0]
        if write_id in writes:
            return True
        if revision - session.state.revision < len(writes):
            return False
        raise OperationalError(
            f"{error}; whether the write was made is not known: more than {len(writes)} others followed it"
        ) from error


def new_write_id() -> int:
    """Return a number that no other write has."""
    return random.SystemRandom().getrandbits(63)


def _same(before: NamespaceState | None, now: NamespaceState | None) -> bool:
    """Return whether the namespace is in the same state. One that the write itself made has another number."""
    if before is None or now is None:
        return before is now
    return before[1:] == now[1:] and (before.number == now.number or now.revision == 1)
