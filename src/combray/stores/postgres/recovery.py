"""Transactions that were rolled back by chance are begun anew: a deadlock, a lost connection, a failover.

The caller's code has seen rows already and cannot be run again. So the statements are repeated, and must give
what they gave before. They do unless another process has written to the namespace meanwhile: its revision shows.

A connection that breaks during COMMIT leaves the outcome open. Every write leaves an id in the row of its
namespace; the id is looked up over another connection before anything is repeated.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress

from psycopg import Connection, Error, OperationalError
from psycopg.pq import TransactionStatus

from combray.errors import StoreBusyError, StoreError
from combray.records import dataclass, field
from combray.stores.postgres.errors import is_lost, is_temporary
from combray.stores.postgres.pool import PATIENCE, PostgresPool
from combray.stores.postgres.session import PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.session import NamespaceState, Row

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
