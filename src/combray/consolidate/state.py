"""The state of the consolidation pipeline: the facts, with the changes planned so far."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from combray.consolidate.relation import Pair, Relations, pair
from combray.consolidate.steps import Step, effect, weight
from combray.pipeline import stage_name
from combray.records import dataclass, field
from combray.runtime import Doubt, Ranked
from combray.types import LIVE_STATUSES, Memory
from combray.types import Step as Signed

UNSURE = "UNSURE"
"""The judge's answer on an open question that it cannot decide: it is not asked again, and rules still may."""


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One line of a plan for display: operation, memory, text, reason."""

    operation: str
    memory_id: str
    content: str
    detail: str


@dataclass(slots=True)
class Planning:
    """State of the consolidation pipeline. Nothing is written yet.

    A stage adds steps, and later stages see the facts as changed.

    `facts`: memories by key, including planned changes. `most`: maximum number of memories that the plan may
    remove from recall or restore to it. `skipped`: memories above that limit; the next run handles them.
    """

    namespace: str
    now: float
    run: str = ""
    most: int = 1000
    facts: dict[int, Memory] = field(default_factory=dict)
    turns: dict[int, Memory] = field(default_factory=dict)
    """Turns of conversations of which an open pair is asked about. No other rule reads or changes them."""
    settled: dict[Pair, Doubt] = field(default_factory=dict)
    """Pairs with an answer, and pairs whose confidence was halved."""
    model: str = ""
    """Name of the model whose vectors are compared, or ""."""
    near: dict[int, Ranked] = field(default_factory=dict)
    """For every live fact with a vector, its nearest facts, best first."""
    relations: Relations = field(init=False)
    doubts: dict[Pair, str] = field(default_factory=dict)
    """Pairs that rules cannot decide, with the reason."""
    questions: list[Pair] = field(default_factory=list)
    """Open pairs of facts of which the later (first) may change the earlier one, best score first."""
    steps: list[Step] = field(default_factory=list)
    lines: list[PlanLine] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    weight: int = 0
    skipped: int = 0
    progress: Callable[[str, int, int], None] | None = None
    trace: list[Signed] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.relations = Relations(self.facts)

    def memory(self, key: int) -> Memory:
        """Return a fact, or a turn that is asked about."""
        return self.facts[key] if key in self.facts else self.turns[key]

    def size(self) -> int:
        """Return the number of live facts."""
        return sum(memory.status in LIVE_STATUSES for memory in self.facts.values())

    def live(self) -> list[int]:
        """Return the keys of live facts, ascending."""
        return sorted(key for key, memory in self.facts.items() if memory.status in LIVE_STATUSES)

    def take(self, step: Step, detail: str, ids: Mapping[int, str] | None = None) -> bool:
        """Add a step to the plan, if it has an effect and the cap allows it. Return whether it was added."""
        found = effect(step, ChainMap(self.facts, self.turns), ids or {}, self.now, self.run)
        if not found:
            return False
        if self.weight + weight(step) > self.most and weight(step):
            self.skipped += weight(step)
            return False
        self.weight += weight(step)
        self.steps.append(step)
        for change in found.changes:
            memory = self.memory(change.key)
            self.counts[change.operation] += 1
            self.lines.append(PlanLine(change.operation, memory.id, memory.content, detail))
            fields: dict[str, Any] = dict(change.fields)
            held = self.facts if change.key in self.facts else self.turns
            held[change.key] = msgspec.structs.replace(memory, **fields)
        if found.kept is not None:
            self.counts["keep_both"] += 1
            memory = self.memory(found.kept.new)
            self.lines.append(PlanLine("keep_both", memory.id, memory.content, detail))
            both = pair(found.kept.new, found.kept.old)
            self.settled[both] = Doubt(*both, found.kept.reason, "KEEP_BOTH", run=self.run)
        if found.doubt is not None:
            self.settled[found.doubt.first, found.doubt.second] = found.doubt
        return True

    def answered(self, first: int, second: int) -> bool:
        """Return whether the pair was decided before."""
        doubt = self.settled.get(pair(first, second))
        return doubt is not None and doubt.answer not in ("", UNSURE)

    def doubt(self, first: int, second: int, reason: str) -> None:
        """Record a pair that rules cannot decide."""
        if not self.answered(first, second):
            self.doubts.setdefault(pair(first, second), reason)

    def waiting(self) -> list[tuple[Pair, str]]:
        """Return undecided pairs of two live facts."""
        return [
            (both, reason)
            for both, reason in sorted(self.doubts.items())
            if not self.answered(*both) and all(self.facts[key].status in LIVE_STATUSES for key in both)
        ]

    def report(self, stage: Any, done: int, total: int) -> None:
        """Report the progress of a stage."""
        if self.progress is not None:
            self.progress(stage_name(stage), done, total)


def ranked(facts: Mapping[int, Memory], keys: Iterable[int]) -> list[int]:
    """Sort keys by precedence in a merge: confidence, evidence, later time, id."""

    def precedence(key: int) -> tuple[float, int, float, str]:
        fact = facts[key]
        return -fact.confidence, -len(fact.evidence), -fact.moment.timestamp(), fact.id

    return sorted(keys, key=precedence)
