"""Maximal marginal relevance.

Source: Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing
summaries", SIGIR 1998, https://doi.org/10.1145/290941.291025.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Scores
from combray.scoring.ranking import DECIMALS


def marginal_order(relevance: Scores, similar_to: Callable[[int], Scores], trade_off: float) -> NDArray[np.int64]:
    """Return all places in the order in which they are chosen.

    The next place has the highest trade_off · relevance - (1 - trade_off) · greatest similarity to the places
    chosen already; the first of equals. Relevance, similarity and `trade_off` are in [0, 1].
    `similar_to(place)` gives a place's similarity to every place.
    """
    left = np.ones(len(relevance), dtype=bool)
    nearest = np.zeros(len(relevance))
    order = np.zeros(len(relevance), dtype=np.int64)
    for rank in range(len(relevance)):
        gain = np.round(trade_off * relevance - (1.0 - trade_off) * nearest, DECIMALS)
        chosen = int(np.argmax(np.where(left, gain, -np.inf)))
        order[rank] = chosen
        left[chosen] = False
        if left.any():
            nearest = np.maximum(nearest, similar_to(chosen))
    return order
