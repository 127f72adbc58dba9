"""Proof of erasure: where the bytes of erased memories are still found.

Of an encrypted file the rows are searched, with the key.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from combray.runtime import Trace
from combray.stores import traces as tracing
from combray.stores.rows import listed, to_memory
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import term
from combray.stores.sqlite.postings import read_holding


def traces(connection: sqlite3.Connection, number: int, namespace: str, keys: Sequence[int]) -> list[Trace]:
    """Return the bytes of the memories, including those that other memories contain too."""
    rows = connection.execute(sql.memories.whole, (number, listed(keys))).fetchall()
    wanted = (listed(row[0] for row in rows),)

    def ids_among(texts: Sequence[str]) -> set[str]:
        return {row[0] for row in connection.execute(sql.erasure.ids_among, (number, listed(texts)))}

    def counts(terms: Sequence[str]) -> Mapping[str, int]:
        return {each: read_holding(connection, term(number, each)) for each in terms}

    held = tracing.Held(
        [row[0] for row in connection.execute(sql.versions.of_keys, wanted)],
        [row[0] for row in connection.execute(sql.erasure.hashes, wanted)],
        [row[0] for row in connection.execute(sql.erasure.codes, wanted)],
        ids_among,
        counts,
    )
    return tracing.traces([to_memory(row, namespace) for row in rows], held)


def rows_left(connection: sqlite3.Connection, keys: Sequence[int]) -> list[str]:
    """Return the tables with rows that name one of the keys."""
    return [row[0] for row in connection.execute(sql.erasure.rows_left, (listed(keys),))]


def shared(connection: sqlite3.Connection, wanted: Sequence[Trace]) -> set[Trace]:
    """Return the traces that other memories contain too, in any letter case."""
    kept = (sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names)
    rows = chain.from_iterable(map(connection.execute, (*kept, sql.erasure.schema_texts)))
    # In the file the columns of a row touch: the end of an id and the start of a text can spell a word.
    texts = (tracing.folded(row, separator) for row in rows for separator in ("\0", ""))
    hashes = (row[0] for row in connection.execute(sql.erasure.hashes_held))
    codes = (row[0] for row in connection.execute(sql.erasure.codes_held))
    return tracing.shared(wanted, texts, hashes, codes)


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
            rows = connection.execute(sql.erasure.table_rows.format(table=table))
            held += ((table, each) for each in tracing.held_in(rows, wanted))
    return list(dict.fromkeys(held))


def files(path: str) -> list[str]:
    """Return the files whose names start with the store's."""
    place = Path(path).absolute()
    beside = (each for each in place.parent.iterdir() if each.name.startswith(place.name))
    return sorted(str(each) for each in beside if each.is_file())
