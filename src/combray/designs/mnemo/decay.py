"""Age in the score: Weibull decay by tier, or decay by the age of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.scoring.decay import SHAPES, weibull
from combray.scoring.ranking import DECIMALS
from combray.types import TIERS

_DAY = 86_400.0

SCALES: Mapping[str, float] = {"core": 30.0, "working": 30.0, "peripheral": 30.0}
"""λ by tier, in days. Mnemo names no λ; its configuration has a recency of 30 days."""


@stage
class WeibullDecay:
    """Lowers the fused score by exp(-(t/λ)^β), β by tier, t in days since the memory's moment (Mnemo 5).

    What the curve of each tier keeps with λ = 30 days:

    - core (β 0.8) falls fastest at first and slowest later: .73 after 7 days, .37 after 30, .09 after 90;
    - working (β 1.0) is the plain exponential: .79, .37, .05;
    - peripheral (β 1.3) holds longest at first and falls fastest later: .86, .37, .015.

    Before t = λ peripheral memories keep most, at λ all keep 1/e, after λ core memories keep most. Mnemo's
    description swaps the two; its formula and constants are kept. A moment in the future counts as age 0.

    Evidence goes before age: the score is multiplied by 1 - (1 - floor) · (1 - r · evidence) · (1 - curve).
    Evidence is the candidate's best score of a path as a share of that path's best; r = `respected`. So no
    candidate loses more than 1 - `floor`, and of those that match best age decides only among equals.
    Multiplied by the bare curve, an exact name of last year ranks below recent noise (LoCoMo: recall@10 of 18
    instead of 63). The curve alone is the signal `decay`.
    """

    needs = ("anchor",)
    gives = ("score",)
    shapes: Mapping[str, float] = field(default_factory=lambda: SHAPES)
    scales: Mapping[str, float] = field(default_factory=lambda: SCALES)
    floor: float = 0.9
    """Least share of a score that is left: Mnemo's floor of its core tier."""
    respected: float = 0.99
    """Share of the loss that the best evidence prevents, 0-1. The rest is less than one rank of the fusion."""
    paths: tuple[str, ...] = ("vector", "bm25")
    """Signals of the search paths that are evidence."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        rows = state.columns()
        shape = np.array([self.shapes[tier] for tier in TIERS])[rows.tier]
        scale = np.array([self.scales[tier] for tier in TIERS])[rows.tier]
        left = weibull((state.now - rows.moment) / _DAY, scale, shape)
        evidence = np.zeros(len(state.keys))
        for name in self.paths:
            scores = state.signals.get(name, evidence)
            evidence = np.maximum(evidence, scores / (scores.max() or 1.0))
        state.signals["decay"] = left
        lost = (1.0 - self.floor) * (1.0 - self.respected * evidence) * (1.0 - left)
        state.scores = np.round(state.signals["anchor"] * (1.0 - lost), DECIMALS)
        return state
