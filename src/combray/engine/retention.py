"""What may go: memories of little importance, texts of poor quality, and what hangs on a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.audit.audited import audited
from combray.engine.changes import without_evidence
from combray.engine.namespace import Namespace, Verbs
from combray.language.quality import warnings
from combray.pipeline import walk
from combray.records import dataclass
from combray.remember.retain import Prune, RefreshImportance, degrees, last_used
from combray.runtime import Filter
from combray.types import Memory

if TYPE_CHECKING:
    from combray.audit.erasure import Derived

_DAY = 86_400.0
NO_EVIDENCE = "none of the turns it was extracted from is there and current"


@dataclass(frozen=True, slots=True)
class PruningCandidate:
    """A memory of little importance now. An immune one is never pruned automatically."""

    memory: Memory
    effective_importance: float
    days_since_access: float
    edge_count: int
    immune: bool


@dataclass(frozen=True, slots=True)
class Review:
    """A memory whose text has quality warnings, and the warnings."""

    memory: Memory
    warnings: tuple[str, ...]


class Retention:
    """`engine.retention`: which memories could be dropped, and which to keep. Deletes nothing."""

    def __init__(self, at: Namespace) -> None:
        self._at = at
        stages = list(walk(at.preset.remember.stages))
        self._importance = next(
            (each for each in stages if isinstance(each, RefreshImportance)), RefreshImportance()
        )
        self._prune = next((each for each in stages if isinstance(each, Prune)), Prune())

    @audited("gc")
    def candidates(self, *, threshold: float = 0.5, limit: int = 20) -> list[PruningCandidate]:
        """Memories whose effective importance is below the threshold, least important first."""
        reader = self._at.reader
        now = self._at.runtime.clock()
        keys = reader.scan(Filter())
        if not len(keys):
            return []
        rows = reader.rows(keys)
        counted = reader.accesses(keys)
        used = last_used(reader, keys, rows, counted)
        every = [int(key) for key in keys]
        degree = degrees(reader, every)
        scored = []
        for place, key in enumerate(every):
            days = (now - float(used[place])) / _DAY
            accesses = float(counted[place])
            importance = int(rows.importance[place])
            value = self._importance.effective(importance, accesses, days, degree[key])
            if value < threshold:
                scored.append((round(value, 6), key, days, self._prune.immune(importance, accesses)))
        chosen = sorted(scored)[:limit]
        found = reader.memories(key for _, key, _, _ in chosen)
        return [
            PruningCandidate(memory, value, round(days, 2), degree[key], safe)
            for memory, (value, key, days, safe) in zip(found, chosen, strict=True)
        ]

    @audited("review")
    def review(self, limit: int = 20) -> list[Review]:
        """Memories with quality warnings, and facts whose evidence is gone, most warnings first."""
        reader = self._at.reader
        found = []
        facts = reader.memories(reader.scan(Filter(kinds=("fact", "insight", "summary"))))
        gone = without_evidence(reader, facts)
        for memory in facts:
            messages = tuple(warning.message for warning in warnings(memory.content))
            messages += (NO_EVIDENCE,) * (memory.id in gone)
            if messages:
                found.append(Review(memory, messages))
        found.sort(key=lambda each: (-len(each.warnings), each.memory.id))
        return found[:limit]

    @audited("keep", reads=False)
    def keep(self, memory_id: str) -> Memory:
        """Mark a memory as worth keeping: it counts as many accesses more as make it immune to pruning."""
        now = self._at.runtime.clock()
        with self._at.runtime.store.transaction(self._at.namespace) as tx:
            key = self._at.key_of(memory_id, tx)
            tx.touch({key: (self._prune.immune_accesses, now)})
            (memory,) = tx.memories([key])
            tx.note("keep", memory.id, "", now)
        return memory

    @audited("derived")
    def derived(self, memory_id: str) -> Derived:
        """Memories made from this one, citing it as evidence, or quoting it. Look here before an erase.

        Reads the whole namespace. Raises NotFoundError.
        """
        from combray.audit import erasure

        return erasure.derived(self._at.reader, [Verbs(self._at).get(memory_id)])
