"""Gradient-boosted oblivious trees: a small model that NumPy evaluates in some microseconds.

Every node of one level of an oblivious tree asks the same question, so a tree of depth d is d comparisons and a
table of 2^d values.

Source: Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features", NeurIPS 2018; trained by
`bench/truth/training.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Forest:
    """Sum of the trees' values plus `bias`.

    `columns` and `thresholds` have shape (trees, depth), `values` (trees, 2 ** depth). The first question of a
    tree decides the highest bit of the place in its table.
    """

    def __init__(
        self,
        columns: NDArray[np.int64],
        thresholds: NDArray[np.float64],
        values: NDArray[np.float64],
        bias: float = 0.0,
    ) -> None:
        trees, self._depth = columns.shape
        # By level, so that the answers to the first questions of all trees are side by side.
        self._columns, self._thresholds = columns.T.ravel(), thresholds.T.ravel()
        self._values = values.ravel()
        self._starts = np.arange(trees, dtype=np.int64) * values.shape[1]
        self._bias = bias

    def log_odds(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one score per row of `features`, shape (rows, columns)."""
        above = features.take(self._columns, axis=1) > self._thresholds
        places = np.zeros((len(features), len(self._starts)), dtype=np.int64)
        for answers in above.reshape(len(features), self._depth, len(self._starts)).swapaxes(0, 1):
            places = 2 * places + answers
        places += self._starts
        result: NDArray[np.float64] = self._values.take(places).sum(axis=1) + self._bias
        return result
