"""How time, use and evidence change what a memory counts: decay, importance, confidence, tiers.

Every formula of decay in Combray is here. Arrays of ages are for ranking, single ages for what is stored. A
negative age counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from combray.records import dataclass
from combray.runtime import Rows, Scores
from combray.types import TIERS, Tier

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


def exponential(days: Floats, rate: float) -> Floats:
    """Return exp(-rate · days)."""
    left: Floats = np.exp(-rate * np.maximum(days, 0.0))
    return left


def faded(base: float, seconds: float, *, decay: float = FACT_DECAY) -> float:
    """Return base · exp(-decay · days) of a single age in seconds; `decay` is a rate per day."""
    return base * math.exp(-decay * max(seconds, 0.0) / _DAY)


def weibull(days: Floats, scale: Floats, shape: Floats) -> Floats:
    """Return exp(-(days / scale)^shape), in [0, 1]: 1 at age 0 and 1/e at age `scale` for every shape.

    A shape below 1 falls fast before `scale` and slowly after it, above 1 the reverse; 1 is the plain
    exponential. Ages and scales in days, both broadcast.

    Source: Weibull, "A statistical distribution function of wide applicability", Journal of Applied Mechanics
    18 (1951), https://doi.org/10.1115/1.4010337.
    """
    left: Floats = np.exp(-np.power(np.maximum(days, 0.0) / scale, shape))
    return left


@dataclass(frozen=True)
class ImportanceRule:
    """base · max(1, ln(1 + accesses)) · 0.5^(days / half_life_days) · (1 + per_edge · min(edges, most_edges)).

    `base` has one value for each importance from 1 to 5. Source of all defaults: Mnemon's design, see
    docs/reference/presets.md.
    """

    base: tuple[float, float, float, float, float] = (0.15, 0.3, 0.5, 0.8, 1.0)
    half_life_days: float = 30.0
    per_edge: float = 0.1
    most_edges: int = 5

    def effective(self, importance: int, accesses: float, days: float, edges: int) -> float:
        """Return the effective importance: 0 to about 1.5 for a memory that was never accessed.

        `days` since the last access (or the recording); `edges`: how many edges it has.
        """
        # A store changed by hand may hold a negative count.
        reinforced = max(1.0, math.log1p(max(0.0, accesses)))
        linked = 1.0 + self.per_edge * min(edges, self.most_edges)
        left = math.pow(0.5, max(0.0, days) / self.half_life_days)
        return self.base[importance - 1] * reinforced * left * linked


GROWTH = 0.05
"""Share of the remaining doubt that one supporting episode removes: c += 0.05 (1 - c).

Source of this and the next bounds: Semantic facts, see docs/reference/presets.md."""
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

    Computed from the start and the evidence, never from the previous result, and applied one by one: thirty
    nightly runs and one run after thirty days give the same bits. `faded` adds the effect of time.
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
