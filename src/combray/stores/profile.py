"""The profile of a namespace: counted once, then updated with the added rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Filter, Profile
from combray.scoring.ranking import ascending
from combray.stores.snapshot import Snapshot

_MANY = 1000


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over live rows, as arrays, so that the file beside the store can hold them.

    sums: memories, and those in a session; authors: their codes, ascending.
    """

    sums: NDArray[np.int64]
    authors: NDArray[np.int64]

    def plus(self, other: Tally) -> Tally:
        """Return the counts over the rows of both."""
        return Tally(self.sums + other.sums, ascending(np.concatenate((self.authors, other.authors))))


def profile(snapshot: Snapshot) -> Profile:
    """Return counts and speakers of the live memories; authors sorted by name."""
    return snapshot.once("profile", lambda: _profile(snapshot))


def _profile(snapshot: Snapshot) -> Profile:
    tally = snapshot.memo.get(
        ("profile",),
        snapshot.count,
        lambda: _count(snapshot, 0),
        lambda old, rows: old.plus(_count(snapshot, rows)),
    )
    names = snapshot.names["author"]
    memories, in_session = tally.sums.tolist()
    return Profile(
        memories=memories,
        authors=tuple(sorted(names[code] for code in tally.authors.tolist())),
        with_session=in_session / memories if memories else 0.0,
    )


def _count(snapshot: Snapshot, start: int) -> Tally:
    live: slice | NDArray[np.int64]
    if start:
        # A mask of all rows is worth its time only once.
        added = np.arange(start, snapshot.count)
        live = added[snapshot.accepts(Filter(), added)]
        count = len(live)
    else:
        mask = snapshot.mask(Filter())
        count = int(np.count_nonzero(mask))
        # Mostly all are live, and copies of their columns take longer to make than to count.
        live = slice(0, snapshot.count) if count == snapshot.count else np.flatnonzero(mask)
    in_session = np.count_nonzero(snapshot.session[live] >= 0)
    return Tally(np.array([count, in_session], dtype=np.int64), _codes(snapshot.author[live]))


def _codes(authors: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the distinct codes, ascending; -1 is none. Counting many of them is faster than sorting."""
    if len(authors) > _MANY:
        return np.flatnonzero(np.bincount(authors + 1)[1:])
    return ascending(authors[authors >= 0].astype(np.int64))
