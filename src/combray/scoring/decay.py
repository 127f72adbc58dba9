"""Decay curves: how much of a value is left after some time. Every formula of decay in Combray is here.

Arrays of ages are for ranking, single ages for what is stored. A negative age counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHAPES: Mapping[str, float] = {"core": 0.8, "working": 1.0, "peripheral": 1.3}
"""Shape β of the Weibull decay by tier. Source: Mnemo, see docs/reference/presets.md."""
FACT_DECAY = 0.01
"""Rate per day at which the confidence of a fact decays without new evidence: about 10 % in 10 days."""
_DAY = 86_400.0


def half_life(days: Floats, half: float) -> Floats:
    """Return 0.5^(days / half): 1 at age 0, 0.5 after `half` days."""
    left: Floats = np.power(0.5, np.maximum(days, 0.0) / half)
    return left


def half_left(days: float, half: float) -> float:
    """Return 0.5^(days / half) of a single age."""
    return math.pow(0.5, max(0.0, days) / half)


def exponential(days: Floats, rate: float) -> Floats:
    """Return exp(-rate · days)."""
    left: Floats = np.exp(-rate * np.maximum(days, 0.0))
    return left


def faded(base: float, seconds: float, *, decay: float = FACT_DECAY) -> float:
    """Return base · exp(-decay · days) of a single age in seconds; `decay` is a rate per day."""
    return base * math.exp(-decay * max(seconds, 0.0) / _DAY)


def weibull_hazard(days: Floats, scale: Floats, shape: Floats) -> Floats:
    """Return (days / scale)^shape, the cumulative hazard: 0 at age 0, 1 at age `scale`."""
    risen: Floats = np.power(np.maximum(days, 0.0) / scale, shape)
    return risen


def survival(hazard: Floats) -> Floats:
    """Return exp(-hazard), the share that is left."""
    left: Floats = np.exp(-hazard)
    return left


def weibull(days: Floats, scale: Floats, shape: Floats) -> Floats:
    """Return exp(-(days / scale)^shape), in [0, 1]: 1 at age 0 and 1/e at age `scale` for every shape.

    A shape below 1 falls fast before `scale` and slowly after it, above 1 the reverse; 1 is the plain
    exponential. Ages and scales in days, both broadcast.

    Source: Weibull, "A statistical distribution function of wide applicability", Journal of Applied Mechanics
    18 (1951), https://doi.org/10.1115/1.4010337.
    """
    return survival(weibull_hazard(days, scale, shape))
