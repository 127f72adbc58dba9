"""Cache of the posting lists of a namespace: common words occur in most queries, and reading them is slow.

FTS5 reads 4 postings per microsecond, memory a thousand. The terms of an added memory are appended to the cached
lists. Any other change of terms clears the cache.
"""

from __future__ import annotations

import sqlite3

import numpy as np

from combray.language.indexing import index_entry
from combray.stores.postings import MOST_POSTINGS, Codes, Weighed, WeighedLists
from combray.stores.rows import to_memory
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite.sql import sql

_MOST_WEIGHED = 1_000_000
"""Maximum number of postings cached with the weights of an arm, 16 bytes each."""
_MOST_ADDED = 64
"""After more additions at once by other processes the lists are read again."""
_FEW_ROWS = 20_000
"""Memories of a namespace up to which a list is read to count what it holds: nearly all lists are used then."""
_MOST_OFFERED = 100_000
"""Maximum number of memories whose terms wait for the next read."""

Fields = tuple[list[str], list[str], list[str], list[str]]
"""The terms of a memory by index field (`IndexEntry.fields`)."""


def term(namespace: int, text: str) -> str:
    """Return a term as the keyword index stores it."""
    return f"{namespace:x}_{text}"


def read_codes(connection: sqlite3.Connection, term: str) -> Codes:
    """Read a term's posting list."""
    text = connection.execute(sql.terms.postings, (term,)).fetchone()[0]
    return np.fromstring(text, dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)


def read_holding(connection: sqlite3.Connection, term: str) -> int:
    """Read the number of memories with a term."""
    row = connection.execute(sql.terms.holding, (term,)).fetchone()
    return int(row[0]) if row else 0


class SqlitePostingCache:
    """The lists at one state of the namespace. The caller holds the namespace's lock."""

    def __init__(self) -> None:
        self._state = (-1, -1)
        self._count = 0
        self._codes: dict[str, Codes] = {}
        self._holding: dict[str, int] = {}
        self._size = 0
        self._weighed = WeighedLists(_MOST_WEIGHED)
        self._late: dict[str, list[int]] = {}
        """Codes that were added to cached lists since those were last used."""
        self._offered: dict[int, Fields] = {}

    def offer(self, fields: dict[int, Fields]) -> None:
        """Give the terms of memories that this process has just added and committed.

        They need not be read again, and neither do the lists of frequent words, which takes time in proportion to
        the store.
        """
        if self._holding or self._codes:
            self._offered.update(fields)
            if len(self._offered) > _MOST_OFFERED:
                self._clear()

    def catch_up(self, connection: sqlite3.Connection, number: int, snapshot: Snapshot) -> bool:
        """Update the lists to the snapshot's state. Return False if they are newer."""
        state = (snapshot.epoch, snapshot.reindexed)
        if state == self._state and snapshot.count < self._count:
            return False
        # A state that is new to the cache, as in every new process, has no memories to append to its lists.
        added = snapshot.keys[self._count :].tolist() if state == self._state else []
        unknown = len(added) > _MOST_ADDED and sum([key not in self._offered for key in added]) > _MOST_ADDED
        if state != self._state or unknown:
            if state < self._state:
                return False
            self._clear()
        elif added:
            for key in added:
                self._append(connection, number, key)
        self._state, self._count = state, snapshot.count
        return True

    def _clear(self) -> None:
        self._codes, self._holding, self._size = {}, {}, 0
        self._late, self._offered = {}, {}
        self._weighed.clear()

    def _append(self, connection: sqlite3.Connection, number: int, key: int) -> None:
        fields = self._offered.pop(key, None)
        if not self._codes and not self._holding:
            return
        if fields is None:
            row = connection.execute(sql.memories.by_key, (key,)).fetchone()
            fields = index_entry(to_memory(row, "")).fields
        found: dict[str, list[int]] = {}
        for column, field in enumerate(fields):
            for each in field:
                found.setdefault(each, []).append(key * 4 + column)
        prefix = term(number, "")
        for each, codes in found.items():
            known = prefix + each
            if known in self._holding:
                self._holding[known] += 1
            if known in self._codes:
                self._late.setdefault(known, []).extend(codes)
                self._size += len(codes)

    def codes(self, connection: sqlite3.Connection, term: str) -> Codes:
        """Return a term's posting list."""
        codes = self._codes.get(term)
        if codes is not None and (late := self._late.pop(term, None)):
            codes = self._codes[term] = np.append(codes, late)
        if codes is None:
            codes = read_codes(connection, term)
            if self._size + len(codes) > MOST_POSTINGS:
                self._clear()
            self._codes[term] = codes
            self._size += len(codes)
        return codes

    def weighed(
        self, connection: sqlite3.Connection, fields: tuple[float, ...], snapshot: Snapshot, term: str
    ) -> Weighed:
        """Return a term's posting list with the field weights of an arm. Read only."""
        return self._weighed.of(term, self.codes(connection, term), fields, snapshot)

    def holding(self, connection: sqlite3.Connection, term: str) -> int:
        """Return the number of memories with a term."""
        count = self._holding.get(term)
        if count is None:
            if self._count <= _FEW_ROWS:
                keys = self.codes(connection, term) >> 2
                count = int(np.count_nonzero(keys[1:] != keys[:-1])) + min(1, len(keys))
            else:
                count = read_holding(connection, term)
            self._holding[term] = count
        return count
