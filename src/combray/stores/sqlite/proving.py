"""Proof of erasure: the bytes that only the erased memories contain, and where they are still found.

These are pieces of text, rare words, names, vectors and hashes. Of an encrypted file the rows are searched, with
the key.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from combray.language.indexing import index_entry
from combray.language.substrings import occurring
from combray.runtime import Trace
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import term
from combray.stores.sqlite.postings import read_holding
from combray.stores.sqlite.rows import to_memory
from combray.stores.sqlite.sql import listed
from combray.types import CATEGORIES, EDGE_TYPES, KINDS, STATUSES, TIERS, TRUSTS, Memory

PIECE = 16
"""Characters of a piece of text. Any 31 consecutive characters contain a whole piece."""
_MOST_PIECES = 64
_MOST_WORDS = 128
_LEAST_BYTES = 5
"""Shorter byte strings occur in any large file by chance."""
_LEAST_DIGITS = 9
"""Shorter numbers too: ids and hashes are full of digits."""
_WORD = re.compile(r"\w+")
_NOTED = "added skipped replaced memories edges restored refused known jobs queued moved unmerged remember"
_OWN = " ".join((*STATUSES, *KINDS, *CATEGORIES, *TIERS, *TRUSTS, *EDGE_TYPES, _NOTED))
"""Words that the store itself writes: values of columns, and details of the operation log."""


def traces(connection: sqlite3.Connection, number: int, namespace: str, keys: Sequence[int]) -> list[Trace]:
    """Return the bytes of the memories, including those that other memories contain too."""
    rows = connection.execute(sql.memories.whole, (number, listed(keys))).fetchall()
    memories = [to_memory(row, namespace) for row in rows]
    wanted = (listed(row[0] for row in rows),)
    befores = [msgspec.json.decode(row[0]) for row in connection.execute(sql.versions.of_keys, wanted)]
    strings = {memory.id: dict.fromkeys(_strings(dict(memory.metadata))) for memory in memories}
    versions = dict.fromkeys(text for before in befores for text in _strings(before))
    # The id of an episode that a fact was distilled from is no text: the audit holds ids by right.
    named = dict.fromkeys(chain(versions, *strings.values()))
    ids = {row[0] for row in connection.execute(sql.erasure.ids_among, (number, listed(named)))}
    found: list[Trace] = []
    for memory in memories:
        found += [Trace("id", memory.id.encode()), Trace("hash", memory.content_hash.encode()), *_named(memory)]
        told = (memory.content, memory.context, *(each for each in strings[memory.id] if each not in ids))
        found += (Trace("text", piece) for text in told for piece in _pieces(text))
    found += (Trace("hash", row[0].encode()) for row in connection.execute(sql.erasure.hashes, wanted))
    found += (Trace("vector", row[0]) for row in connection.execute(sql.erasure.codes, wanted))
    found += (Trace("version", piece) for text in versions if text not in ids for piece in _pieces(text))
    found += (Trace("word", word) for word in _rare_words(connection, number, memories))
    return list(dict.fromkeys(each for each in found if len(each.value) >= _LEAST_BYTES))


def _named(memory: Memory) -> Iterator[Trace]:
    single = (("author", [memory.author or ""]), ("slot", [memory.slot or ""]))
    aliases = [each for listed in memory.aliases.values() for each in listed]
    for kind, names in (("entity", (*memory.entities, *memory.aliases, *aliases)), ("tag", memory.tags), *single):
        for name in names:
            yield from (Trace(kind, spelling.encode()) for spelling in (name, name.casefold()))


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in a decoded JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _pieces(text: str) -> list[bytes]:
    """Return pieces spread over a long text; a short text whole."""
    pieces = [text[at : at + PIECE] for at in range(0, max(1, len(text) - PIECE + 1), PIECE)]
    step = max(1, -(-len(pieces) // _MOST_PIECES))
    return [piece.encode("utf-8", "surrogatepass") for piece in pieces[::step]]


def _rare_words(connection: sqlite3.Connection, number: int, memories: Sequence[Memory]) -> Iterator[bytes]:
    """Yield the words and index terms that no other memory of the namespace contains."""
    held = [dict.fromkeys(each for field in index_entry(memory).fields for each in field) for memory in memories]
    counts = Counter(each for some in held for each in some)
    rare_of_all = {each for each, n in counts.items() if read_holding(connection, term(number, each)) == n}
    for memory, terms in zip(memories, held, strict=True):
        yield from telling_words(memory, [each for each in terms if each in rare_of_all])


def telling_words(memory: Memory, rare: Sequence[str]) -> list[bytes]:
    """Return the rare terms of a memory and its words that begin like one of them."""
    # A word and its stem have the same beginning.
    beginnings = tuple({each[:4] for each in rare})
    spelt = dict.fromkeys(_WORD.findall(f"{memory.content} {memory.context}"))
    words = [word for word in spelt if word.casefold().startswith(beginnings)]
    # A short number occurs by chance, as part of an id and the number behind it in a page.
    telling = [each for each in (*rare, *words) if len(each) >= _LEAST_DIGITS or not each.isdigit()]
    return [word.encode() for word in telling[:_MOST_WORDS]]


def rows_left(connection: sqlite3.Connection, keys: Sequence[int]) -> list[str]:
    """Return the tables with rows that name one of the keys."""
    return [row[0] for row in connection.execute(sql.erasure.rows_left, (listed(keys),))]


def shared(connection: sqlite3.Connection, wanted: Sequence[Trace]) -> set[Trace]:
    """Return the traces that other memories contain too, in any letter case."""
    texts = [each for each in wanted if each.kind not in ("vector", "hash", "id")]
    spelt = [each.value.decode("utf-8", "replace").casefold() for each in texts]
    folded = [each.encode("utf-8", "surrogatepass") for each in spelt]
    kept = (sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names)
    rows = chain.from_iterable(map(connection.execute, kept))
    # In the file the columns of a row touch: the end of an id and the start of a text can spell a word.
    held = (
        separator.join(part for part in row if part).casefold().encode("utf-8", "surrogatepass")
        for row in chain(rows, connection.execute(sql.erasure.schema_texts))
        for separator in ("\0", "")
    )
    found = {texts[place] for place in occurring(folded, chain((_OWN.encode(),), held))}
    exact = {each.value: each for each in wanted if each.kind in ("hash", "vector")}
    hashes = (row[0].encode() for row in connection.execute(sql.erasure.hashes_held))
    codes = (row[0] for row in connection.execute(sql.erasure.codes_held))
    return found | {exact[value] for value in chain(hashes, codes) if value in exact}


def rows_holding(
    connection: sqlite3.Connection, number: int, wanted: Sequence[Trace], *, everywhere: bool
) -> list[tuple[str, Trace]]:
    """Return (table, trace) for traces found in rows.

    Terms are looked up in the keyword index, whose storage no search for bytes can read. With `everywhere` every
    row of every table is searched too.
    """
    words = [each for each in wanted if each.kind == "word"]
    held = [
        ("term_index", each)
        for each in words
        if read_holding(connection, term(number, each.value.decode("utf-8", "surrogatepass")))
    ]
    if everywhere:
        for (table,) in connection.execute(sql.erasure.tables).fetchall():
            held += ((table, each) for each in _held_in(connection, table, wanted))
    return list(dict.fromkeys(held))


def _held_in(connection: sqlite3.Connection, table: str, wanted: Sequence[Trace]) -> list[Trace]:
    rows = connection.execute(sql.erasure.table_rows.format(table=table))
    blocks = (
        value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        for row in rows
        for value in row
        if isinstance(value, (str, bytes))
    )
    return [wanted[place] for place in sorted(occurring([each.value for each in wanted], blocks))]


def files(path: str) -> list[str]:
    """Return the files whose names start with the store's."""
    place = Path(path).absolute()
    beside = (each for each in place.parent.iterdir() if each.name.startswith(place.name))
    return sorted(str(each) for each in beside if each.is_file())
