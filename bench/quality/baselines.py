"""What anybody could build in an afternoon: BM25, vectors alone, and both mixed half and half."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from combray.language.tokens import content_terms, query_terms
from combray.runtime import Embedder

Scores = NDArray[np.float64]


class BM25:
    """BM25 with k1 1.2, b 0.75 and ln(1 + (N - n + .5) / (n + .5)) over stemmed content words."""

    def __init__(self, texts: Sequence[str], k1: float = 1.2, b: float = 0.75) -> None:
        self.count = len(texts)
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(self.count)
        for row, text in enumerate(texts):
            found = content_terms(text)
            lengths[row] = len(found)
            for term, times in Counter(found).items():
                self._postings[term].append((row, times))
        self._k1 = k1
        self._norm = k1 * (1 - b + b * lengths / max(1e-9, float(lengths.mean()) if self.count else 1.0))

    def scores(self, query: str) -> Scores:
        """One score a text; 0 for a text that holds no word of the query."""
        found = np.zeros(self.count)
        for term in query_terms(query):
            postings = self._postings.get(term, ())
            idf = math.log(1 + (self.count - len(postings) + 0.5) / (len(postings) + 0.5))
            for row, times in postings:
                found[row] += idf * times * (self._k1 + 1) / (times + self._norm[row])
        return found


class Dense:
    """Cosine of the question's vector with each text's, both embedded as they are."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows = embedder.embed(list(texts))

    def scores(self, query: str) -> Scores:
        """One cosine a text."""
        found: Scores = (self._rows @ self._embedder.embed([query], query=True)[0]).astype(np.float64)
        return found


class Hybrid:
    """0.5 BM25 + 0.5 cosine, each scaled to 0-1 by its smallest and largest value for the question."""

    def __init__(self, keyword: BM25, dense: Dense) -> None:
        self._keyword, self._dense = keyword, dense

    def scores(self, query: str) -> Scores:
        """One mixed score a text."""
        return 0.5 * scaled(self._keyword.scores(query)) + 0.5 * scaled(self._dense.scores(query))


def scaled(values: Scores) -> Scores:
    """Values mapped onto 0-1; all zero if they are all equal."""
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def best(values: Scores, limit: int) -> list[int]:
    """Rows by falling score, ties by row, at most `limit`; rows without any score are left out."""
    order = np.argsort(-values, kind="stable")[:limit]
    return [int(row) for row in order if values[row] > 0]
