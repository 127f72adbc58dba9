"""Erasing: the one thing that destroys. Row, versions, index terms, vectors, edges, mentions, log detail.

`secure_delete` is on for every connection, so freed pages are zeroed; the full-text index is rewritten,
because its tombstones would keep the words; the caller empties the write-ahead log after the commit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from combray.indexing import index_entry
from combray.stores.sqlite import indexes
from combray.stores.sqlite.rows import SELECT, to_memory


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
    return erased


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
