"""Erasure from the file: what a transaction has removed must not stay in unused parts of pages.

`secure_delete` zeroes freed pages. The full-text index is rewritten, because its tombstones would keep the words.
SQLite also leaves copies of moved cells in the unused part of pages and never clears them, so the file is
rewritten after the commit and the write-ahead log truncated (`finish`). The table `setting` records pending work.
After a killed process, a full disk or a reader in another process, the next write or opening finishes it.
"""

from __future__ import annotations

import sqlite3

from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.sql import sql

_DUE = "erased"
"""The setting that names what may still contain erased bytes: the file or the log."""
_FILE, _LOG = "file", "log"


def note_due(connection: sqlite3.Connection) -> None:
    """Note that the file contains erased bytes until it is rewritten."""
    connection.execute(sql.settings.put, (_DUE, _FILE))


def finish(connection: sqlite3.Connection) -> bool:
    """Rewrite the file if something was erased, then checkpoint and truncate the write-ahead log.

    Return False if that is not possible now: the disk is full, or another reader uses the log. Requires a file
    and no open transaction.
    """
    try:
        due = connection.execute(sql.settings.get, (_DUE,)).fetchone()
        if due is not None and due[0] == _FILE:
            connection.execute("VACUUM")
            connection.execute(sql.settings.put, (_DUE, _LOG))
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return False
        if due is not None:
            connection.execute(sql.settings.drop, (_DUE,))
    except errors("OperationalError"):
        return False
    return True


def is_due(connection: sqlite3.Connection) -> bool:
    """Return whether the file may still contain erased bytes."""
    return connection.execute(sql.settings.get, (_DUE,)).fetchone() is not None
