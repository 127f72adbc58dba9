"""How alike texts are, by the vectors of their words or by shared words, and clusters of what is alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Scores


def aligned_words(
    asked: NDArray[np.float32], held: NDArray[np.float32], sizes: Sequence[int]
) -> NDArray[np.float64]:
    """Return for each asked word its highest cosine in each text: shape (asked words, texts), 0 for no words.

    `asked`, `held`: vectors of unit length, a row each; `sizes`: how many rows of `held` each text has, in order.

    Source: Kusner et al., "From Word Embeddings to Document Distances", ICML 2015 (relaxed word mover's
    distance).
    """
    found = np.zeros((len(asked), len(sizes)))
    counts = np.asarray(sizes, dtype=np.int64)
    filled = counts > 0
    if len(asked) and filled.any():
        starts = np.concatenate(([0], np.cumsum(counts[filled])[:-1]))
        found[:, filled] = np.maximum.reduceat(asked @ held.T, starts, axis=1)
    return np.minimum(np.maximum(found, 0.0), 1.0)


def maxsim(asked: NDArray[np.int8], texts: Sequence[NDArray[np.int8]]) -> list[Scores]:
    """Return for each text the best cosine of each asked token. No text may be without tokens.

    Rows are int8 codes of a direction: their lengths mean nothing. For each token q of the question it is the max
    over the tokens d of a text of cos(q, d); the caller takes the mean over q.

    Source: Khattab and Zaharia, ColBERT (SIGIR 2020), section 3.3.
    """
    if not texts:
        return []
    products = _units(np.concatenate(texts)) @ _units(asked).T
    starts = np.cumsum([0, *(len(each) for each in texts[:-1])])
    return list(np.asarray(np.maximum.reduceat(products, starts, axis=0), dtype=np.float64))


def _units(codes: NDArray[np.int8]) -> NDArray[np.float32]:
    rows = codes.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return (rows / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)


class Overlaps:
    """Jaccard index, shared tokens / all tokens, of one set of a list with every other.

    The sets become rows of token numbers once, so that one set is compared with all in one array operation. Two
    empty sets have an index of 0.
    """

    def __init__(self, sets: Sequence[Iterable[str]]) -> None:
        numbers: dict[str, int] = {}
        rows = [[numbers.setdefault(token, len(numbers)) for token in sorted(set(each))] for each in sets]
        self._sizes = np.array([len(row) for row in rows], dtype=np.int64)
        self._tokens = np.array([token for row in rows for token in row], dtype=np.int64)
        self._owners = np.repeat(np.arange(len(rows)), self._sizes)
        self._starts = np.concatenate(([0], np.cumsum(self._sizes)))
        self._vocabulary = len(numbers)

    def of(self, place: int) -> Scores:
        """Return the index of the set at `place` with every set of the list, itself included; in [0, 1]."""
        held = np.zeros(self._vocabulary)
        held[self._tokens[self._starts[place] : self._starts[place + 1]]] = 1.0
        shared = np.bincount(self._owners, weights=held[self._tokens], minlength=len(self._sizes))
        union = self._sizes + self._sizes[place] - shared
        index: Scores = shared / np.maximum(union, 1.0)
        return index


def clusters_by_leader(
    count: int, near: Callable[[int], Iterable[int]], joins: Callable[[int, int], bool]
) -> list[list[int]]:
    """Return groups of places 0..count-1 with more than one member, leader first.

    Places are in order of rank. Each place without a group leads one, and takes those of the lower-ranked
    places near it that have no group and may join. The result depends on the ranks alone, not on the order in
    which pairs are found. `near` is called once for each leader, in ascending order; `joins` gets (leader,
    member).

    Every member is near its leader. Connected components would join A and C if B is near both, however far A is
    from C; with many texts everything ends in one cluster. Source: Hartigan, "Clustering Algorithms", Wiley 1975,
    chapter 3.
    """
    taken = [False] * count
    groups = []
    for leader in range(count):
        if taken[leader]:
            continue
        members = sorted({place for place in near(leader) if place > leader and not taken[place]})
        group = [leader, *(place for place in members if joins(leader, place))]
        for place in group[1:]:
            taken[place] = True
        if len(group) > 1:
            groups.append(group)
    return groups
