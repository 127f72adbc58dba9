"""Erasure: removes a memory's row, versions, index terms, vectors, edges and every mention of its id.

`secure_delete` zeroes freed pages. The full-text index is rewritten, because its tombstones would keep the words.
SQLite also leaves copies of moved cells in the unused part of pages and never clears them, so the file is
rewritten after the commit and the write-ahead log truncated (`finish`). The table `setting` records pending work.
After a killed process, a full disk or a reader in another process, the next write or opening finishes it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from combray.language.indexing import index_entry
from combray.runtime.queue import OMITTED
from combray.stores.mentions import cleaner
from combray.stores.rows import listed, to_memory
from combray.stores.sqlite import indexes, sql
from combray.stores.sqlite.encryption import errors

_DUE = "erased"
"""The setting that names what may still contain erased bytes: the file or the log."""
_FILE, _LOG = "file", "log"


def erase(connection: sqlite3.Connection, number: int, namespace: str, keys: Iterable[int]) -> list[str]:
    """Remove the memories from all tables and the index, in one pass over each. Return their ids."""
    rows = connection.execute(sql.memories.whole, (number, listed(keys))).fetchall()
    if not rows:
        return []
    memories = [to_memory(row, namespace) for row in rows]
    found, ids = listed(row[0] for row in rows), [memory.id for memory in memories]
    entries = [(row[0], index_entry(memory)) for row, memory in zip(rows, memories, strict=True)]
    indexes.remove(connection, number, entries)
    for statement in (
        sql.erasure.remove_versions,
        sql.erasure.forget_file_hashes,
        sql.erasure.remove_chunks,
        sql.erasure.remove_edges,
        sql.erasure.remove_vectors,
        sql.erasure.remove_memories,
    ):
        connection.execute(statement, (found,))
    _forget_mentions(connection, number, ids)
    connection.execute(sql.terms.rewrite)
    connection.execute(sql.namespaces.grow_epoch, (number,))
    connection.execute(sql.erasure.forget_errors, (number, OMITTED))
    connection.execute(sql.settings.put, (_DUE, _FILE))
    return ids


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


def _forget_mentions(connection: sqlite3.Connection, number: int, ids: Sequence[str]) -> None:
    """Remove the ids from other memories, their versions and the operation log."""
    for statement in (
        sql.erasure.forget_replaced,
        sql.erasure.forget_replacement,
        sql.erasure.forget_merge,
        sql.erasure.forget_evidence,
        sql.erasure.forget_operations,
    ):
        connection.execute(statement, (number, listed(ids)))
    cleaned = cleaner(ids)
    texts = connection.execute(sql.versions.texts, (number,)).fetchall()
    changed = [(*place, new) for *place, text in texts if (new := cleaned(text)) != text]
    connection.executemany(sql.versions.set_text, changed)
    details = connection.execute(sql.erasure.operation_details, (number,)).fetchall()
    changed = [(place, new) for place, text in details if (new := cleaned(text)) != text]
    connection.executemany(sql.erasure.set_operation_detail, changed)
