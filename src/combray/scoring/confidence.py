"""Confidence of a fact as a function of its evidence. `decay.faded` adds the effect of time.

Computed from its start and its evidence, never from the previous result: thirty nightly runs and one run after
thirty days give the same number. Source of the constants: Semantic facts, see docs/reference/presets.md.
"""

from __future__ import annotations

import math

GROWTH = 0.05
"""Share of the remaining doubt that one supporting episode removes: c += 0.05 (1 - c)."""
DEPRECATED_BELOW = 0.3
"""Facts below are excluded from retrieval. Facts up to STREAMED_ABOVE are found by an explicit search only."""
STREAMED_ABOVE = 0.5
"""Facts above take part in every retrieval."""
PENALTY = 0.5
"""Factor on the confidence of both sides of a contradiction if neither is newer."""
STEP = 0.01
"""Resolution of the stored confidence: a smaller change is not worth a write and a version row per night."""
_EXACT = 9
"""Decimals within which a value counts as a multiple of a step: sums of steps are not exact in binary."""


def grown(start: float, supports: int, *, growth: float = GROWTH) -> float:
    """Return the confidence in [0, 1] after that many supporting episodes, before decay.

    Applied one by one, so that evidence from many nights gives the same bits as all of it at once.
    """
    value = start
    for _ in range(supports):
        value += growth * (1.0 - value)
    return value


def stepped(value: float, base: float, *, step: float = STEP) -> float:
    """Return the value rounded up to a multiple of `step`, at most `base`.

    Rounded up, so that a bound that is a multiple of the step ("above 0.5", "at least 0.3") holds for the rounded
    value exactly if it holds for the value.
    """
    steps = math.ceil(round(value / step, _EXACT))
    return min(base, round(steps * step, _EXACT))
