"""Too little confidence: out of all retrieval, until evidence or a person brings it back (section 3)."""

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
    """Deprecates facts below `below`, and brings back deprecated ones that evidence has lifted to it.

    A fact that a person restored is not deprecated again for its age: the restoring counts as evidence of
    that moment. Status is a function of confidence alone, so that it does not depend on how often this runs.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "confidence")
    gives: ClassVar[tuple[str, ...]] = ("deprecated",)
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
            # Age did not do it, so no date can mend it: what a person brought back stays.
            return
        if restored > belief.at:
            state.take(Confirm(key, restored), "restored by hand")
        now = confidence(state.facts[key], state.now)
        if now < self.below:
            state.take(Deprecate(key), f"confidence {now:.2f}")


def _restored(reader: Reader, key: int) -> float:
    """When a person last brought the fact back, unix seconds; 0 if nobody has."""
    moments = [each.changed_at.timestamp() for each in reader.history(key) if each.operation in _BY_A_PERSON]
    return max(moments, default=0.0)
