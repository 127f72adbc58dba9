"""Moves between tiers, with the first write of an hour."""

from __future__ import annotations

from combray.forms.remembering import Remembering
from combray.records import dataclass
from combray.remember.retain import COUNTED, last_used
from combray.runtime import Filter, Runtime
from combray.scoring.ageing import TierRule

_HOUR = 3_600.0
_WRITES = ("remember", "remember_many")
_LINES = 64
"""Lines of the log that are searched for the previous write."""


@dataclass(frozen=True)
class MoveTiers(TierRule):
    """Moves memories between tiers with the first write of a clock hour; every change is a version row.

    Facts, insights and summaries move, what has expired aside; episodes and chunks are originals and stay as
    they are. A run looks at `looked_at` memories (the next ones the next hour, so that all get their turn) and
    changes `most` of them at most. The other fields are the bounds of the tiers (`scoring/ageing.py`).
    """

    needs = ("settled",)
    advises = True
    looked_at: int = 2000
    most: int = 500

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        tx, hour = state.writer, state.now // _HOUR
        # The log has the time of the write before this one.
        before = next((line["at"] for line in tx.log(_LINES) if line["operation"] in _WRITES), None)
        if before is not None and before.timestamp() // _HOUR >= hour:
            return state
        keys = tx.scan(Filter(kinds=COUNTED, now=state.now))
        # The part of the keys for this hour.
        parts = -(-len(keys) // self.looked_at)
        start = int(hour) % max(parts, 1) * self.looked_at
        keys = keys[start : start + self.looked_at]
        if not len(keys):
            return state
        rows, accesses = tx.rows(keys), tx.accesses(keys)
        moved = self.moves(rows, accesses, last_used(tx, keys, rows, accesses), state.now)[: self.most]
        for key, tier in moved:
            tx.change(key, "move_tier", "remember", state.now, tier=tier)
        if moved:
            tx.note("move_tiers", "", f"{len(moved)} moved", state.now)
        return state
