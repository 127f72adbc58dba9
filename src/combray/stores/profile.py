"""The profile of a namespace: counted once, then updated with the added rows."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.runtime import Filter, Profile
from combray.scoring.scratch import ascending
from combray.stores.snapshot import Snapshot


class _Tally(msgspec.Struct, frozen=True):
    """Counts over live rows; `words[n]` is how many have n words."""

    memories: int
    words: NDArray[np.int64]
    authors: frozenset[int]
    in_session: int
    latest: float

    def plus(self, other: _Tally) -> _Tally:
        words = np.zeros(max(len(self.words), len(other.words)), dtype=np.int64)
        words[: len(self.words)] += self.words
        words[: len(other.words)] += other.words
        return _Tally(
            self.memories + other.memories,
            words,
            self.authors | other.authors,
            self.in_session + other.in_session,
            max(self.latest, other.latest),
        )


def profile(snapshot: Snapshot) -> Profile:
    """Return counts, lengths and speakers of the live memories; authors sorted by name."""
    return snapshot.once("profile", lambda: _profile(snapshot))


def _profile(snapshot: Snapshot) -> Profile:
    tally = snapshot.memo.get(
        ("profile",),
        snapshot.count,
        lambda: _count(snapshot, 0),
        lambda old, rows: old.plus(_count(snapshot, rows)),
    )
    names = snapshot.names["author"]
    # The median is the mean of the two values in the middle, which are the same for an odd count.
    middle = [(tally.memories - 1) // 2, tally.memories // 2]
    lower, upper = np.searchsorted(np.cumsum(tally.words), middle, side="right") if tally.memories else (0, 0)
    return Profile(
        memories=tally.memories,
        median_words=float(lower + upper) / 2,
        authors=tuple(sorted(names[code] for code in tally.authors)),
        with_session=tally.in_session / tally.memories if tally.memories else 0.0,
        latest_moment=tally.latest if tally.memories else None,
    )


def _count(snapshot: Snapshot, start: int) -> _Tally:
    added = np.arange(start, snapshot.count)
    # A mask of all rows is worth its time only once.
    live = added[snapshot.accepts(Filter(), added)] if start else np.flatnonzero(snapshot.mask(Filter()))
    authors = snapshot.author[live]
    return _Tally(
        memories=len(live),
        words=np.bincount(snapshot.words[live]),
        authors=frozenset(ascending(authors[authors >= 0]).tolist()),
        in_session=int((snapshot.session[live] >= 0).sum()),
        latest=float(snapshot.moment[live].max(initial=-np.inf)),
    )
