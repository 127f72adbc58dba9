"""PostgreSQL's errors as Combray's, with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import Error, InterfaceError, OperationalError
from psycopg import errors as pg

from combray.errors import (
    CorruptStoreError,
    DiskFullError,
    InvalidInputError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)

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
    if is_lost(error):
        return StoreError(
            f"{location}: the server cannot be reached ({text}). A write that was not confirmed may be missing. "
            "Try again when the server runs."
        )
    return StoreError(f"{location}: {text}")
