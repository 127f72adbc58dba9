"""Fading: what time takes from a fact without new evidence (Semantic facts, section 3; SEEDS.md 18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.consolidate.belief import confidence
from combray.consolidate.state import Planning
from combray.consolidate.steps import Fade
from combray.runtime import Runtime


@dataclass(frozen=True)
class FadeFacts:
    """Writes every fact's confidence as of now: its base, times exp(-0.01 a day since its last evidence).

    Stored in hundredths, rounded up; the bounds 0.3 and 0.5 hold of the stored value exactly when they hold
    of the exact one. Not counted against the cap: it decides nothing by itself.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "evidence")
    gives: ClassVar[tuple[str, ...]] = ("confidence",)

    def __call__(self, state: Planning, _runtime: Runtime) -> Planning:
        """Plan a Fade for each fact whose confidence is another than that stored."""
        for key in sorted(state.facts):
            fact = state.facts[key]
            now = confidence(fact, state.now)
            state.take(Fade(key), f"{fact.confidence:.2f} → {now:.2f}")
        return state
