"""Soft alignment: each word of a question with its nearest word in a text.

Source: Kusner et al., "From Word Embeddings to Document Distances", ICML 2015 (relaxed word mover's distance).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def aligned_words(
    asked: NDArray[np.float32], held: NDArray[np.float32], sizes: Sequence[int]
) -> NDArray[np.float64]:
    """Return for each asked word its highest cosine in each text: shape (asked words, texts), 0 for no words.

    `asked`, `held`: vectors of unit length, a row each; `sizes`: how many rows of `held` each text has, in order.
    """
    found = np.zeros((len(asked), len(sizes)))
    counts = np.asarray(sizes, dtype=np.int64)
    filled = counts > 0
    if len(asked) and filled.any():
        starts = np.concatenate(([0], np.cumsum(counts[filled])[:-1]))
        found[:, filled] = np.maximum.reduceat(asked @ held.T, starts, axis=1)
    return np.minimum(np.maximum(found, 0.0), 1.0)
