"""Decay of confidence without new evidence. Source: docs/explanation/consolidation.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.consolidate.belief import confidence
from combray.consolidate.state import Planning
from combray.consolidate.steps import Fade
from combray.runtime import Runtime


@dataclass(frozen=True)
class FadeFacts:
    """Updates every fact's confidence: its base, times exp(-0.01) per day since the last evidence.

    Stored in hundredths, rounded up, so that the stored value crosses the bounds 0.3 and 0.5 exactly when the
    exact one does. Does not count against the cap on changes.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts", "evidence")
    gives: ClassVar[tuple[str, ...]] = ("confidence",)

    def __call__(self, state: Planning, _runtime: Runtime) -> Planning:
        """Plan a Fade for each fact whose confidence changed."""
        for key in sorted(state.facts):
            fact = state.facts[key]
            now = confidence(fact, state.now)
            state.take(Fade(key), f"{fact.confidence:.2f} → {now:.2f}")
        return state
