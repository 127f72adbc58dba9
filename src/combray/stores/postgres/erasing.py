"""Erasure: removes a memory's row, versions, index terms, vectors, edges and every mention of its id.

PostgreSQL keeps deleted rows in a table's pages until a vacuum, and their bytes until the page is used again.
`rewrite` writes the tables anew. Neither reaches the write-ahead log, archives, replicas and backups: those keep
the bytes until they are recycled (docs/howto/use-postgresql.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from psycopg import Error

from combray.language.indexing import index_entry
from combray.runtime.queue import OMITTED
from combray.stores.mentions import cleaner
from combray.stores.postgres import indexes, sql
from combray.stores.postgres.session import Session
from combray.stores.rows import to_json, to_memory

_texts = msgspec.json.Decoder(tuple[str, ...]).decode


def erase(session: Session, keys: Iterable[int]) -> list[str]:
    """Remove the memories from all tables. Return their ids."""
    rows = session.of_rows(sql.memories.whole, [int(key) for key in keys])
    if not rows:
        return []
    memories = [to_memory(row, session.name) for row in rows]
    found, ids = [row[0] for row in rows], [memory.id for memory in memories]
    indexes.remove(session, [(row[0], index_entry(memory)) for row, memory in zip(rows, memories, strict=True)])
    for statement in (
        sql.erasure.remove_versions,
        sql.erasure.forget_file_hashes,
        sql.erasure.remove_chunks,
        sql.erasure.remove_edges,
        sql.erasure.remove_vectors,
        sql.erasure.remove_doubts,
        sql.erasure.remove_jobs,
        sql.erasure.remove_memories,
    ):
        session.of_later(statement, found)
    _forget_mentions(session, ids)
    session.of_later(sql.namespaces.grow_epoch)
    session.of_later(sql.erasure.forget_errors, OMITTED)
    return ids


def rewrite(session: Session) -> bool:
    """Write the tables and indexes anew, without deleted rows. Return False if that is not possible now."""
    try:
        session.connection.execute(sql.erasure.rewrite.encode())
    except Error:
        return False
    return True


def _forget_mentions(session: Session, ids: Sequence[str]) -> None:
    """Remove the ids from other memories, their versions and the operation log."""
    for statement in (
        sql.erasure.forget_replaced,
        sql.erasure.forget_replacement,
        sql.erasure.forget_merge,
        sql.erasure.forget_operations,
    ):
        session.of_later(statement, list(ids))
    gone = set(ids)
    rests = [
        (key, to_json(tuple(each for each in named if each not in gone)))
        for key, text in session.of_rows(sql.erasure.evidence)
        if not gone.isdisjoint(named := _texts(text))
    ]
    session.of_each_later(sql.erasure.set_evidence, rests)
    cleaned = cleaner(ids)
    texts = session.of_rows(sql.versions.texts)
    session.of_each_later(
        sql.versions.set_text, [(*at, new) for *at, text in texts if (new := cleaned(text)) != text]
    )
    details = session.of_rows(sql.erasure.operation_details)
    changed = [(place, new) for place, text in details if (new := cleaned(text)) != text]
    session.of_each_later(sql.erasure.set_operation_detail, changed)
