"""The witness of a transaction, and its text, which is stored in the same commit."""

from __future__ import annotations

import sqlite3

from combray.runtime import Witness
from combray.stores.sqlite import sql
from combray.stores.sqlite.writer import SqliteWriter

_HEAD = "audit_head"


def kept(connection: sqlite3.Connection) -> str:
    """Return the text stored for the witness; "" before the first."""
    row = connection.execute(sql.settings.get, (_HEAD,)).fetchone()
    return "" if row is None else str(row[0])


def tell(connection: sqlite3.Connection, witness: Witness, writer: SqliteWriter) -> None:
    """Report the pending commit. Raises StoreError if the witness forbids it."""
    known = kept(connection)
    wanted = witness.committing(writer.namespace, writer.witnessed(), known)
    if wanted != known:
        connection.execute(sql.settings.put, (_HEAD, wanted))


def forget(copy: sqlite3.Connection) -> None:
    """Remove the head from a copy, which starts its own audit."""
    copy.execute(sql.settings.drop, (_HEAD,))
    copy.commit()
