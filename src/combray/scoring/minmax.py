"""Min-max scaling to [0, 1]."""

from __future__ import annotations

import numpy as np

from combray.runtime import Scores


def minmax(scores: Scores) -> Scores:
    """Return (s - min) / (max - min); all 0 if every score is the same."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high <= low:
        return np.zeros(len(scores))
    scaled: Scores = (scores - low) / (high - low)
    return scaled
