"""Telling the witness what a transaction has done, and keeping what it wants kept, in the same commit."""

from __future__ import annotations

import sqlite3

from combray.runtime import Witness
from combray.stores.sqlite.writer import SqliteWriter

_KEPT = "SELECT value FROM setting WHERE name = 'audit_head'"
_KEEP = "INSERT OR REPLACE INTO setting (name, value) VALUES ('audit_head', ?)"
_FORGET = "DELETE FROM setting WHERE name = 'audit_head'"


def kept(connection: sqlite3.Connection) -> str:
    """The text kept for the witness; "" before the first."""
    row = connection.execute(_KEPT).fetchone()
    return "" if row is None else str(row[0])


def tell(connection: sqlite3.Connection, witness: Witness, writer: SqliteWriter) -> None:
    """Let the witness know what is about to be committed. Raises StoreError when it forbids it."""
    known = kept(connection)
    wanted = witness.committing(writer.namespace, writer.witnessed(), known)
    if wanted != known:
        connection.execute(_KEEP, (wanted,))


def forget(copy: sqlite3.Connection) -> None:
    """A copy begins a log of its own: it does not remember this one's."""
    copy.execute(_FORGET)
    copy.commit()
