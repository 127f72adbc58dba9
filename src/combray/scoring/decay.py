"""Decay curves: how much is left of a value after some days."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

SHAPES: Mapping[str, float] = {"core": 0.8, "working": 1.0, "peripheral": 1.3}
"""β of the Weibull decay by tier: Mnemo's page, stage 5."""


def half_life(days: NDArray[np.float64], half: float) -> NDArray[np.float64]:
    """0.5^(days / half): 1 at age 0, 0.5 after `half` days; negative ages count as 0."""
    left: NDArray[np.float64] = np.power(0.5, np.maximum(days, 0.0) / half)
    return left


def weibull_hazard(
    days: NDArray[np.float64], scale: NDArray[np.float64], shape: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(days / scale)^shape, the exponent of `weibull`: 0 at age 0, 1 at age `scale`; negative ages count as 0."""
    risen: NDArray[np.float64] = np.power(np.maximum(days, 0.0) / scale, shape)
    return risen


def weibull(
    days: NDArray[np.float64], scale: NDArray[np.float64], shape: NDArray[np.float64]
) -> NDArray[np.float64]:
    """exp(-(days / scale)^shape), what is left in [0, 1]: 1 at age 0 and 1/e at age `scale` for every shape.

    A shape below 1 falls fast before `scale` and slowly after it, above 1 the other way round; 1 is the plain
    exponential. Ages and scales in days, both broadcast. Mnemo, stage 5; λ is `scale`, β is `shape`.
    """
    left: NDArray[np.float64] = np.exp(-weibull_hazard(days, scale, shape))
    return left
