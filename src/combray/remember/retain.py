"""Effective importance, hiding the least important memories above a limit, and moves between tiers."""

from __future__ import annotations

import numpy as np

from combray.forms.remembering import Remembering
from combray.records import dataclass
from combray.runtime import Filter, Keys, Reader, Rows, Runtime, Scores
from combray.scoring.ageing import ImportanceRule
from combray.types import GRAPH_EDGES

_DAY = 86_400.0
COUNTED = ("fact", "insight", "summary")


@dataclass(frozen=True)
class RefreshImportance(ImportanceRule):
    """Computes the effective importance of the new memories, and of those that skipped texts repeat.

    `Prune` goes by the same rule.
    """

    needs = ("written", "temporal_edges", "entity_edges", "causal_edges", "semantic_edges")
    gives = ("effective_importance",)
    advises = True

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        state.importance = self
        for draft in state.drafts:
            # What is quarantined weighs nothing, and None is for presets that compute nothing.
            draft.effective_importance = 0.0
        for draft in state.written:
            days = (state.now - draft.memory.recorded_at.timestamp()) / _DAY
            edges = sum(draft.edges.values())
            draft.effective_importance = self.effective(draft.memory.importance, 0, days, edges)
        repeating = [draft for draft in state.drafts if draft.skipped]
        known = {draft.matched for draft in repeating if draft.matched is not None}
        now = self.of(state.writer, sorted(known), state.now) if known else {}
        for draft in repeating:
            if draft.matched is not None:
                draft.effective_importance = now[draft.matched]
            elif draft.twin is not None:
                draft.effective_importance = draft.twin.effective_importance
        return state

    def of(self, reader: Reader, known: list[int], now: float) -> dict[int, float]:
        """Return the effective importance of stored memories by key."""
        keys = np.array(known, dtype=np.int64)
        rows, accesses, degree = reader.rows(keys), reader.accesses(keys), degrees(reader, known)
        used = last_used(reader, keys, rows, accesses)
        columns = zip(known, rows.importance.tolist(), accesses.tolist(), used.tolist(), strict=True)
        return {
            key: self.effective(int(importance), count, (now - since) / _DAY, degree[key])
            for key, importance, count, since in columns
        }


@dataclass(frozen=True)
class Prune:
    """Hides the least important facts above `most`: at most `batch` for each new one, and never a new one.

    Hidden means status "forgotten": out of recall, still there, one `restore` from being back. Episodes
    are not counted: they are the originals that facts rest on. Memories of `immune_importance` or more, or with
    `immune_accesses` or more, are never hidden. Source of all defaults: Mnemon, see docs/reference/presets.md.
    """

    needs = ("written", "effective_importance")
    advises = True
    most: int = 1000
    batch: int = 10
    immune_importance: int = 4
    immune_accesses: int = 3

    def __call__(self, state: Remembering, _runtime: Runtime) -> Remembering:
        if self.most <= 0 or not state.written:
            return state
        tx = state.writer
        over = tx.count_live(COUNTED) - self.most
        if over <= 0:
            return state
        # The writer's columns show the store before this write, so the new memories are not among these.
        ranked = self._least_important(tx, state.importance, state.now)
        ranked = [key for key in ranked if key not in state.replaced]
        for key in ranked[: min(over, self.batch * len(state.written))]:
            tx.change(key, "prune", "remember", state.now, status="forgotten")
            state.pruned += 1
        return state

    def immune(self, importance: int, accesses: float) -> bool:
        """Whether a memory is never hidden for being unimportant."""
        return importance >= self.immune_importance or accesses >= self.immune_accesses

    def _least_important(self, reader: Reader, rule: ImportanceRule, now: float) -> list[int]:
        """Keys of all that may be hidden, least important first, ties by key."""
        keys = reader.scan(Filter(kinds=COUNTED))
        if not len(keys):
            return []
        rows = reader.rows(keys)
        accesses = reader.accesses(keys)
        used = last_used(reader, keys, rows, np.where(accesses < self.immune_accesses, accesses, 0))
        degree = degrees(reader, keys.tolist())
        scored = []
        for key, importance, count, since in zip(
            keys.tolist(), rows.importance.tolist(), accesses, used, strict=True
        ):
            if not self.immune(importance, count):
                value = rule.effective(int(importance), count, (now - since) / _DAY, degree[key])
                scored.append((round(value, 9), key))
        return [key for _, key in sorted(scored)]


def degrees(reader: Reader, keys: list[int]) -> dict[int, int]:
    """Return how many edges of the graph each memory has."""
    degree = dict.fromkeys(keys, 0)
    for link in reader.links(keys, GRAPH_EDGES):
        for end in {link.source, link.target} & degree.keys():
            degree[end] += 1
    return degree


def last_used(reader: Reader, keys: Keys, rows: Rows, accesses: Scores) -> Scores:
    """Unix seconds of each memory's last access; of its recording where it has never been accessed."""
    used = rows.recorded.copy()
    for at, memory in zip(np.flatnonzero(accesses), reader.memories(keys[np.flatnonzero(accesses)]), strict=True):
        if memory.last_accessed_at is not None:
            used[at] = max(used[at], memory.last_accessed_at.timestamp())
    return used
