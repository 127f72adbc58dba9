"""Effective importance, hiding the least important memories above a limit, and moves between tiers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from combray.remember.state import Remembering
from combray.runtime import Filter, Keys, Reader, Rows, Runtime, Scores
from combray.scoring.decay import half_left
from combray.scoring.tiers import moves
from combray.types import GRAPH_EDGES

_BASE = {5: 1.0, 4: 0.8, 3: 0.5, 2: 0.3, 1: 0.15}
_DAY = 86_400.0
_COUNTED = ("fact", "insight", "summary")
IMMUNE_IMPORTANCE = 4
IMMUNE_ACCESSES = 3


def effective_importance(importance: int, accesses: float, days: float, edges: int) -> float:
    """base x max(1, ln(1+accesses)) x 0.5^(days since access / 30) x (1 + 0.1 min(edges, 5)).

    Source: Mnemon design, see docs/reference/presets.md. Ranges from 0 to about 1.5 for a memory never accessed.
    """
    # A store changed by hand may hold a negative count.
    reinforced = max(1.0, math.log1p(max(0.0, accesses)))
    return _BASE[importance] * reinforced * half_left(days, 30.0) * (1.0 + 0.1 * min(edges, 5))


def immune(importance: int, accesses: float) -> bool:
    """Never hidden for being unimportant: importance 4 and 5, or accessed three times."""
    return importance >= IMMUNE_IMPORTANCE or accesses >= IMMUNE_ACCESSES


@dataclass(frozen=True)
class RefreshImportance:
    """Computes the effective importance of the new memories."""

    needs = ("written", "temporal_edges", "entity_edges", "causal_edges", "semantic_edges")
    gives = ("effective_importance",)

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        for draft in state.written:
            days = (state.now - draft.memory.recorded_at.timestamp()) / _DAY
            edges = sum(draft.edges.values())
            draft.effective_importance = effective_importance(draft.memory.importance, 0, days, edges)
        return state


@dataclass(frozen=True)
class Prune:
    """Hides the least important facts above `most`: ten at most for each new one, and never a new one.

    Hidden means status "forgotten": out of recall, still there, one `restore` from being back. Episodes
    are not counted: they are the originals that facts rest on.
    """

    needs = ("written", "effective_importance")
    most: int = 1000
    batch: int = 10

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        if self.most <= 0 or not state.written:
            return state
        tx = state.writer
        over = tx.count_live(_COUNTED) - self.most
        if over <= 0:
            return state
        # The writer's columns show the store before this write, so the new memories are not among these.
        ranked = [each for each in least_important(tx, state.now) if each[0] not in state.replaced]
        for key, _ in ranked[: min(over, self.batch * len(state.written))]:
            tx.change(key, "prune", "remember", state.now, status="forgotten")
            state.pruned += 1
        return state


def last_used(reader: Reader, keys: Keys, rows: Rows, accesses: Scores) -> Scores:
    """Unix seconds of each memory's last access; of its recording where it has never been accessed."""
    used = rows.recorded.copy()
    for at, memory in zip(np.flatnonzero(accesses), reader.memories(keys[np.flatnonzero(accesses)]), strict=True):
        if memory.last_accessed_at is not None:
            used[at] = max(used[at], memory.last_accessed_at.timestamp())
    return used


def least_important(reader: Reader, now: float) -> list[tuple[int, float]]:
    """(key, effective importance) of all that may be hidden, least important first, ties by key."""
    keys = reader.scan(Filter(kinds=_COUNTED))
    if not len(keys):
        return []
    rows = reader.rows(keys)
    accesses = reader.accesses(keys)
    used = last_used(reader, keys, rows, np.where(accesses < IMMUNE_ACCESSES, accesses, 0))
    degree = dict.fromkeys(keys.tolist(), 0)
    for link in reader.links(degree, GRAPH_EDGES):
        for end in (link.source, link.target):
            if end in degree:
                degree[end] += 1
    scored = []
    for key, importance, count, since in zip(
        keys.tolist(), rows.importance.tolist(), accesses, used, strict=True
    ):
        if not immune(importance, count):
            days = (now - since) / _DAY
            scored.append((key, effective_importance(importance, count, days, degree[key])))
    order = np.lexsort(([key for key, _ in scored], [round(score, 9) for _, score in scored]))
    return [scored[at] for at in order]


_HOUR = 3_600.0
_WRITES = ("remember", "remember_many")
_LINES = 64
"""Lines of the log that are searched for the previous write."""


@dataclass(frozen=True)
class MoveTiers:
    """Moves memories between tiers with the first write of a clock hour; every change is a version row.

    Facts, insights and summaries move, what has expired aside; episodes and chunks are originals and stay as
    they are. A run looks at `looked_at` memories (the next ones the next hour, so that all get their turn) and
    changes `most` of them at most.
    """

    needs = ("settled",)
    looked_at: int = 2000
    most: int = 500

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        tx, hour = state.writer, state.now // _HOUR
        # The log has the time of the write before this one.
        before = next((line["at"] for line in tx.log(_LINES) if line["operation"] in _WRITES), None)
        if before is not None and before.timestamp() // _HOUR >= hour:
            return state
        keys = tx.scan(Filter(kinds=_COUNTED, now=state.now))
        # The part of the keys for this hour.
        parts = -(-len(keys) // self.looked_at)
        start = int(hour) % max(parts, 1) * self.looked_at
        keys = keys[start : start + self.looked_at]
        if not len(keys):
            return state
        rows, accesses = tx.rows(keys), tx.accesses(keys)
        moved = moves(rows, accesses, last_used(tx, keys, rows, accesses), state.now)[: self.most]
        for key, tier in moved:
            tx.change(key, "move_tier", "remember", state.now, tier=tier)
        if moved:
            tx.note("move_tiers", "", f"{len(moved)} moved", state.now)
        return state
