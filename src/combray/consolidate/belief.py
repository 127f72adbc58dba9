"""What the confidence of a fact rests on: kept in its metadata, so that it is never computed from itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from combray.scoring.confidence import PENALTY, grown, stepped
from combray.scoring.decay import faded
from combray.types import Memory

PLACE = "_belief"
"""The name in a memory's metadata."""


class Belief(msgspec.Struct, frozen=True):
    """Confidence before anything happened, and what has happened since.

    `start`: confidence when consolidation first saw the fact; `given`: how much evidence it had then, which
    `start` counts in already; `at`: the date of the last evidence, unix seconds; `halved`: contradictions
    that neither side won.
    """

    start: float
    given: int
    at: float
    halved: int = 0

    @classmethod
    def of(cls, memory: Memory) -> Belief:
        """The belief behind a fact; for one that no run has touched, it starts with the day it was recorded.

        Not with the day it is about: what is known of 1990 is not forgotten for that.
        """
        kept = memory.metadata.get(PLACE)
        if kept is not None:
            try:
                return msgspec.convert(kept, cls)
            except msgspec.ValidationError:
                pass
        return cls(memory.confidence, len(memory.evidence), memory.recorded_at.timestamp())

    def base(self, evidence: int) -> float:
        """Confidence with that many pieces of evidence, before fading."""
        return grown(self.start, max(0, evidence - self.given)) * PENALTY**self.halved

    def value(self, evidence: int, now: float) -> float:
        """Confidence now, exactly."""
        return faded(self.base(evidence), now - self.at)


def confidence(memory: Memory, now: float) -> float:
    """Exact confidence of a fact now, in [0, 1]."""
    return Belief.of(memory).value(len(memory.evidence), now)


def shown(belief: Belief, evidence: int, now: float) -> float:
    """The same in hundredths, as it is stored."""
    return stepped(belief.value(evidence, now), belief.base(evidence))


def believing(memory: Memory, belief: Belief, evidence: tuple[str, ...], now: float) -> dict[str, Any]:
    """The fields of a memory that another belief or other evidence change; those that stay are left out."""
    fields: dict[str, Any] = {}
    if evidence != memory.evidence:
        fields["evidence"] = evidence
    value = shown(belief, len(evidence), now)
    if value != memory.confidence:
        fields["confidence"] = value
    kept = msgspec.to_builtins(belief)
    if (fields or belief != Belief.of(memory)) and memory.metadata.get(PLACE) != kept:
        fields["metadata"] = {**memory.metadata, PLACE: kept}
    return fields


def begins(memory: Memory) -> datetime:
    """From when a fact says what it says."""
    return memory.valid_from or memory.moment
