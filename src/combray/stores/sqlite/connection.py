"""Opening the file: journal mode, waiting, read-only files, and errors in words people can act on."""

from __future__ import annotations

import os
import secrets
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
from combray.stores.sqlite import sql
from combray.stores.sqlite.conditions import register
from combray.stores.sqlite.encryption import (
    Key,
    encrypted_driver,
    errors,
    looks_encrypted,
    unlock,
)

Durability = Literal["normal", "full"]

APPLICATION_ID = 0x434F4D42
"""Marks the file as a Combray store ("COMB"), so that another program's database is never touched."""

MEMORY = ":memory:"


@contextmanager
def explained(location: str) -> Iterator[None]:
    """Turn SQLite's errors into Combray's, with the file's name and what to do."""
    try:
        yield
    except errors() as error:
        raise translate(error, location) from error
    except UnicodeEncodeError as error:
        problem = f"holds a lone surrogate (at place {error.start}), which no file can store."
        raise InvalidInputError("text", problem, "Remove it.") from error
    except UnicodeDecodeError as error:
        # Python's sqlite3 meets damaged names in a schema so, while it words its own error.
        raise CorruptStoreError(f"{location}: the file is damaged ({error}). Restore a backup.") from error


def translate(error: Exception, location: str) -> StoreError:
    """The Combray error for an SQLite error."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    text = str(error)
    if primary == sqlite3.SQLITE_FULL:
        return DiskFullError(
            f"{location}: no room left on the device; nothing was written. Free some space and try again."
        )
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnlyStoreError(f"{location}: the file or its folder is read-only; nothing was written.")
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(
            f"{location}: another process has held the write lock for too long; try again, "
            "or raise COMBRAY_BUSY_TIMEOUT."
        )
    if primary == sqlite3.SQLITE_NOTADB and looks_encrypted(location):
        return EncryptionError(
            f"{location}: is encrypted, or no store of Combray. Set COMBRAY_KEY or COMBRAY_KEY_FILE to its key."
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return CorruptStoreError(
            f"{location}: the file is damaged or is not a Combray store: it does not begin as an SQLite file. "
            "Name another file, or restore a backup."
        )
    if primary == sqlite3.SQLITE_CORRUPT:
        return CorruptStoreError(
            f"{location}: the file is damaged or is not a Combray store ({text}). "
            "Restore a backup, or run 'combray doctor --repair'."
        )
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StoreError(
            f"{location}: cannot be opened; check that the folder exists and that you may write to it."
        )
    if primary == sqlite3.SQLITE_IOERR:
        return StoreError(f"{location}: reading or writing failed ({text}); check the disk.")
    return StoreError(f"{location}: {text}")


def connect(
    path: str, *, durability: Durability, busy_timeout: float, read_only: bool, key: Key | None = None
) -> sqlite3.Connection:
    """An open connection in autocommit mode; transactions are begun by hand.

    A file that cannot be written is opened read-only; on a read-only medium, where WAL's side files
    cannot be made either, as an immutable file. `key` is that of an encrypted file.
    """
    if path == MEMORY:
        connection = _open(MEMORY, busy_timeout, uri=False)
    elif read_only:
        connection = _read_only(path, busy_timeout, key)
    else:
        if key is not None and not Path(path).exists():
            _begin_encrypted(path, key)
        make_private(path)
        connection = _unlocked(path, path, busy_timeout, key, uri=False)
    try:
        connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -32768")
        connection.execute("PRAGMA foreign_keys = OFF")
        register(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open(target: str, busy_timeout: float, *, uri: bool, encrypted: bool = False) -> sqlite3.Connection:
    # SQLCipher's connections do what sqlite3's do, but are no kind of them.
    connection: sqlite3.Connection = (encrypted_driver() if encrypted else sqlite3).connect(
        target,
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=uri,
        cached_statements=256,
    )
    return connection


def make_private(path: str) -> None:
    """Create an empty file that only its owner can read. A file that exists keeps its mode.

    SQLite takes an empty file for a new database, and gives `-wal` and `-shm` the database's mode. A failure is
    left to SQLite, which reports it with the path.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def opened(path: str, key: Key | None) -> sqlite3.Connection:
    """A connection to a backup, or to the source of one. A new file is readable by its owner only."""
    make_private(path)
    return _unlocked(path, path, 5.0, key, uri=False)


def _unlocked(path: str, target: str, busy_timeout: float, key: Key | None, *, uri: bool) -> sqlite3.Connection:
    if key is None:
        return _open(target, busy_timeout, uri=uri)
    connection = _open(target, busy_timeout, uri=uri, encrypted=True)
    try:
        unlock(connection, path, key)
    except BaseException:
        connection.close()
        raise
    return connection


def _begin_encrypted(path: str, key: Key) -> None:
    """Make an empty encrypted file, whole and at once.

    Two processes that each began one would each draw a salt, and one would read what it cannot decrypt.
    """
    draft = Path(f"{path}.new-{secrets.token_hex(4)}")
    try:
        with closing(opened(str(draft), key)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


def _read_only(path: str, busy_timeout: float, key: Key | None) -> sqlite3.Connection:
    escaped = quote(str(Path(path).absolute()))
    try:
        return _probed(path, f"file:{escaped}?mode=ro", busy_timeout, key)
    except errors("OperationalError"):
        log = Path(f"{path}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"{path}: its write-ahead log holds memories that cannot be read without write access; "
                "open the file once where it can be written, or copy it together with the -wal file."
            ) from None
        return _probed(path, f"file:{escaped}?mode=ro&immutable=1", busy_timeout, key)


def _probed(path: str, target: str, busy_timeout: float, key: Key | None) -> sqlite3.Connection:
    connection = _unlocked(path, target, busy_timeout, key, uri=True)
    try:
        connection.execute(sql.file.probe).fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def check_length(path: str) -> None:
    """Raise CorruptStoreError for a file that ends before its header says, as a broken-off copy does.

    SQLite reads pages behind the end as zeros, and notices only when it happens to need one.
    """
    place, log = Path(path), Path(f"{path}-wal")
    if path == MEMORY or not place.exists() or (log.exists() and log.stat().st_size):
        return
    with place.open("rb") as file:
        header = file.read(100)
    if len(header) == 100 and header.startswith(b"SQLite format 3\x00"):
        page_size = int.from_bytes(header[16:18], "big")
        wanted = int.from_bytes(header[28:32], "big") * (65536 if page_size == 1 else page_size)
        found = place.stat().st_size
        if found < wanted:
            raise CorruptStoreError(f"{path}: is cut short: {found} of {wanted} bytes. Restore a backup.")


def use_wal(connection: sqlite3.Connection, busy_timeout: float) -> None:
    """Write-ahead log: readers never wait. Kept in the file, so it is set once; network file systems refuse.

    Two processes that make a file at the same moment meet here, and SQLite does not wait for this lock.
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


def writable(path: str) -> bool:
    """Whether the file, or the folder it would be made in, lets itself be written."""
    if path == MEMORY:
        return True
    place = Path(path)
    if place.exists():
        return os.access(place, os.W_OK) and os.access(place.absolute().parent, os.W_OK)
    return os.access(place.absolute().parent, os.W_OK)
