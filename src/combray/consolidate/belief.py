"""The inputs of a fact's confidence, stored in its metadata: confidence is never computed from itself."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Any

import msgspec

from combray.language.tense import tense_of
from combray.language.validity import validity_of
from combray.records import known
from combray.scoring.ageing import PENALTY, faded, grown, stepped
from combray.types import Memory
from combray.values import MADE_BY

PLACE = "_belief"
"""The key in a memory's metadata."""


class Belief(msgspec.Struct, frozen=True):
    """The initial confidence of a fact, and the events since.

    `start`: confidence when consolidation first saw the fact. `given`: the pieces of evidence that `start`
    includes. `at`: time of the last evidence, unix seconds. `halved`: unresolved contradictions. `fades`: whether
    it decays; None for a belief that was stored before this was asked.
    """

    start: float
    given: int
    at: float
    halved: int = 0
    fades: bool | None = None

    @classmethod
    def of(cls, memory: Memory) -> Belief:
        """Return the belief behind a fact. For a new fact it starts at the time of recording.

        Not at the time of the event: a fact about 1990 does not fade faster. What was derived fades, for its turn
        is found without it. What somebody stored does not (`steps.Fade`): nobody repeats a passport number.
        """
        belief = cls(memory.confidence, len(memory.evidence), memory.recorded_at.timestamp())
        with contextlib.suppress(msgspec.ValidationError):
            belief = msgspec.convert(memory.metadata.get(PLACE, belief), known(cls))
        return belief if belief.fades is not None else belief.ageing(memory)

    def ageing(self, memory: Memory, *, stored: bool = False) -> Belief:
        """Return the belief with `fades` set: for a derived fact, and with `stored` for any."""
        return msgspec.structs.replace(self, fades=stored or memory.source in MADE_BY)

    def base(self, evidence: int) -> float:
        """Return the confidence before decay."""
        return grown(self.start, max(0, evidence - self.given)) * PENALTY**self.halved

    def value(self, evidence: int, now: float) -> float:
        """Return the exact confidence now."""
        base = self.base(evidence)
        return faded(base, now - self.at) if self.fades else base


def confidence(memory: Memory, now: float) -> float:
    """Return the exact confidence of a fact now, in [0, 1]."""
    return Belief.of(memory).value(len(memory.evidence), now)


def believing(memory: Memory, belief: Belief, evidence: tuple[str, ...], now: float) -> dict[str, Any]:
    """Return the fields of a memory that a new belief or new evidence changes."""
    fields: dict[str, Any] = {}
    if evidence != memory.evidence:
        fields["evidence"] = evidence
    # In hundredths, as it is stored.
    value = stepped(belief.value(len(evidence), now), belief.base(len(evidence)))
    if value != memory.confidence:
        fields["confidence"] = value
    kept = msgspec.to_builtins(belief)
    if (fields or belief != Belief.of(memory)) and memory.metadata.get(PLACE) != kept:
        fields["metadata"] = {**memory.metadata, PLACE: kept}
    return fields


def begins(memory: Memory) -> datetime:
    """Return the time from which a fact is valid.

    "I have lived in Oslo since March", said in June, is younger than "I live in Berlin", said in April: a start
    that the text itself names does not make the fact older than it is.
    """
    if memory.valid_from is None:
        return memory.moment
    told = memory.valid_from < memory.moment and tense_of(memory.content) == "present"
    if told and validity_of(memory.content, "present", memory.moment)[0] == memory.valid_from:
        return memory.moment
    return memory.valid_from
