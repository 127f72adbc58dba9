"""The witness of a transaction, and its text, which is stored in the same commit."""

from __future__ import annotations

import sqlite3

from combray.records import dataclass
from combray.runtime import Witness
from combray.stores.sqlite.sql import sql
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


@dataclass(slots=True)
class UnflushedTail:
    """The size of the unflushed lines in this file, as it is with a head. Summing it up reads every line."""

    head: str = ""
    size: int | None = None

    def of(self, connection: sqlite3.Connection, head: str) -> int | None:
        """Return the characters of the lines; None for no line. Every change of the lines changes the head."""
        if not head or head != self.head:
            (self.size,) = connection.execute(sql.settings.size_between, (_TAIL, _AFTER)).fetchone()
            self.head = head
        return self.size


def tell(connection: sqlite3.Connection, witness: Witness, writer: SqliteWriter, tail: UnflushedTail) -> None:
    """Report the pending commit. Raises StoreError if the witness forbids it."""
    known, deeds = kept(connection), writer.witnessed()
    deeds.kept = tail.of(connection, known)
    wanted = witness.committing(writer.namespace, deeds, known)
    if wanted == known:
        return
    # If the commit fails, the file keeps the head before it, and the size is read again.
    tail.head = wanted
    tail.size = None
    if deeds.unflushed is not None:
        tail.size = (deeds.kept or 0) + len(deeds.unflushed) if deeds.unflushed else 0
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
