"""Connections to the file: journal mode, lock timeout, read-only files, and SQLite errors as Combray errors."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from combray.errors import (
    CorruptStoreError,
    DiskFullError,
    EncryptionError,
    InvalidInputError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)
from combray.runtime import calls
from combray.stores.sqlite.encryption import Key, encrypted_driver, errors, looks_encrypted, unlock
from combray.stores.sqlite.sql import register, sql

Durability = Literal["normal", "full"]

APPLICATION_ID = 0x434F4D42
"""Marks the file as a Combray store ("COMB"), so that another program's database is never changed."""

MEMORY = ":memory:"


@contextmanager
def explained(location: str) -> Iterator[None]:
    """Turn SQLite errors into Combray errors that name the file and the remedy."""
    try:
        yield
    except errors() as error:
        raise translate(error, location) from error
    except UnicodeEncodeError as error:
        problem = f"contains a lone surrogate at position {error.start}, which cannot be stored."
        raise InvalidInputError("text", problem, "Remove it.") from error
    except UnicodeDecodeError as error:
        # Raised by Python's sqlite3 for a damaged name in a schema.
        raise CorruptStoreError(f"{location}: the file is damaged ({error}). Restore a backup.") from error


def translate(error: Exception, location: str) -> StoreError:
    """Return the Combray error for an SQLite error."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    text = str(error)
    if primary == sqlite3.SQLITE_FULL:
        return DiskFullError(f"{location}: no room left on the device; nothing was written. Free some space.")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnlyStoreError(
            f"{location}: the file or its folder is read-only; nothing was written. Grant write access."
        )
    if is_busy(error):
        return StoreBusyError(
            f"{location}: another process holds the write lock. Try again, or raise COMBRAY_BUSY_TIMEOUT."
        )
    if primary == sqlite3.SQLITE_NOTADB and looks_encrypted(location):
        return EncryptionError(
            f"{location}: is encrypted or not a Combray store. Set COMBRAY_KEY or COMBRAY_KEY_FILE to its key."
        )
    if primary == sqlite3.SQLITE_NOTADB:
        problem = "the file is damaged or not a Combray store: it does not begin as an SQLite file"
        return CorruptStoreError(f"{location}: {problem}. Name another file, or restore a backup.")
    if primary == sqlite3.SQLITE_CORRUPT:
        remedy = "Restore a backup, or run 'combray doctor --repair'."
        return CorruptStoreError(f"{location}: the file is damaged or not a Combray store ({text}). {remedy}")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{location}: cannot be opened. Check that the folder exists and is writable.")
    if primary == sqlite3.SQLITE_IOERR:
        return StoreError(f"{location}: reading or writing failed ({text}). Check the disk.")
    return StoreError(f"{location}: {text}")


def connect(
    path: str, *, durability: Durability, busy_timeout: float, read_only: bool, key: Key | None = None
) -> sqlite3.Connection:
    """Open a connection in autocommit mode; transactions begin explicitly.

    A read-only file on a read-only medium, where WAL's side files cannot be created, is opened as immutable.
    `key` is the key of an encrypted file.
    """
    if read_only and path != MEMORY:
        connection = _read_only(path, busy_timeout, key)
    else:
        if key is not None and not Path(path).exists():
            _begin_encrypted(path, key)
        if path != MEMORY:
            make_private(path)
        connection = _open(path, busy_timeout, key)
    try:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        # macOS: flush the disk's own cache too. Other systems ignore it.
        connection.execute(f"PRAGMA fullfsync = {'ON' if durability == 'full' else 'OFF'}")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -32768")
        connection.execute("PRAGMA foreign_keys = OFF")
        register(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: str, busy_timeout: float, key: Key | None, *, uri: str = "") -> sqlite3.Connection:
    """Open a path, or a URI that names it; read through the URI at once, so that a failure shows here."""
    # SQLCipher's connections behave as sqlite3's, but are not instances of its class.
    connection: sqlite3.Connection = (sqlite3 if key is None else encrypted_driver()).connect(
        uri or path,
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=bool(uri),
        cached_statements=256,
    )
    try:
        if key is not None:
            unlock(connection, path, key)
        if uri:
            connection.execute(sql.file.probe).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def make_private(path: str) -> None:
    """Create an empty file that only its owner can read. A file that exists keeps its mode.

    SQLite treats an empty file as a new database, and gives `-wal` and `-shm` the database's mode. SQLite also
    reports a failure, with the path.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def opened(path: str, key: Key | None) -> sqlite3.Connection:
    """Open a backup, or the source of one. A new file is readable by its owner only."""
    make_private(path)
    return _open(path, 5.0, key)


