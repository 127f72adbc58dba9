"""Lets the engine decide each pair, and counts the decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.pairs.sources import Pair
from combray import presets, settings, wiring
from combray.engine import Engine
from combray.runtime import Embedder

DECISIONS = ("DUPLICATE", "UPDATE", "CONFLICT", "ADD")
RIGHT = {"DUPLICATE": "duplicate", "UPDATE": "update", "CONFLICT": "contradiction"}
_BESIDE = "The ferry to the northern islands was cancelled because of fog."
"""A third statement in every store: deciding must not depend on being alone."""
_NOW = 1_735_689_600.0
_PAIRS_A_STORE = 500


@dataclass(frozen=True, slots=True)
class Decided:
    """A pair, the engine's decision and reason, and the cosine (NaN without an embedder)."""

    pair: Pair
    decision: str
    reason: str
    cosine: float


def decide(pairs: Sequence[Pair], preset: str, embedder: Embedder | None) -> list[Decided]:
    """Remember the old statement and another one, then the new one, in a namespace of its own each time."""
    decided: list[Decided] = []
    cosines = cosine(pairs, embedder)
    for start in range(0, len(pairs), _PAIRS_A_STORE):
        runtime = wiring.build(
            ":memory:", settings.load({"embedder": "none"}), clock=lambda: _NOW, model=embedder
        )
        first = Engine(runtime, "pair", presets.load(preset), {"max_memories": 0})
        for place, pair in enumerate(pairs[start : start + _PAIRS_A_STORE], start):
            engine = first.within(f"pair {place}")
            engine.remember_many([pair.old, _BESIDE], diff=False)
            result = engine.remember_many([pair.new])[0]
            decided.append(Decided(pair, result.diff_suggestion, result.reason, float(cosines[place])))
        first.close()
    return decided


def cosine(pairs: Sequence[Pair], embedder: Embedder | None) -> NDArray[np.float64]:
    """One cosine a pair; NaN without an embedder."""
    if embedder is None or not pairs:
        return np.full(len(pairs), np.nan)
    old, new = (embedder.embed([getattr(pair, side) for pair in pairs]) for side in ("old", "new"))
    found: NDArray[np.float64] = np.einsum("ij,ij->i", old, new).astype(np.float64)
    return found


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one decision; `given` times it was made, `due` times it should have been."""

    decision: str
    given: int
    due: int
    right: int

    @property
    def precision(self) -> float:
        """Share of the decisions that were right; 1 if it was never made: it did no harm."""
        return self.right / self.given if self.given else 1.0

    @property
    def recall(self) -> float:
        """Share of the pairs it was due for."""
        return self.right / self.due if self.due else 0.0


def score(decided: Iterable[Decided]) -> list[Score]:
    """One score for each decision that can be right or wrong."""
    both = Counter((each.decision, each.pair.relation) for each in decided)
    return [
        Score(
            decision,
            given=sum(count for (made, _), count in both.items() if made == decision),
            due=sum(count for (_, relation), count in both.items() if relation == due),
            right=both[decision, due],
        )
        for decision, due in RIGHT.items()
    ]
