"""Deterministic ranking: higher scores first, ties by key."""

from __future__ import annotations

import numpy as np

from combray.runtime import Keys, Ranked, Scores

DECIMALS = 6
"""Decimals that scores are rounded to before ranking, so that the order of float additions on another machine
cannot change an answer."""


def ranked(keys: Keys, scores: Scores, limit: int) -> Ranked:
    """Return the best `limit` keys with positive scores, best first, ties by ascending key."""
    if limit <= 0:
        return Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        cut = np.partition(scores[places], len(places) - limit)[len(places) - limit]
        places = places[scores[places] >= cut]
    order = np.lexsort((keys[places], -scores[places]))[:limit]
    return Ranked(keys[places[order]], scores[places[order]])