@contextmanager
def whole_or_gone(path: str) -> Iterator[None]:
    """Remove a new file, and what SQLite puts beside it, if writing it fails. A part could pass for a backup."""
    try:
        yield
    except BaseException:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                Path(path + suffix).unlink(missing_ok=True)
        raise


def _begin_encrypted(path: str, key: Key) -> None:
    """Create an empty encrypted file atomically.

    Two processes that create it at the same time would each draw a salt, and one could not decrypt the file.
    """
    draft = Path(f"{path}.new-{os.urandom(4).hex()}")
    try:
        with closing(opened(str(draft), key)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


def _read_only(path: str, busy_timeout: float, key: Key | None) -> sqlite3.Connection:
    uri = f"file:{quote(str(Path(path).absolute()))}?mode=ro"
    try:
        return _open(path, busy_timeout, key, uri=uri)
    except errors("OperationalError"):
        if _has_log(path):
            raise StoreError(
                f"{path}: its write-ahead log cannot be read without write access. "
                "Open the file once with write access, or copy it together with the -wal file."
            ) from None
        return _open(path, busy_timeout, key, uri=f"{uri}&immutable=1")


def _has_log(path: str) -> bool:
    """Return whether there is a write-ahead log with content. Another process may delete it at any time."""
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def check_length(path: str) -> None:
    """Raise CorruptStoreError for a file shorter than its header says, such as an interrupted copy.

    SQLite reads pages past the end as zeros, and reports an error only when it needs one of them.
    """
    place = Path(path)
    if path == MEMORY or not place.exists() or _has_log(path):
        return
    with place.open("rb") as file:
        header = file.read(100)
    if len(header) == 100 and header.startswith(b"SQLite format 3\x00"):
        page_size = int.from_bytes(header[16:18], "big")
        wanted = int.from_bytes(header[28:32], "big") * (65536 if page_size == 1 else page_size)
        found = place.stat().st_size
        if found < wanted:
            raise CorruptStoreError(f"{path}: is truncated to {found} of {wanted} bytes. Restore a backup.")


def use_wal(connection: sqlite3.Connection, busy_timeout: float) -> None:
    """Switch to the write-ahead log, so that readers never wait. The file keeps the mode.

    SQLite does not wait for this lock, so two processes that create a file at the same time retry here.
    """
    deadline = time.monotonic() + busy_timeout
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except errors("OperationalError"):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """Begin a transaction that sees one state, and end it."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def patient(connection: sqlite3.Connection, seconds: float, usual: float | None = None) -> Iterator[None]:
    """Wait that long for locks within the block. `usual`: the seconds of the connection, where they are known."""
    if usual is None:
        ((before,),) = connection.execute("PRAGMA busy_timeout")
    else:
        before = int(usual * 1000)
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {before}")


def begin(connection: sqlite3.Connection, path: str, busy_timeout: float, usual: float | None = None) -> None:
    """Begin a write transaction. A wait for another process is reported, and ends after `busy_timeout` seconds.

    `usual`: the seconds that the connection waits outside of it, where they are known.

    SQLite waits in parts of a second: between them the caller can stop the call.
    """
    allowed = calls.patience(busy_timeout)
    deadline, reported = time.monotonic() + allowed, False
    while True:
        part = min(calls.UNREPORTED, max(0.0, deadline - time.monotonic()))
        try:
            with patient(connection, part, usual):
                connection.execute("BEGIN IMMEDIATE")
        except errors("OperationalError") as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        else:
            return
        if not reported and allowed > calls.UNREPORTED:
            calls.report_waiting(path, busy_timeout)
        reported = True


def is_busy(error: Exception) -> bool:
    """Return whether an SQLite error says that another connection holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def writing(connection: sqlite3.Connection, path: str = "", busy_timeout: float | None = None) -> Iterator[None]:
    """Begin a write transaction; commit it at the end of the block, roll back on any error.

    With `busy_timeout` a wait for another process is reported (`begin`).
    """
    if busy_timeout is None:
        connection.execute("BEGIN IMMEDIATE")
    else:
        begin(connection, path, busy_timeout)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back some failed writes.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def writable(path: str) -> bool:
    """Return whether the folder is writable, and the file if it exists."""
    place = Path(path)
    return path == MEMORY or (
        os.access(place.absolute().parent, os.W_OK) and (not place.exists() or os.access(place, os.W_OK))
    )
