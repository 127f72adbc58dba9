"""Erasure: removes a memory's row, versions, index terms, vectors, edges and every mention of its id."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from combray.language.indexing import index_entry
from combray.runtime.queue import OMITTED
from combray.stores import indexes
from combray.stores.rows import to_json, to_memory, to_texts
from combray.stores.session import StoreSession

_FEW = 8
"""Up to this number of ids, each is searched for in a text separately."""


def erase(session: StoreSession, keys: Sequence[int]) -> list[str]:
    """Remove the memories from all tables and the index, in one pass over each. Return their ids."""
    sql = session.sql
    rows = session.of_rows(sql.memories.whole, list(keys))
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
        sql.erasure.remove_tokens,
        sql.erasure.remove_doubts,
        sql.erasure.remove_jobs,
        sql.erasure.remove_memories,
    ):
        session.of_later(statement, found)
    _forget_mentions(session, ids)
    session.of_later(sql.namespaces.grow_epoch)
    session.of_later(sql.erasure.forget_errors, OMITTED)
    return ids


def _forget_mentions(session: StoreSession, ids: list[str]) -> None:
    """Remove the ids from other memories, their versions and the operation log."""
    sql = session.sql
    for statement in (
        sql.erasure.forget_replaced,
        sql.erasure.forget_replacement,
        sql.erasure.forget_merge,
        sql.erasure.forget_operations,
    ):
        session.of_later(statement, ids)
    gone = set(ids)
    rests = [
        (key, to_json(tuple(each for each in named if each not in gone)))
        for key, text in session.of_rows(sql.erasure.evidence)
        if not gone.isdisjoint(named := to_texts("the evidence of a memory", text))
    ]
    session.of_each_later(sql.erasure.set_evidence, rests)
    cleaned = _cleaner(ids)
    texts = session.of_rows(sql.versions.texts)
    session.of_each_later(
        sql.versions.set_text, [(*at, new) for *at, text in texts if (new := cleaned(text)) != text]
    )
    details = session.of_rows(sql.erasure.operation_details)
    changed = [(place, new) for place, text in details if (new := cleaned(text)) != text]
    session.of_each_later(sql.erasure.set_operation_detail, changed)


def _cleaner(ids: Sequence[str]) -> Callable[[str], str]:
    """Return a function that replaces every id in a text by the word "erased", the longest first."""
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
