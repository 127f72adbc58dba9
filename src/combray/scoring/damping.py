"""How much a long turn lends to, and takes from, its neighbours (QUALITY.md, configuration B)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def damping(words: NDArray[np.integer], limit: int) -> NDArray[np.float64]:
    """min(1, limit / words): a turn of up to `limit` words counts whole, a long one ever less.

    Long texts drown their neighbours' words and hold their own context; 0 switches damping off.
    """
    if limit <= 0:
        return np.ones(len(words))
    result: NDArray[np.float64] = np.minimum(1.0, limit / np.maximum(words, 1))
    return result
