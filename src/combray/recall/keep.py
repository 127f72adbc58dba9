"""The relative cut: an answer holds what is near the best hit, and is not filled up to the limit."""

from __future__ import annotations

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime

KEEP = 0.5
"""Default share of the best score below which hits are dropped. Measured: bench/results/precision.md."""


@stage
class KeepStrong:
    """Drops candidates with less than `keep` of the best score; 0 drops none. The caller's `keep` goes first.

    If memories hold an entity that the query names exactly, the best of their scores is the measure. A memory
    whose text is the query stays and is no measure: in a chat the message has just been stored, and the answer is
    another.
    """

    needs = ("sorted",)
    keep: float = KEEP

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        drop_weak(state, self.keep)
        return state


def drop_weak(state: Recalling, default: float) -> None:
    """Drop candidates below a share of the best score, and count those for which the limit had room."""
    # Nothing is weak if only the time or the speaker was asked for, unless the caller says otherwise.
    spared = state.asked.whole and state.asked.keep is None
    keep = default if state.asked.keep is None else state.asked.keep
    # The share is applied once.
    state.asked.keep = 0.0
    if keep <= 0 or not len(state.keys):
        return
    exact, named = (state.signals.get(name, np.zeros(len(state.keys))) >= 1.0 for name in ("exact", "entity"))
    measures = next(each for each in (named & ~exact, ~exact, exact) if each.any())
    room = min(state.asked.limit, len(state.keys))
    kept = exact | spared | (state.scores >= keep * float(state.scores[measures].max()))
    if not kept.all():
        state.take(kept)
    state.details["dropped"] = state.details.get("dropped", 0) + room - min(state.asked.limit, len(state.keys))
    state.details["keep"] = keep
