"""Decay curves: how much is left of a value after some days."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def half_life(days: NDArray[np.float64], half: float) -> NDArray[np.float64]:
    """0.5^(days / half): 1 at age 0, 0.5 after `half` days; negative ages count as 0."""
    left: NDArray[np.float64] = np.power(0.5, np.maximum(days, 0.0) / half)
    return left
