"""Whether a file can be written to, found out without writing to it."""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from pathlib import Path

from combray.errors import DiskFullError, ReadOnlyStoreError
from combray.stores.sqlite.connection import MEMORY, translate
from combray.stores.sqlite.encryption import errors

ROOM = 64 * 1024
"""Bytes that must find room beside the file: a small write with its index, sixteen pages."""
_FAILED_WRITES = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
)
_FULL = (errno.ENOSPC, errno.EDQUOT)


def unwritable(error: BaseException, location: str) -> str:
    """Why nothing can be written, if that is what a failed write means; "" if it means something else."""
    if not isinstance(error, errors()):
        return ""
    told = translate(error, location)
    if isinstance(told, DiskFullError | ReadOnlyStoreError):
        return str(told)
    return str(told) if getattr(error, "sqlite_errorcode", None) in _FAILED_WRITES else ""


def probe(connection: sqlite3.Connection, path: str, busy_timeout: float) -> str:
    """Why a write would fail now, or "": takes the write lock without waiting, and room that it gives back.

    Somebody else's lock is a good sign. Nothing of the store is changed. `busy_timeout` in seconds is what the
    connection has, and keeps.
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
    return "" if path == MEMORY else _no_room(path)


def _no_room(path: str) -> str:
    try:
        with tempfile.TemporaryFile(dir=Path(path).absolute().parent, buffering=0) as file:
            wanted = bytes(ROOM)
            written = file.write(wanted)
            # A disk that fills takes what fits, and fails at the rest.
            if written < len(wanted):
                file.write(wanted[written:])
    except OSError as error:
        # A folder that takes no new file says nothing about files that are open.
        if error.errno in _FULL:
            return f"{path}: no room left on the device. Free some space."
    return ""
