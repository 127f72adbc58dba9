"""Proof of erasure: the bytes that only the erased memories contain, and the rows where they are still found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec

from combray.language.indexing import index_entry
from combray.language.substrings import occurring
from combray.runtime import Trace
from combray.stores.postgres import sql
from combray.stores.postgres.session import Session
from combray.stores.sqlite.proving import _LEAST_BYTES, _OWN, _named, _pieces, _strings, telling_words
from combray.stores.sqlite.rows import to_memory
from combray.types import Memory


def traces(session: Session, keys: Sequence[int]) -> list[Trace]:
    """Return the bytes of the memories, including those that other memories contain too."""
    rows = session.of_rows(sql.memories.whole, [int(key) for key in keys])
    memories = [to_memory(row, session.name) for row in rows]
    wanted = [row[0] for row in rows]
    befores = [msgspec.json.decode(row[0]) for row in session.of_rows(sql.versions.of_keys, wanted)]
    strings = {memory.id: dict.fromkeys(_strings(dict(memory.metadata))) for memory in memories}
    versions = dict.fromkeys(text for before in befores for text in _strings(before))
    # The id of an episode that a fact was distilled from is no text: the audit holds ids by right.
    named = dict.fromkeys(chain(versions, *strings.values()))
    ids = {row[0] for row in session.of_rows(sql.memories.ids_among, list(named))}
    found: list[Trace] = []
    for memory in memories:
        found += [Trace("id", memory.id.encode()), Trace("hash", memory.content_hash.encode()), *_named(memory)]
        told = (memory.content, memory.context, *(each for each in strings[memory.id] if each not in ids))
        found += (Trace("text", piece) for text in told for piece in _pieces(text))
    found += (Trace("hash", row[0].encode()) for row in session.of_rows(sql.erasure.hashes, wanted))
    found += (Trace("vector", row[0]) for row in session.of_rows(sql.erasure.codes, wanted))
    found += (Trace("version", piece) for text in versions if text not in ids for piece in _pieces(text))
    found += (Trace("word", word) for word in _rare_words(session, memories))
    return list(dict.fromkeys(each for each in found if len(each.value) >= _LEAST_BYTES))


def _rare_words(session: Session, memories: Sequence[Memory]) -> Iterator[bytes]:
    """Yield the words and index terms that no other memory of the namespace contains."""
    held = [dict.fromkeys(each for field in index_entry(memory).fields for each in field) for memory in memories]
    counts = Counter(each for some in held for each in some)
    everywhere: dict[str, int] = dict(session.of_rows(sql.terms.holding, list(counts)))
    rare = {each for each, count in counts.items() if everywhere.get(each) == count}
    for memory, terms in zip(memories, held, strict=True):
        yield from telling_words(memory, [each for each in terms if each in rare])


def rows_left(session: Session, keys: Sequence[int]) -> list[str]:
    """Return the tables with rows that name one of the keys."""
    return [row[0] for row in session.rows(sql.erasure.rows_left, [int(key) for key in keys])]


def shared(session: Session, wanted: Sequence[Trace]) -> set[Trace]:
    """Return the traces that other memories contain too, in any letter case."""
    texts = [each for each in wanted if each.kind not in ("vector", "hash", "id")]
    spelt = [each.value.decode("utf-8", "replace").casefold() for each in texts]
    folded = [each.encode("utf-8", "surrogatepass") for each in spelt]
    kept = (sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names)
    rows = chain.from_iterable(map(session.rows, kept))
    held = ("\0".join(part for part in row if part).casefold().encode("utf-8", "surrogatepass") for row in rows)
    found = {texts[place] for place in occurring(folded, chain((_OWN.encode(),), held))}
    exact = {each.value: each for each in wanted if each.kind in ("hash", "vector")}
    hashes = (row[0].encode() for row in session.rows(sql.erasure.hashes_held))
    codes = (row[0] for row in session.rows(sql.erasure.codes_held))
    return found | {exact[value] for value in chain(hashes, codes) if value in exact}


def rows_holding(session: Session, wanted: Sequence[Trace], *, everywhere: bool) -> list[tuple[str, Trace]]:
    """Return (table, trace) for traces found in rows; with `everywhere` in every row of every table."""
    words = {each.value.decode("utf-8", "surrogatepass"): each for each in wanted if each.kind == "word"}
    present: dict[str, int] = dict(session.of_rows(sql.terms.holding, list(words))) if words else {}
    held = [("posting", trace) for word, trace in words.items() if present.get(word)]
    if everywhere:
        for (table,) in session.rows(sql.erasure.tables):
            rows = session.rows(sql.erasure.table_rows.format(table=table))
            blocks = (
                value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
                for row in rows
                for value in row
                if isinstance(value, (str, bytes))
            )
            held += ((table, wanted[at]) for at in sorted(occurring([each.value for each in wanted], blocks)))
    return list(dict.fromkeys(held))
