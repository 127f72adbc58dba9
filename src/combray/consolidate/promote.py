"""Promotion and demotion of facts between the tiers core, working and peripheral."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from combray.consolidate.state import Planning
from combray.consolidate.steps import MoveTier
from combray.runtime import Rows, Runtime
from combray.scoring.tiers import moves
from combray.types import TIERS, Memory

_AT_ONCE = 5_000


@dataclass(frozen=True)
class PromoteFacts:
    """Moves every fact to the tier that its accesses, importance, confidence and age determine.

    One run moves as far as necessary, even from core to peripheral, so a second run at the same time changes
    nothing. Constants: `scoring/tiers.py`.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "confidence")
    gives: ClassVar[tuple[str, ...]] = ()

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        """Plan a MoveTier for each fact whose tier changes."""
        reader = runtime.store.reader(state.namespace)
        # Facts of this run are not in the store yet, and too recent to move.
        live = state.live()
        stored = [key for key, known in zip(live, reader.ids(_array(live)), strict=True) if known]
        for start in range(0, len(stored), _AT_ONCE):
            some = stored[start : start + _AT_ONCE]
            facts = [state.facts[key] for key in some]
            wanted = _settled(_as_planned(reader.rows(_array(some)), facts), facts, state.now)
            for key, fact in zip(some, facts, strict=True):
                tier = wanted.get(key, fact.tier)
                state.take(MoveTier(key, tier), f"{fact.tier} → {tier}, used {fact.access_count} times")
            state.tell(self, min(start + _AT_ONCE, len(stored)), len(stored))
        return state


def _array(keys: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(keys, dtype=np.int64)


def _as_planned(rows: Rows, facts: list[Memory]) -> Rows:
    """Return the columns with the planned confidence."""
    return replace(rows, confidence=np.array([fact.confidence for fact in facts]))


def _settled(rows: Rows, facts: list[Memory], now: float) -> dict[int, str]:
    """Return the final tier by key of the facts that move."""
    accesses = np.array([float(fact.access_count) for fact in facts])
    used = np.array([(fact.last_accessed_at or fact.recorded_at).timestamp() for fact in facts])
    place = {int(key): at for at, key in enumerate(rows.keys)}
    settled: dict[int, str] = {}
    for _ in TIERS:
        moved = moves(rows, accesses, used, now)
        if not moved:
            break
        tiers = rows.tier.copy()
        for key, tier in moved:
            tiers[place[key]] = TIERS.index(tier)
            settled[key] = tier
        rows = replace(rows, tier=tiers)
    return settled
