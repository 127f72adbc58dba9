"""Erasing: the one thing that destroys. Row, versions, index terms, vectors, edges, mentions, log detail.

`secure_delete` is on for every connection, so freed pages are zeroed; the full-text index is rewritten, because
its tombstones would keep the words. That is not all: when SQLite moves cells between pages, it leaves copies of
them in the unused part of pages that stay in use, which it never clears. So the file is written anew after the
commit, and the write-ahead log emptied (`finish`). What is left to do of that stands in the table `setting`:
after a killed process, a full disk or a reader elsewhere the next write or the next opening does it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence

from combray.language.indexing import index_entry
from combray.runtime.queue import UNTOLD
from combray.stores.sqlite import indexes, sql
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.rows import to_memory
from combray.stores.sqlite.sql import listed

_DUE = "erased"
"""The setting that says what still holds bytes of what was erased."""
_FILE, _LOG = "file", "log"
_FEW = 8
"""So many ids are looked for in a text one by one."""


def erase(connection: sqlite3.Connection, number: int, namespace: str, keys: Iterable[int]) -> list[str]:
    """Remove every trace of the memories from the tables and the index, in one pass over each; their ids."""
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
    connection.execute(sql.erasure.forget_errors, (number, UNTOLD))
    connection.execute(sql.settings.put, (_DUE, _FILE))
    return ids


def finish(connection: sqlite3.Connection) -> bool:
    """Write the file anew if something was erased, then move the write-ahead log into it and truncate the log.

    False if it has to wait: the disk is full, or a long read elsewhere keeps the log in use. Outside of any
    transaction, on a file.
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
    """Whether something was erased and is not out of the file yet."""
    return connection.execute(sql.settings.get, (_DUE,)).fetchone() is not None


def _forget_mentions(connection: sqlite3.Connection, number: int, ids: Sequence[str]) -> None:
    """Take the ids out of other memories, their versions and the log."""
    for statement in (
        sql.erasure.forget_replaced,
        sql.erasure.forget_replacement,
        sql.erasure.forget_merge,
        sql.erasure.forget_evidence,
        sql.erasure.forget_operations,
    ):
        connection.execute(statement, (number, listed(ids)))
    cleaned = _cleaner(ids)
    texts = connection.execute(sql.versions.texts, (number,)).fetchall()
    changed = [(*place, new) for *place, text in texts if (new := cleaned(text)) != text]
    connection.executemany(sql.versions.set_text, changed)
    details = connection.execute(sql.erasure.operation_details, (number,)).fetchall()
    changed = [(place, new) for place, text in details if (new := cleaned(text)) != text]
    connection.executemany(sql.erasure.set_operation_detail, changed)


def _cleaner(ids: Sequence[str]) -> Callable[[str], str]:
    """A function that replaces every id in a text by the word "erased", the longest first."""
    by_length: dict[int, set[str]] = {}
    for each in sorted(ids, key=len, reverse=True):
        by_length.setdefault(len(each), set()).add(each)

    def cleaned(text: str) -> str:
        for length, some in by_length.items():
            if len(some) <= _FEW:
                found = {each for each in some if each in text}
            else:
                found = some.intersection(text[at : at + length] for at in range(len(text) - length + 1))
            for each in found:
                text = text.replace(each, "erased")
        return text

    return cleaned
