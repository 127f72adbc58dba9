"""Reporting a transaction to the witness, and keeping the witness's text in the same commit."""

from __future__ import annotations

import sqlite3

from combray.runtime import Witness
from combray.stores.sqlite import sql
from combray.stores.sqlite.writer import SqliteWriter

_HEAD = "audit_head"


def kept(connection: sqlite3.Connection) -> str:
    """The text kept for the witness; "" before the first."""
    row = connection.execute(sql.settings.get, (_HEAD,)).fetchone()
    return "" if row is None else str(row[0])


def tell(connection: sqlite3.Connection, witness: Witness, writer: SqliteWriter) -> None:
    """Report what is about to be committed. Raises StoreError when the witness forbids it."""
    known = kept(connection)
    wanted = witness.committing(writer.namespace, writer.witnessed(), known)
    if wanted != known:
        connection.execute(sql.settings.put, (_HEAD, wanted))


def forget(copy: sqlite3.Connection) -> None:
    """A copy begins an audit of its own: remove this one's head."""
    copy.execute(sql.settings.drop, (_HEAD,))
    copy.commit()
