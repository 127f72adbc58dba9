"""Tiers: memories that are used and important become core, memories without access become peripheral.

Source: Mnemo, see docs/reference/presets.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Rows, Scores
from combray.scoring.decay import SHAPES, weibull
from combray.types import TIERS, Tier

_DAY = 86_400.0


@dataclass(frozen=True)
class TierRule:
    """When a memory changes its tier, by its accesses and a composite of recency, frequency and importance.

    Peripheral to working: `working_accesses` and a composite of `working_from`. Working to core: `core_accesses`,
    a composite of `core_from` and an importance of `core_importance`. Working to peripheral: a composite below
    `dropped_below`, or recorded more than `old_days` ago with fewer than `seldom` accesses. Core to working:
    a composite below `dropped_below` and fewer than `seldom` accesses.

    The composite is recency_weight · recency + frequency_weight · frequency + intrinsic_weight · intrinsic.
    Source of all defaults: Mnemo, see docs/reference/presets.md.
    """

    working_accesses: int = 3
    working_from: float = 0.4
    core_accesses: int = 10
    core_from: float = 0.7
    core_importance: int = 4
    dropped_below: float = 0.15
    old_days: float = 60.0
    seldom: int = 3
    recency_weight: float = 0.4
    frequency_weight: float = 0.3
    intrinsic_weight: float = 0.3
    half_life_days: float = 30.0
    half_life_growth: float = 1.5
    accesses_scale: float = 5.0
    gap_days: float = 30.0
    least_regular: float = 0.5

    def composite(self, rows: Rows, accesses: Scores, used: Scores, now: float) -> Scores:
        """Return the composite of every row, in [0, 1] with the default weights.

        recency = exp(-ln 2 · (d / HL)^β): d days since the last access (`used`, unix seconds; the recording if
        there was none), HL = half_life_days · exp(half_life_growth · importance) days, β by tier. Mnemo writes
        d^β / HL, which makes HL a half-life for β = 1 only. frequency = 1 - exp(-n / accesses_scale), above one
        access times r + (1 - r) · exp(-gap / gap_days) with r = least_regular; gap is the mean number of days
        between accesses since the recording. intrinsic = importance · confidence. Importance is in [0, 1] here.
        Mnemo's emotional salience, a guess from word lists, is omitted.
        """
        importance = rows.importance / 5.0
        shape = np.array([SHAPES[tier] for tier in TIERS])[rows.tier]
        half = self.half_life_days * np.exp(self.half_life_growth * importance)
        recency = weibull((now - used) / _DAY, half / np.power(np.log(2.0), 1.0 / shape), shape)
        gap = np.maximum(used - rows.recorded, 0.0) / _DAY / np.maximum(accesses, 1.0)
        falling = (1.0 - self.least_regular) * np.exp(-gap / self.gap_days)
        regular = np.where(accesses > 1, self.least_regular + falling, 1.0)
        frequency = (1.0 - np.exp(-accesses / self.accesses_scale)) * regular
        intrinsic = self.intrinsic_weight * importance * rows.confidence
        result: Scores = np.round(
            self.recency_weight * recency + self.frequency_weight * frequency + intrinsic, 9
        )
        return result

    def moves(self, rows: Rows, accesses: Scores, used: Scores, now: float) -> list[tuple[int, Tier]]:
        """Return (key, new tier) of the memories that change their tier, in the order of `rows`.

        A memory moves one step at a time. `accesses` and `used` (unix seconds of the last access, or of the
        recording) are aligned with `rows`.
        """
        value = self.composite(rows, accesses, used, now)
        core, working, peripheral = (rows.tier == TIERS.index(tier) for tier in ("core", "working", "peripheral"))
        seldom, dropped = accesses < self.seldom, value < self.dropped_below
        important = rows.importance >= self.core_importance
        raised = working & (accesses >= self.core_accesses) & (value >= self.core_from) & important
        old = (now - rows.recorded) / _DAY > self.old_days
        lowered = working & ~raised & (dropped | (old & seldom))
        returned = peripheral & (accesses >= self.working_accesses) & (value >= self.working_from)
        targets: tuple[tuple[NDArray[np.bool_], Tier], ...] = (
            (raised, "core"),
            (returned | (core & dropped & seldom), "working"),
            (lowered, "peripheral"),
        )
        found = [(int(place), tier) for mask, tier in targets for place in np.flatnonzero(mask)]
        return [(int(rows.keys[place]), tier) for place, tier in sorted(found)]
