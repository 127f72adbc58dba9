"""Erasing: the one thing that destroys. Row, versions, index terms, vectors, edges, mentions, log detail.

`secure_delete` is on for every connection, so freed pages are zeroed; the full-text index is rewritten, because
its tombstones would keep the words. That is not all: when SQLite moves cells between pages, it leaves copies of
them in the unused part of pages that stay in use, which it never clears. So the file is written anew after the
commit, and the write-ahead log emptied (`finish`). What is left to do of that stands in the table `setting`, so
that a killed process, a full disk or a reader elsewhere only puts it off: to the next write, or the next opening.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from combray.language.indexing import index_entry
from combray.runtime.queue import UNTOLD
from combray.stores.sqlite import indexes
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.rows import SELECT, to_memory

_DUE = "INSERT OR REPLACE INTO setting (name, value) VALUES ('erased', ?)"
_IS_DUE = "SELECT value FROM setting WHERE name = 'erased'"
_DONE = "DELETE FROM setting WHERE name = 'erased'"
_FILE, _LOG = "file", "log"
"""What still holds bytes of what was erased."""


def erase(connection: sqlite3.Connection, number: int, namespace: str, keys: Sequence[int]) -> int:
    """Remove every trace of the memories from the tables and the index; how many there were."""
    erased = 0
    for key in keys:
        row = connection.execute(f"{SELECT} WHERE namespace = ? AND key = ?", (number, key)).fetchone()
        if row is None:
            continue
        erased += 1
        memory = to_memory(row[1:], namespace)
        indexes.remove(connection, number, key, index_entry(memory))
        for sql in (
            "DELETE FROM version WHERE key = ?1",
            # A short file could be guessed by its hash; its size and time still tell when it changes.
            "UPDATE document SET hash = '' WHERE id IN (SELECT document FROM chunk WHERE key = ?1)",
            "DELETE FROM chunk WHERE key = ?1",
            "DELETE FROM edge WHERE source = ?1 OR target = ?1",
            "DELETE FROM vector WHERE key = ?1",
            "DELETE FROM memory WHERE key = ?1",
        ):
            connection.execute(sql, (key,))
        _forget_mentions(connection, number, memory.id)
    if erased:
        connection.execute("INSERT INTO term_index (term_index) VALUES ('optimize')")
        connection.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?", (number,))
        connection.execute("UPDATE embed_job SET error = ? WHERE namespace = ? AND error <> ''", (UNTOLD, number))
        connection.execute(_DUE, (_FILE,))
    return erased


def finish(connection: sqlite3.Connection) -> bool:
    """Write the file anew if something was erased, then move the write-ahead log into it and cut that to nothing.

    False if it has to wait: the disk is full, or a long read elsewhere keeps the log in use. Outside of any
    transaction, on a file.
    """
    try:
        due = connection.execute(_IS_DUE).fetchone()
        if due is not None and due[0] == _FILE:
            connection.execute("VACUUM")
            connection.execute(_DUE, (_LOG,))
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return False
        if due is not None:
            connection.execute(_DONE)
    except errors("OperationalError"):
        return False
    return True


def is_due(connection: sqlite3.Connection) -> bool:
    """Whether something was erased and is not out of the file yet."""
    return connection.execute(_IS_DUE).fetchone() is not None


def _forget_mentions(connection: sqlite3.Connection, number: int, memory_id: str) -> None:
    """Take the id out of other memories, their versions and the log."""
    for column in ("supersedes", "superseded_by", "merged_into"):
        connection.execute(
            f"UPDATE memory SET {column} = NULL WHERE namespace = ? AND {column} = ?", (number, memory_id)
        )
    connection.execute(
        "UPDATE memory SET evidence = "
        "(SELECT json_group_array(value) FROM json_each(evidence) WHERE value <> ?2) "
        "WHERE namespace = ?1 AND instr(evidence, ?2)",
        (number, memory_id),
    )
    connection.execute(
        "UPDATE version SET before = replace(before, ?2, 'erased') "
        "WHERE instr(before, ?2) AND key IN (SELECT key FROM memory WHERE namespace = ?1)",
        (number, memory_id),
    )
    connection.execute(
        "UPDATE operation SET memory_id = 'erased', detail = '' WHERE namespace = ?1 AND memory_id = ?2",
        (number, memory_id),
    )
    connection.execute(
        "UPDATE operation SET detail = replace(detail, ?2, 'erased') WHERE namespace = ?1 AND instr(detail, ?2)",
        (number, memory_id),
    )
