"""Tiers follow use: moves are made with a write; `scoring/tiers.py` decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.remember.retain import last_used
from combray.remember.state import Remembering
from combray.runtime import Filter, Keys, Runtime, Writer
from combray.scoring.tiers import moves

_HOUR = 3_600.0
_MOVED = ("fact", "insight", "summary")
_WRITES = ("remember", "remember_many")
_LINES = 64
"""Lines of the log that are looked through for the write before this one."""


@dataclass(frozen=True)
class MoveTiers:
    """Moves memories between tiers with the first write of a clock hour; every change is a version row.

    Facts, insights and summaries move, what has expired aside; episodes and chunks are originals and stay as
    they are. A run looks at `looked_at` memories (the next ones the next hour, so that all get their turn) and
    changes `most` of them at most.
    """

    needs: ClassVar[tuple[str, ...]] = ("settled",)
    gives: ClassVar[tuple[str, ...]] = ()
    looked_at: int = 2000
    most: int = 500

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        tx = state.writer
        if not _first_of_the_hour(tx, state.now):
            return state
        keys = self._turn(tx.scan(Filter(kinds=_MOVED, now=state.now)), state.now)
        if not len(keys):
            return state
        rows, accesses = tx.rows(keys), tx.accesses(keys)
        moved = moves(rows, accesses, last_used(tx, keys, rows, accesses), state.now)[: self.most]
        for key, tier in moved:
            tx.change(key, "move_tier", "remember", state.now, tier=tier)
        if moved:
            tx.note("move_tiers", "", f"{len(moved)} moved", state.now)
        return state

    def _turn(self, keys: Keys, now: float) -> Keys:
        """The part of the keys whose turn it is this hour."""
        parts = -(-len(keys) // self.looked_at)
        start = int(now // _HOUR) % max(parts, 1) * self.looked_at
        return keys[start : start + self.looked_at]


def _first_of_the_hour(tx: Writer, now: float) -> bool:
    """Whether the write before this one was in another clock hour: the log knows, so nothing need be kept."""
    written = (line["at"] for line in tx.log(_LINES) if line["operation"] in _WRITES)
    before = next(written, None)
    return before is None or before.timestamp() // _HOUR < now // _HOUR
