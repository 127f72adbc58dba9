"""BM25 as a share of a question's best hit: openclaw and engram."""

from __future__ import annotations

import numpy as np

from combray.runtime import Scores
from combray.scoring.ranking import DECIMALS

LEAST = 10.0**-DECIMALS
"""The lowest text score of a hit, the smallest number that scores are rounded to. Not a threshold: rounding must
not turn a hit by a very common word into a miss."""


def share_of_best(scores: Scores) -> Scores:
    """Scores of one query as shares of the best of them: in (0, 1], 0 where there was none, order kept."""
    best = float(scores.max(initial=0.0))
    if best <= 0.0:
        return np.zeros(len(scores))
    shares = np.maximum(np.round(scores / best, DECIMALS), LEAST)
    return np.where(scores > 0, shares, 0.0)
