"""Confidence of a fact as a function of its evidence and of time (Semantic facts, section 3).

Computed from what does not change (where it started, how many episodes support it, when the last one was),
never from yesterday's result: thirty nightly runs and one run after thirty days give the same number
(SEEDS.md 18).
"""

from __future__ import annotations

import math

GROWTH = 0.05
"""Share of the doubt left that one supporting episode takes away: c += 0.05 (1 - c)."""
DEPRECATED_BELOW = 0.3
"""Below: out of all retrieval. From here to STREAMED_ABOVE: for an explicit search only."""
STREAMED_ABOVE = 0.5
"""Above: takes part in everything."""
PENALTY = 0.5
"""What a contradiction leaves of the confidence of both sides when neither is the newer one."""
STEP = 0.01
"""Stored confidence moves in hundredths: what nobody can see is not worth a write and a version row a night."""
_EXACT = 9
"""Decimals within which a value counts as standing on a step: sums of steps are not exact in binary."""


def grown(start: float, supports: int, *, growth: float = GROWTH) -> float:
    """Confidence in [0, 1] after so many supporting episodes, before any fading; monotone, never above 1.

    Applied one by one, so that evidence that came over many nights gives the same bits as all at once.
    """
    value = start
    for _ in range(supports):
        value += growth * (1.0 - value)
    return value


def stepped(value: float, base: float, *, step: float = STEP) -> float:
    """The value rounded up to a multiple of `step`, never above `base`.

    Rounded up, so that "above 0.5" and "at least 0.3" hold of the rounded value exactly when they hold of
    the value itself, as long as both bounds are multiples of the step.
    """
    steps = math.ceil(round(value / step, _EXACT))
    return min(base, round(steps * step, _EXACT))
