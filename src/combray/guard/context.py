"""How far each sentence of a text lies from the rest of the text, and the features that follow from it.

An injected sentence is often about something else than the page around it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FEWEST = 4
"""Sentences of a text from which distances mean anything."""
FEWEST_WORDS = 3
"""Words of a sentence, without stop words, from which it has a distance."""
STEPS = (0.7, 0.8, 0.86, 0.9, 0.94)
"""Distances (1 - cosine) from which the features "far:0" to "far:4" hold."""
WITH = ("order", "task", "question", "impersonal", "asks_model", "listed", "short")
"""What a far sentence may be as well: each is counted with each step."""
SHORT = 5
"""Words of a short sentence, without stop words: its distance is less certain."""
NOWHERE = -1.0
"""The distance of a sentence that has none."""


class WordVectors(Protocol):
    """Vectors of words. A sentence's vector is the sum of its words'."""

    @property
    def name(self) -> str:
        """Name of the embedder."""

    def rows(self, words: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Return which words count (no stop words), and the vectors of those that do."""

    def of_texts(self, texts: Sequence[tuple[str, ...]]) -> tuple[list[int], NDArray[np.float32]]:
        """Return for each text, given as its words, how many count, and the vectors of these in order."""


def distances(sentences: Sequence[Sequence[str]], vectors: WordVectors) -> list[tuple[float, int]]:
    """Return 1 - cosine to the rest of the text, and the number of words that count, of each sentence.

    The distance is NOWHERE if the text has fewer than FEWEST sentences or the sentence fewer than FEWEST_WORDS.
    """
    kept, rows = vectors.rows([word for words in sentences for word in words])
    ends = np.cumsum([len(words) for words in sentences])
    before = np.concatenate(([0], np.cumsum(kept)))
    stops = before[ends]
    counts = np.diff(stops, prepend=0)
    found = [(NOWHERE, int(count)) for count in counts]
    if int((counts >= FEWEST_WORDS).sum()) < FEWEST:
        return found
    filled = np.flatnonzero(counts)
    sums = np.add.reduceat(rows, (stops - counts)[filled], axis=0)
    rest = sums.sum(axis=0) - sums
    norms = np.sqrt(np.einsum("ij,ij->i", sums, sums) * np.einsum("ij,ij->i", rest, rest))
    cosines = np.einsum("ij,ij->i", sums, rest) / np.where(norms > 0, norms, 1.0)
    for at, cosine in zip(filled.tolist(), cosines.tolist(), strict=True):
        if counts[at] >= FEWEST_WORDS:
            found[at] = (1.0 - cosine, int(counts[at]))
    return found


def far_features(distance: float, words: int, kinds: Collection[str]) -> Iterator[str]:
    """Yield the features of a sentence at a distance: each step it reaches, alone and with each kind."""
    for at, step in enumerate(STEPS):
        if distance < step:
            break
        yield f"far:{at}"
        for kind in WITH:
            if kind in kinds or (kind == "short" and words <= SHORT):
                yield f"far:{at}&{kind}"
