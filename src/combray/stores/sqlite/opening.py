"""Whether a file can be opened and written to, and what an opening brings up to date.

A reader does not wait for another process's write lock. Nothing is written to find out whether writes succeed.
"""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from combray.errors import DiskFullError, ReadOnlyStoreError
from combray.runtime import calls
from combray.stores.sqlite import erasing, upkeep
from combray.stores.sqlite.connection import MEMORY, is_busy, patient, translate, use_wal
from combray.stores.sqlite.encryption import Key, errors
from combray.stores.sqlite.upkeep import check_identity, migrate, migrations

ROOM = 64 * 1024
"""Free bytes required next to the file: a small write with its index, sixteen pages."""
_FAILED_WRITES = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_readable(connection: sqlite3.Connection, path: str) -> None:
    """Raise for another program's file, and for one whose schema only a write can bring up to date."""
    newest = migrations()[-1][0]
    version = check_identity(connection, path, newest)
    if version < newest:
        raise ReadOnlyStoreError(
            f"{path}: has schema {version}, this Combray needs {newest}. Open it once with write access."
        )


def bring_up_to_date(connection: sqlite3.Connection, path: str, *, busy_timeout: float, key: Key | None) -> bool:
    """Bring the file up to date. Return False if another process's lock leaves a part to the next write.

    A file of an older schema cannot be read before its migration: only that waits, as a write does.
    """
    newest = migrations()[-1][0]
    readable = check_identity(connection, path, newest) == newest
    if not readable:
        return finish(connection, path, busy_timeout=busy_timeout, key=key)
    try:
        with calls.briefly(), patient(connection, calls.patience(busy_timeout)):
            return finish(connection, path, busy_timeout=calls.patience(busy_timeout), key=key)
    except errors("OperationalError") as error:
        if not is_busy(error):
            raise
        return False


def finish(connection: sqlite3.Connection, path: str, *, busy_timeout: float, key: Key | None) -> bool:
    """Set the journal mode, migrate, rebuild a stale keyword index, and finish an erasure.

    Return False if a reader elsewhere keeps the log of the erasure in use.

    Only after its identity was checked: another program's file must not be changed, not even its journal mode.
    """
    if path != MEMORY:
        use_wal(connection, busy_timeout)
    migrate(connection, path, key=key, busy_timeout=busy_timeout)
    upkeep.rebuild_terms_if_stale(connection)
    return path == MEMORY or not erasing.is_due(connection) or erasing.finish(connection)


def unwritable(error: BaseException, location: str) -> str:
    """Return why nothing can be written; "" if a failed write has another cause."""
    if not isinstance(error, errors()):
        return ""
    translated = translate(error, location)
    final = isinstance(translated, DiskFullError | ReadOnlyStoreError)
    return str(translated) if final or getattr(error, "sqlite_errorcode", None) in _FAILED_WRITES else ""


def refused(path: str, unwritable: str, done: str) -> ReadOnlyStoreError:
    """Return the error of a write to a store that is open to read. `unwritable`: why it could not be opened to
    write; "" if the caller asked for that. `done`: what was not done, such as "written"."""
    if unwritable.endswith("."):
        return ReadOnlyStoreError(unwritable)
    if unwritable:
        return ReadOnlyStoreError(f"{unwritable}; nothing was {done}. Grant write access, or name another store.")
    return ReadOnlyStoreError(f"{path}: opened read-only; nothing was {done}. Open it to write.")


def missing(path: str, *, read_only: bool) -> ReadOnlyStoreError:
    """Return the error of a file that does not exist and cannot be created."""
    if read_only:
        return ReadOnlyStoreError(f"{path}: no such file, and none is created read-only. Name an existing file.")
    folder = Path(path).absolute().parent
    return ReadOnlyStoreError(
        f"{path}: no such file, and the folder {folder} cannot be written to. Grant write access."
    )


def probe(connection: sqlite3.Connection, path: str, busy_timeout: float) -> str:
    """Return why a write would fail now, or "".

    Takes the write lock without waiting, and requests free space with a temporary file. A lock held by another
    process counts as success. `busy_timeout`: seconds that the connection waits for a lock again afterwards.
    """
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(busy_timeout * 1000)}")
    except errors() as error:
        primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if primary not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return str(translate(error, path))
    if path == MEMORY:
        return ""
    # Compression libraries come with it, and a call that reads does not need them.
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=Path(path).absolute().parent, buffering=0) as file:
            wanted = bytes(ROOM)
            written = file.write(wanted)
            # A full disk accepts what fits, and fails at the rest.
            if written < len(wanted):
                file.write(wanted[written:])
    except OSError as error:
        # A folder that accepts no new file may still have writable open files.
        if error.errno in _FULL:
            return f"{path}: no room left on the device. Free some space."
    return ""
