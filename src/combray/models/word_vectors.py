"""Vectors of single words, remembered: a sentence then costs a table lookup and not a run of the tokenizer."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.language.caches import keyed_by_text
from combray.language.tokens import is_stop
from combray.runtime import Embedder

MOST_WORDS = 20_000
"""Words that are remembered: 20 to 40 MB for 256 dimensions."""
_FEWEST_ROWS = 1_024
_STOP = -1
_LOCK = threading.Lock()
"""One for all engines, because they share the words."""


class RememberedWords:
    """Implements `guard.context.WordVectors` on a static embedder. Erasure empties it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder

    def rows(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words count (no stop words), and the vectors of those that do. Raises ModelError."""
        with _LOCK:
            kept = _remembered(self.name, self._embedder.dimensions)
            if len(kept.places) > MOST_WORDS:
                kept.forget()
            kept.add([word for word in dict.fromkeys(words) if word not in kept.places], self._embedder)
            places, table = kept.places, kept.table
            at = np.fromiter(map(places.__getitem__, words), dtype=np.int64, count=len(words))
        counts = at != _STOP
        return counts, table[at[counts]]


class _Words:
    """Row by word, and the rows. The table grows by doubling, so that a new word does not copy all others."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self.forget()

    def forget(self) -> None:
        """Begin anew: there are too many. Readers may still hold the old table."""
        self.places: dict[str, int] = {"": _STOP}
        self.table: NDArray[np.float32] = np.empty((_FEWEST_ROWS, self._dimensions), dtype=np.float32)
        self._used = 0

    def add(self, new: list[str], embedder: Embedder) -> None:
        """Add words that are not known. Raises ModelError, and then adds none."""
        counting = [word for word in new if not is_stop(word)]
        if counting:
            first, used = self._used, self._used + len(counting)
            vectors = embedder.embed(counting)
            if used > len(self.table):
                grown = np.empty((max(2 * len(self.table), used), self._dimensions), dtype=np.float32)
                grown[:first] = self.table[:first]
                self.table = grown
            # In half precision, so that distances do not depend on the last digits of an embedder.
            self.table[first:used] = vectors.astype(np.float16)
            self.places.update({word: at for at, word in enumerate(counting, first)})
            self._used = used
        self.places.update({word: _STOP for word in new if word not in self.places})


@keyed_by_text
@functools.lru_cache(maxsize=4)
def _remembered(name: str, dimensions: int) -> _Words:
    """Return the words of the embedder of a name: shared by all engines that use it."""
    del name
    return _Words(dimensions)
