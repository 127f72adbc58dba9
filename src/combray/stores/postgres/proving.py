"""Proof of erasure: the rows where the bytes of erased memories are still found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from combray.runtime import Trace
from combray.stores import traces as tracing
from combray.stores.postgres import sql
from combray.stores.postgres.session import Session
from combray.stores.rows import to_memory


def traces(session: Session, keys: Sequence[int]) -> list[Trace]:
    """Return the bytes of the memories, including those that other memories contain too."""
    rows = session.of_rows(sql.memories.whole, [int(key) for key in keys])
    wanted = [row[0] for row in rows]

    def ids_among(texts: Sequence[str]) -> set[str]:
        return {row[0] for row in session.of_rows(sql.memories.ids_among, list(texts))}

    def counts(terms: Sequence[str]) -> Mapping[str, int]:
        return dict(session.of_rows(sql.terms.holding, list(terms)))

    held = tracing.Held(
        [row[0] for row in session.of_rows(sql.versions.of_keys, wanted)],
        [row[0] for row in session.of_rows(sql.erasure.hashes, wanted)],
        [row[0] for row in session.of_rows(sql.erasure.codes, wanted)],
        ids_among,
        counts,
    )
    return tracing.traces([to_memory(row, session.name) for row in rows], held)


def rows_left(session: Session, keys: Sequence[int]) -> list[str]:
    """Return the tables with rows that name one of the keys."""
    return [row[0] for row in session.rows(sql.erasure.rows_left, [int(key) for key in keys])]


def shared(session: Session, wanted: Sequence[Trace]) -> set[Trace]:
    """Return the traces that other memories contain too, in any letter case."""
    kept = (sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names)
    texts = map(tracing.folded, chain.from_iterable(map(session.rows, kept)))
    hashes = (row[0] for row in session.rows(sql.erasure.hashes_held))
    codes = (row[0] for row in session.rows(sql.erasure.codes_held))
    return tracing.shared(wanted, texts, hashes, codes)


def rows_holding(session: Session, wanted: Sequence[Trace], *, everywhere: bool) -> list[tuple[str, Trace]]:
    """Return (table, trace) for traces found in rows; with `everywhere` in every row of every table."""
    words = {each.value.decode("utf-8", "surrogatepass"): each for each in wanted if each.kind == "word"}
    present: dict[str, int] = dict(session.of_rows(sql.terms.holding, list(words))) if words else {}
    held = [("posting", trace) for word, trace in words.items() if present.get(word)]
    if everywhere:
        for (table,) in session.rows(sql.erasure.tables):
            rows = session.rows(sql.erasure.table_rows.format(table=table))
            held += ((table, each) for each in tracing.held_in(rows, wanted))
    return list(dict.fromkeys(held))
