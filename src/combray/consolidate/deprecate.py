"""Deprecation: facts of low confidence leave retrieval until evidence or a user restores them.

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.consolidate.belief import Belief, confidence
from combray.consolidate.state import Planning
from combray.consolidate.steps import Confirm, Deprecate, Revive
from combray.runtime import Reader, Runtime
from combray.scoring.confidence import DEPRECATED_BELOW
from combray.types import LIVE_STATUSES

_BY_A_PERSON = ("restore",)


@dataclass(frozen=True)
class DeprecateFacts:
    """Deprecates facts with a confidence below `below`, and revives deprecated ones that have reached it again.

    A restore by the user counts as evidence of that moment, so the fact is not deprecated again for its age.
    Status is a function of confidence alone and does not depend on how often consolidation runs.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "confidence")
    gives: ClassVar[tuple[str, ...]] = ()
    below: float = DEPRECATED_BELOW

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        """Plan Deprecate, Revive and Confirm."""
        reader = runtime.store.reader(state.namespace)
        for key in sorted(state.facts):
            fact = state.facts[key]
            now = confidence(fact, state.now)
            if fact.status == "deprecated" and now >= self.below:
                state.take(Revive(key), f"confidence {now:.2f}")
            elif fact.status in LIVE_STATUSES and now < self.below:
                self._deprecate(state, key, _restored(reader, key))
        return state

    def _deprecate(self, state: Planning, key: int, restored: float) -> None:
        belief, evidence = Belief.of(state.facts[key]), len(state.facts[key].evidence)
        if restored and belief.base(evidence) < self.below:
            # Age is not the cause, so a newer date cannot help. What the user restored stays.
            return
        if restored > belief.at:
            state.take(Confirm(key, restored), "restored by hand")
        now = confidence(state.facts[key], state.now)
        if now < self.below:
            state.take(Deprecate(key), f"confidence {now:.2f}")


def _restored(reader: Reader, key: int) -> float:
    """Return when the user last restored the fact, unix seconds, or 0."""
    moments = [each.changed_at.timestamp() for each in reader.history(key) if each.operation in _BY_A_PERSON]
    return max(moments, default=0.0)
