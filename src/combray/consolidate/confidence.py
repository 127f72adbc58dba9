"""What confidence and use decide: decay, deprecation and tiers. Source: docs/explanation/consolidation.md."""

from __future__ import annotations

import numpy as np

from combray.consolidate.belief import Belief, confidence
from combray.consolidate.state import Planning
from combray.consolidate.steps import Confirm, Deprecate, Fade, MoveTier, Revive
from combray.records import dataclass, replace
from combray.runtime import Rows, Runtime
from combray.scoring.ageing import DEPRECATED_BELOW, TierRule
from combray.types import LIVE_STATUSES, TIERS, Memory


@dataclass(frozen=True)
class FadeFacts:
    """Updates every fact's confidence: its base, times exp(-0.01) per day since the last evidence.

    Stored in hundredths, rounded up, so that the stored value crosses the bounds 0.3 and 0.5 exactly when the
    exact one does. Does not count against the cap on changes. Facts that somebody stored keep their confidence,
    unless `stored` is on: the Semantic Fact System lets them decay.
    """

    needs = ("facts", "evidence")
    gives = ("confidence",)
    stored: bool = False

    def __call__(self, state: Planning, _runtime: Runtime) -> Planning:
        for key in sorted(state.facts):
            fact = state.facts[key]
            now = Belief.of(fact).ageing(fact, stored=self.stored).value(len(fact.evidence), state.now)
            state.take(Fade(key, self.stored), f"{fact.confidence:.2f} → {now:.2f}")
        return state


@dataclass(frozen=True)
class DeprecateFacts:
    """Deprecates facts with a confidence below `below`, and revives deprecated ones that have reached it again.

    A restore by the user counts as evidence of that moment, so the fact is not deprecated again for its age.
    Status is a function of confidence alone and does not depend on how often consolidation runs.
    """

    needs = ("facts", "confidence")
    below: float = DEPRECATED_BELOW

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        reader = runtime.store.reader(state.namespace)
        for key in sorted(state.facts):
            fact = state.facts[key]
            now = confidence(fact, state.now)
            if fact.status == "deprecated" and now >= self.below:
                state.take(Revive(key), f"confidence {now:.2f}")
            elif fact.status in LIVE_STATUSES and now < self.below:
                changes = [each for each in reader.history(key) if each.operation == "restore"]
                restored = max((each.changed_at.timestamp() for each in changes), default=0.0)
                belief = Belief.of(fact)
                if restored and belief.base(len(fact.evidence)) < self.below:
                    # Age is not the cause, so a newer date cannot help. What the user restored stays.
                    continue
                if restored > belief.at:
                    state.take(Confirm(key, restored), "restored by hand")
                now = confidence(state.facts[key], state.now)
                if now < self.below:
                    state.take(Deprecate(key), f"confidence {now:.2f}")
        return state


_AT_ONCE = 5_000


@dataclass(frozen=True)
class PromoteFacts(TierRule):
    """Moves every fact to the tier that its accesses, importance, confidence and age determine.

    One run moves as far as necessary, even from core to peripheral, so a second run at the same time changes
    nothing. The fields are the bounds of the tiers (`scoring/ageing.py`).
    """

    needs = ("facts", "confidence")

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        reader = runtime.store.reader(state.namespace)
        # Facts of this run are not in the store yet, and too recent to move.
        live = state.live()
        stored = [key for key, known in zip(live, reader.ids(_array(live)), strict=True) if known]
        for start in range(0, len(stored), _AT_ONCE):
            some = stored[start : start + _AT_ONCE]
            facts = [state.facts[key] for key in some]
            # The columns with the planned confidence.
            rows = replace(reader.rows(_array(some)), confidence=np.array([fact.confidence for fact in facts]))
            wanted = _settled(self, rows, facts, state.now)
            for key, fact in zip(some, facts, strict=True):
                tier = wanted.get(key, fact.tier)
                state.take(MoveTier(key, tier), f"{fact.tier} → {tier}, used {fact.access_count} times")
            state.report(self, min(start + _AT_ONCE, len(stored)), len(stored))
        return state


def _array(keys: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(keys, dtype=np.int64)


def _settled(rule: TierRule, rows: Rows, facts: list[Memory], now: float) -> dict[int, str]:
    """Return the final tier by key of the facts that move."""
    accesses = np.array([float(fact.access_count) for fact in facts])
    used = np.array([(fact.last_accessed_at or fact.recorded_at).timestamp() for fact in facts])
    place = {int(key): at for at, key in enumerate(rows.keys)}
    settled: dict[int, str] = {}
    for _ in TIERS:
        moved = rule.moves(rows, accesses, used, now)
        if not moved:
            break
        tiers = rows.tier.copy()
        for key, tier in moved:
            tiers[place[key]] = TIERS.index(tier)
            settled[key] = tier
        rows = replace(rows, tier=tiers)
    return settled
