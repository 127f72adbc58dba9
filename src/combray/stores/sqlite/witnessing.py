"""The witness of a transaction, and its text, which is stored in the same commit."""

from __future__ import annotations

import sqlite3

from combray.runtime import Witness
from combray.stores.sqlite import sql
from combray.stores.sqlite.writer import SqliteWriter

_HEAD = "audit_head"
_TAIL = "audit_tail:"
"""Before the number of an entry: lines of the audit that are in this file before they are flushed to the log."""
_AFTER = "audit_tail;"
"""The first text after all of these."""


def kept(connection: sqlite3.Connection) -> str:
    """Return the text stored for the witness; "" before the first."""
    row = connection.execute(sql.settings.get, (_HEAD,)).fetchone()
    return "" if row is None else str(row[0])


def unflushed(connection: sqlite3.Connection) -> str:
    """Return the lines of the audit that were committed here and may not be in the log after a power failure."""
    return "".join(row[0] for row in connection.execute(sql.settings.between, (_TAIL, _AFTER)))


def tell(connection: sqlite3.Connection, witness: Witness, writer: SqliteWriter) -> None:
    """Report the pending commit. Raises StoreError if the witness forbids it."""
    known, deeds = kept(connection), writer.witnessed()
    (deeds.kept,) = connection.execute(sql.settings.size_between, (_TAIL, _AFTER)).fetchone()
    wanted = witness.committing(writer.namespace, deeds, known)
    if wanted == known:
        return
    connection.execute(sql.settings.put, (_HEAD, wanted))
    if deeds.kept is not None and not deeds.unflushed:
        connection.execute(sql.settings.drop_between, (_TAIL, _AFTER))
    if deeds.unflushed is not None:
        connection.execute(sql.settings.put, (f"{_TAIL}{deeds.seq:020}", deeds.unflushed))


def forget(copy: sqlite3.Connection) -> None:
    """Remove the head and the lines from a copy, which starts its own audit."""
    copy.execute(sql.settings.drop, (_HEAD,))
    copy.execute(sql.settings.drop_between, (_TAIL, _AFTER))
    copy.commit()
