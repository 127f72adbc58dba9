"""What a memory consists of in the file, and what of it is left once it is erased.

What only this memory holds is looked for as bytes: pieces of its text, its rare words, names, vectors, hashes. Of
an encrypted file the rows are read, through the key.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from combray.language.indexing import index_entry
from combray.runtime import Trace
from combray.stores.sqlite.postings import indexed, read_holding
from combray.stores.sqlite.rows import SELECT, to_memory
from combray.types import CATEGORIES, EDGE_TYPES, KINDS, STATUSES, TIERS, TRUSTS, Memory

PIECE = 16
"""Characters of a piece of text: any 31 in a row that are left hold a whole one."""
_MOST_PIECES = 64
_MOST_WORDS = 128
_LEAST_BYTES = 5
"""Shorter byte strings stand in any large file by chance."""
_WORD = re.compile(r"\w+")
_PLACES = {
    "memory": "key",
    "version": "key",
    "label": "key",
    "edge": "source",
    "edge ": "target",
    "vector": "key",
    "chunk": "key",
    "doubt": "first",
    "doubt ": "second",
    "embed_job": "key",
}
"""Tables that name memories, and by which column."""
_TEXTS = (
    "SELECT content, context, tags, entities, author, source, session, metadata FROM memory",
    "SELECT before, actor FROM version",
    "SELECT reason, subtype FROM edge",
    "SELECT root, path FROM document",
    "SELECT name FROM namespace UNION SELECT name FROM model",
    "SELECT name FROM operation UNION SELECT operation FROM version UNION SELECT name FROM setting",
    "SELECT sql FROM sqlite_master",
)
"""Where the same words stand by right: in other memories, names, and the remarks of the schema."""
_NOTED = "added skipped replaced memories edges restored refused known jobs queued moved unmerged remember"
_OWN = " ".join((*STATUSES, *KINDS, *CATEGORIES, *TIERS, *TRUSTS, *EDGE_TYPES, _NOTED))
"""Words that the store writes of itself: as values of columns, and in the details of the operation log."""
_HASHES = (
    "SELECT 1 FROM memory WHERE content_hash = ? LIMIT 1",
    "SELECT 1 FROM chunk WHERE hash = ? LIMIT 1",
    "SELECT 1 FROM document WHERE hash = ? LIMIT 1",
)
"""Where the hash of the same text stands by right."""
_AT_ONCE = 1 << 20
"""Bytes of rows that are searched together."""


def traces(connection: sqlite3.Connection, number: int, namespace: str, key: int) -> list[Trace]:
    """Bytes that stand for the memory, most telling first; those that others hold too are among them."""
    row = connection.execute(f"{SELECT} WHERE namespace = ? AND key = ?", (number, key)).fetchone()
    if row is None:
        return []
    memory = to_memory(row[1:], namespace)
    found = [Trace("id", memory.id.encode()), Trace("hash", memory.content_hash.encode())]
    found += [
        Trace("hash", row[0].encode())
        for row in connection.execute(
            "SELECT hash FROM chunk WHERE key = ?1 "
            "UNION SELECT d.hash FROM chunk AS c JOIN document AS d ON d.id = c.document WHERE c.key = ?1",
            (key,),
        )
    ]
    found += [
        Trace("vector", row[0]) for row in connection.execute("SELECT code FROM vector WHERE key = ?", (key,))
    ]
    found += _named(memory)
    earlier = [
        text
        for (before,) in connection.execute("SELECT before FROM version WHERE key = ?", (key,))
        for text in _strings(msgspec.json.decode(before))
    ]
    texts = [memory.content, memory.context, *_strings(dict(memory.metadata))]
    found += [Trace("text", piece) for text in texts for piece in _pieces(text)]
    found += [Trace("version", piece) for text in earlier for piece in _pieces(text)]
    found += [Trace("word", word) for word in _rare_words(connection, number, memory)]
    return list(dict.fromkeys(each for each in found if len(each.value) >= _LEAST_BYTES))


def _named(memory: Memory) -> Iterator[Trace]:
    for kind, names in (("entity", memory.entities), ("tag", memory.tags), ("author", [memory.author or ""])):
        for name in names:
            yield from (Trace(kind, spelling.encode()) for spelling in (name, name.casefold()))


def _strings(value: Any) -> Iterator[str]:
    """Every text in a decoded JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _pieces(text: str) -> list[bytes]:
    """Pieces of a text, spread over all of it when it is long; a short text whole."""
    pieces = [text[at : at + PIECE] for at in range(0, max(1, len(text) - PIECE + 1), PIECE)]
    step = max(1, -(-len(pieces) // _MOST_PIECES))
    return [piece.encode("utf-8", "surrogatepass") for piece in pieces[::step]]


def _rare_words(connection: sqlite3.Connection, number: int, memory: Memory) -> Iterator[bytes]:
    """Words as they stand, and index terms, that no other memory of the namespace holds."""
    entry = index_entry(memory)
    terms = dict.fromkeys(term for field in entry.fields for term in field)
    rare = [term for term in terms if read_holding(connection, indexed(number, term)) == 1]
    spelt = dict.fromkeys(_WORD.findall(f"{memory.content} {memory.context}"))
    # A word and its term begin alike, whatever inflection was cut off.
    words = [word for word in spelt if any(word.casefold().startswith(term[:4]) for term in rare)]
    yield from (word.encode() for word in [*rare, *words][:_MOST_WORDS])


def rows_left(connection: sqlite3.Connection, key: int) -> list[str]:
    """Tables with rows that name the key."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    left = []
    for place, column in _PLACES.items():
        table = place.strip()
        held = (
            table in tables
            and connection.execute(f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1", (key,)).fetchone()
        )
        if held:
            left.append(table)
    return list(dict.fromkeys(left))


def shared(connection: sqlite3.Connection, wanted: Sequence[Trace]) -> set[Trace]:
    """Those that stand in what other memories hold, in any case of letters."""
    texts = {each: _folded(each.value) for each in wanted if each.kind not in ("vector", "hash", "id")}
    found = {each for each, value in texts.items() if value in _OWN}
    for sql in _TEXTS:
        for row in connection.execute(sql):
            if not texts:
                break
            texts = {each: value for each, value in texts.items() if each not in found}
            text = "\x00".join(part for part in row if part).casefold()
            found.update(each for each, value in texts.items() if value in text)
    hashes = [each for each in wanted if each.kind == "hash"]
    found.update(each for each in hashes if _is_hash_held(connection, each.value.decode()))
    vectors = [each for each in wanted if each.kind == "vector"]
    found.update(each for each in vectors if _is_held(connection, each.value))
    return found


def rows_holding(
    connection: sqlite3.Connection, number: int, wanted: Sequence[Trace], *, everywhere: bool
) -> list[tuple[str, Trace]]:
    """What rows still hold: (table, trace). Terms are looked up in the keyword index, which stores them in parts
    that no search for bytes would find; with `everywhere` every row of every table is read besides.
    """
    words = [each for each in wanted if each.kind == "word"]
    held = [
        ("term_index", each)
        for each in words
        if read_holding(connection, indexed(number, each.value.decode("utf-8", "surrogatepass")))
    ]
    if everywhere:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        for (table,) in tables.fetchall():
            held += ((table, each) for each in _held_in(connection, table, wanted))
    return list(dict.fromkeys(held))


def _held_in(connection: sqlite3.Connection, table: str, wanted: Sequence[Trace]) -> list[Trace]:
    found: dict[Trace, None] = {}
    rows: list[bytes] = []
    size = 0

    def search() -> None:
        block = b"\x00".join(rows)
        found.update((each, None) for each in wanted if each not in found and each.value in block)

    for row in connection.execute(f'SELECT * FROM "{table}"'):
        for value in row:
            if isinstance(value, (str, bytes)):
                rows.append(value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass"))
                size += len(rows[-1])
        if size > _AT_ONCE:
            search()
            rows, size = [], 0
    search()
    return list(found)


def _is_hash_held(connection: sqlite3.Connection, digest: str) -> bool:
    return any(connection.execute(sql, (digest,)).fetchone() for sql in _HASHES)


def _is_held(connection: sqlite3.Connection, code: bytes) -> bool:
    return connection.execute("SELECT 1 FROM vector WHERE code = ? LIMIT 1", (code,)).fetchone() is not None


def _folded(value: bytes) -> str:
    return value.decode("utf-8", "replace").casefold()


def files(path: str) -> list[str]:
    """Files beside the store whose names begin with its name."""
    place = Path(path).absolute()
    return sorted(str(each) for each in _beside(place) if each.is_file())


def _beside(place: Path) -> Iterable[Path]:
    return (each for each in place.parent.iterdir() if each.name.startswith(place.name))
