"""Tiers: memories that are used and important become core, memories without access become peripheral.

Source: Mnemo, see docs/reference/presets.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Rows, Scores
from combray.scoring.decay import SHAPES, weibull
from combray.types import TIERS, Tier

_DAY = 86_400.0


def composite(rows: Rows, accesses: Scores, used: Scores, now: float) -> Scores:
    """Return 0.4 · recency + 0.3 · frequency + 0.3 · intrinsic of every row, in [0, 1].

    recency = exp(-ln 2 · (d / HL)^β): d days since the last access (`used`, unix seconds; the recording if
    there was none), HL = 30 · exp(1.5 · importance) days, β by tier. Mnemo writes d^β / HL, which makes HL a
    half-life for β = 1 only. frequency = 1 - exp(-n / 5), times 0.5 + 0.5 · exp(-gap / 30) above one access;
    gap is the mean number of days between accesses since the recording. intrinsic = importance · confidence.
    Importance is in [0, 1] here. Mnemo's emotional salience, a guess from word lists, is omitted.
    """
    importance = rows.importance / 5.0
    shape = np.array([SHAPES[tier] for tier in TIERS])[rows.tier]
    half = 30.0 * np.exp(1.5 * importance)
    recency = weibull((now - used) / _DAY, half / np.power(np.log(2.0), 1.0 / shape), shape)
    gap = np.maximum(used - rows.recorded, 0.0) / _DAY / np.maximum(accesses, 1.0)
    regular = np.where(accesses > 1, 0.5 + 0.5 * np.exp(-gap / 30.0), 1.0)
    frequency = (1.0 - np.exp(-accesses / 5.0)) * regular
    result: Scores = np.round(0.4 * recency + 0.3 * frequency + 0.3 * importance * rows.confidence, 9)
    return result


def moves(rows: Rows, accesses: Scores, used: Scores, now: float) -> list[tuple[int, Tier]]:
    """Return (key, new tier) of the memories that change their tier, in the order of `rows`; one step at a time.

    Peripheral to working: 3 accesses and a composite of 0.4. Working to core: 10 accesses, a composite of 0.7
    and importance 4. Working to peripheral: a composite below 0.15, or recorded more than 60 days ago and fewer
    than 3 accesses. Core to working: a composite below 0.15 and fewer than 3 accesses. `accesses` and `used`
    (unix seconds of the last access, or of the recording) are aligned with `rows`.
    """
    value = composite(rows, accesses, used, now)
    core, working, peripheral = (rows.tier == TIERS.index(tier) for tier in ("core", "working", "peripheral"))
    seldom = accesses < 3
    raised = working & (accesses >= 10) & (value >= 0.7) & (rows.importance >= 4)
    old = (now - rows.recorded) / _DAY > 60.0
    lowered = working & ~raised & ((value < 0.15) | (old & seldom))
    back = (peripheral & (accesses >= 3) & (value >= 0.4)) | (core & (value < 0.15) & seldom)
    targets: tuple[tuple[NDArray[np.bool_], Tier], ...] = (
        (raised, "core"),
        (back, "working"),
        (lowered, "peripheral"),
    )
    found = [(int(place), tier) for mask, tier in targets for place in np.flatnonzero(mask)]
    return [(int(rows.keys[place]), tier) for place, tier in sorted(found)]
