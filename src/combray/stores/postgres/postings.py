"""Cache of the posting lists of a namespace. A list is caught up with added memories when it is used."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from combray.stores.postgres.session import BITS, MOST, PostgresSession
from combray.stores.postgres.sql import sql
from combray.stores.postings import MOST_POSTINGS, Codes, WeighedLists
from combray.stores.snapshot import Snapshot

_NONE: Codes = np.zeros(0, dtype=np.int64)


def codes_of(pairs: NDArray[np.int64]) -> Codes:
    """Return (key, held) pairs as key * 4 + field, one per occurrence, ascending."""
    keys, packed = pairs[:, 0], pairs[:, 1]
    counts = (packed[:, None] >> (BITS * np.arange(4))) & MOST
    return np.repeat(keys[:, None] * 4 + np.arange(4), counts.ravel())


def read_codes(session: PostgresSession, after: dict[str, int]) -> dict[str, Codes]:
    """Read the posting lists of terms, each from the key after a given one, in one round trip."""
    found = session.of_rows(sql.terms.postings, list(after), list(after.values()))
    return {
        term: codes_of(np.frombuffer(pairs, dtype=">i8").astype(np.int64).reshape(-1, 2)) if pairs else _NONE
        for term, pairs in found
    }


def holding(codes: Codes) -> int:
    """Return the number of memories in a posting list."""
    return int((np.diff(codes >> 2) != 0).sum()) + 1 if len(codes) else 0


class PostgresPostingCache:
    """The lists at one state of the namespace. The caller holds the namespace's lock."""

    def __init__(self) -> None:
        self._state = (-1, -1)
        self._lists: dict[str, tuple[int, Codes]] = {}
        """Term -> the last key of the namespace when the list was read, and the list."""
        self.weighed = WeighedLists(MOST_POSTINGS)
        """Of lists that end with a snapshot."""
        self._size = 0

    def lists(
        self, session: PostgresSession, snapshot: Snapshot, terms: Iterable[str]
    ) -> tuple[dict[str, Codes], bool]:
        """Return the posting lists of terms, at least up to the snapshot, and whether they end with it."""
        state = (snapshot.epoch, snapshot.reindexed)
        last = int(snapshot.keys[-1]) if snapshot.count else 0
        wanted = list(dict.fromkeys(terms))
        if state != self._state:
            if state < self._state:
                return read_codes(session, dict.fromkeys(wanted, 0)), False
            self._clear()
            self._state = state
        behind = {term: self._lists[term][0] if term in self._lists else 0 for term in wanted}
        behind = {term: upto for term, upto in behind.items() if upto < last}
        for term, added in read_codes(session, behind).items() if behind else ():
            old = self._lists.get(term, (0, _NONE))[1]
            self._lists[term] = (last, np.concatenate((old, added)) if len(added) else old)
            self._size += len(added)
        found = {term: self._lists.get(term, (0, _NONE)) for term in wanted}
        if self._size > MOST_POSTINGS:
            self._clear()
        current = all(upto <= last for upto, _ in found.values())
        return {term: codes for term, (_, codes) in found.items()}, current

    def _clear(self) -> None:
        self._lists, self._size = {}, 0
        self.weighed.clear()
