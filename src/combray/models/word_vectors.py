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
MOST_TEXTS = 4_096
"""Texts of which the rows are remembered: 4 MB for texts of 50 words."""
_FEWEST_ROWS = 1_024
_STOP = -1
_LOCK = threading.Lock()
"""One for all engines, because they share the words."""


class RememberedWords:
    """Implements `runtime.WordVectors` on a static embedder. Erasure empties it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder

    def rows(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words count (no stop words), and the vectors of those that do. Raises ModelError."""
        with _LOCK:
            kept = self._kept()
            kept.add(words, self._embedder)
            at = kept.at(words)
            counts = at != _STOP
            return counts, kept.table[at[counts]]

    def of_texts(self, texts: Sequence[tuple[str, ...]]) -> tuple[list[int], NDArray[np.float32]]:
        """Return for each text, given as its words, how many count, and the vectors of these in order.

        Raises ModelError.
        """
        with _LOCK:
            kept = self._kept()
            places = kept.read(texts, self._embedder)
            return [len(each) for each in places], kept.table[np.concatenate(places or [_NOWHERE])]

    def _kept(self) -> _WordTable:
        kept = _remembered(self.name, self._embedder.dimensions)
        if len(kept.places) > MOST_WORDS:
            kept.forget()
        return kept


_NOWHERE = np.zeros(0, dtype=np.int64)


class _WordTable:
    """Row by word, the rows, and the rows of whole texts. The table grows by doubling: a new word copies none."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self.forget()

    def forget(self) -> None:
        """Begin anew: there are too many. Readers may still hold the old table."""
        self.places: dict[str, int] = {"": _STOP}
        self.texts: dict[tuple[str, ...], NDArray[np.int64]] = {}
        # Rows behind `_used` are room to grow.
        self.table: NDArray[np.float32] = np.empty((_FEWEST_ROWS, self._dimensions), dtype=np.float32)
        self._used = 0

    def at(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows of known words."""
        return np.fromiter(map(self.places.__getitem__, words), dtype=np.int64, count=len(words))

    def read(self, texts: Sequence[tuple[str, ...]], embedder: Embedder) -> list[NDArray[np.int64]]:
        """Return the rows of the words of each text that count. Raises ModelError."""
        new = [words for words in texts if words not in self.texts]
        self.add([word for words in new for word in words], embedder)
        if len(self.texts) + len(new) > MOST_TEXTS:
            self.texts.clear()
            new = list(texts)
        for words in new:
            at = self.at(words)
            self.texts[words] = at[at != _STOP]
        return [self.texts[words] for words in texts]

    def add(self, words: Sequence[str], embedder: Embedder) -> None:
        """Add those words that are not known. Raises ModelError, and then adds none."""
        new = [word for word in dict.fromkeys(words) if word not in self.places]
        counting = [word for word in new if not is_stop(word)]
        if counting:
            # In half precision, so that distances do not depend on the last digits of an embedder. Rows that are
            # kept in it take half the space, and ten times as long to read.
            vectors = embedder.embed(counting).astype(np.float16)
            start, end = self._used, self._used + len(counting)
            if end > len(self.table):
                grown = np.zeros((max(end, 2 * len(self.table)), self._dimensions), dtype=np.float32)
                grown[:start] = self.table[:start]
                self.table = grown
            self.table[start:end] = vectors
            self._used = end
            self.places.update({word: at for at, word in enumerate(counting, start)})
        self.places.update({word: _STOP for word in new if word not in self.places})


@keyed_by_text
@functools.lru_cache(maxsize=4)
def _remembered(name: str, dimensions: int) -> _WordTable:
    """Return the words of the embedder of a name: shared by all engines that use it."""
    del name
    return _WordTable(dimensions)
