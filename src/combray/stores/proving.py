"""Proof of erasure: where the bytes of erased memories are still found.

Of an encrypted file the rows are searched, with the key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, tzinfo
from itertools import chain

from combray.runtime import Trace
from combray.stores import traces as tracing
from combray.stores.session import StoreSession


class ProvableStore(ABC):
    """The part of `runtime.Provable` that looks at rows."""

    zone: tzinfo = UTC

    @abstractmethod
    def _proving(self, namespace: str = "") -> AbstractContextManager[StoreSession]:
        """Open a transaction that sees every row of the store."""

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        with self._proving(namespace) as session:
            return tracing.traces(session, keys)

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        """Return the tables with rows that name one of the keys."""
        with self._proving() as session:
            return [row[0] for row in session.rows(session.sql.erasure.rows_left, [int(key) for key in keys])]

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        """Return the traces that other memories contain too, in any letter case."""
        with self._proving() as session:
            sql = session.sql
            kept = sql.erasure.memory_texts, sql.erasure.version_texts, sql.erasure.edge_texts, sql.erasure.names
            rows = chain.from_iterable(map(session.stream, kept))
            texts = (tracing.folded(row, separator) for row in rows for separator in session.separators)
            hashes = (row[0] for row in session.stream(sql.erasure.hashes_held))
            codes = (row[0] for row in session.stream(sql.erasure.codes_held))
            tokens = (tracing.token_pieces(row[0]) for row in session.stream(sql.erasure.token_codes_held))
            return tracing.shared(traces, texts, hashes, chain(codes, chain.from_iterable(tokens)))

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        """Return (table, trace) for traces found in rows.

        Terms are looked up in the keyword index, whose storage a search for bytes may not be able to read. With
        `everywhere` every row of every table is searched too.
        """
        with self._proving(namespace) as session:
            sql = session.sql
            words = {each.value.decode("utf-8", "surrogatepass"): each for each in traces if each.kind == "word"}
            present = session.holding(list(words))
            held = [(session.term_table, trace) for word, trace in words.items() if present.get(word)]
            if everywhere:
                for (table,) in session.rows(sql.erasure.tables):
                    rows = session.stream(sql.erasure.table_rows.format(table=table))
                    held += ((table, each) for each in tracing.held_in(rows, traces))
            return list(dict.fromkeys(held))
