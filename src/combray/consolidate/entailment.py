"""Pairs that a model of natural language inference settles: it is sure of them in both directions.

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from combray.runtime import Judge
from combray.types import Memory

Decision = Literal["supersedes", "corrects", "same", "both", "unsure"]
Why = Literal["another value", "it ended", "rescheduled", "it was wrong", "same statement", "different things"]
"""Reasons that may be stored with a plan: none has a word of a memory."""
SURE_FROM = 0.95
"""Least share, in both directions. High, because such models take two subjects for one more often than people."""


class Decided(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision on one pair, by its number."""

    pair: int
    decision: Decision
    reason: Why


def entailed(model: Judge, pairs: Sequence[tuple[Memory, Memory]]) -> dict[int, Decided]:
    """Return decisions on pairs (later, earlier), by number from 1, for the pairs that the model is sure of.

    Entailment both ways: they say the same. Contradiction both ways, by one author: the later one supersedes.
    Raises ModelError.
    """
    texts = [(old.content, new.content) for new, old in pairs]
    there, back = model.judge(texts), model.judge([(new, old) for old, new in texts])
    found: dict[int, Decided] = {}
    for number, ((new, old), first, second) in enumerate(zip(pairs, there, back, strict=True), 1):
        if first is None or second is None:
            continue
        if min(first.entailment, second.entailment) >= SURE_FROM:
            found[number] = Decided(number, "same", "same statement")
        elif min(first.contradiction, second.contradiction) >= SURE_FROM and new.author == old.author:
            found[number] = Decided(number, "supersedes", "another value")
    return found
