"""Reciprocal rank fusion.

Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning
methods", SIGIR 2009, https://doi.org/10.1145/1571941.1572114.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combray.runtime import Keys, Ranked, Scores


def reciprocal_rank_fusion(keys: Keys, lists: Sequence[Ranked], k: int = 60, *, tied: bool = False) -> Scores:
    """Return the sum over the lists of 1 / (k + rank + 1), rank from 0, for each of the ascending `keys`.

    With `tied`, equal scores in a list have the rank of the first of them.
    """
    fused = np.zeros(len(keys))
    for ranked in lists:
        places = np.searchsorted(keys, ranked.keys)
        ranks = np.searchsorted(-ranked.scores, -ranked.scores) if tied else np.arange(len(ranked.keys))
        fused[places] += 1.0 / (k + ranks + 1.0)
    return fused
