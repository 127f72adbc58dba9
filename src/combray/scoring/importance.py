"""Effective importance: how much a memory matters now, by its importance, use, age and edges."""

from __future__ import annotations

import math

from combray.records import dataclass
from combray.scoring.decay import half_left


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
        return self.base[importance - 1] * reinforced * half_left(days, self.half_life_days) * linked
