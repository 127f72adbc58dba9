"""What a run of consolidation carries from stage to stage: the facts, as the plan so far leaves them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from combray.consolidate.relation import Pair, Relations, pair
from combray.consolidate.steps import Effect, Step, effect, weight
from combray.pipeline import stage_name
from combray.runtime import Arrival, Doubt, Ranked
from combray.types import LIVE_STATUSES, Memory
from combray.types import Step as Signed

FRESH = 1 << 62
"""Facts that the plan makes have keys from here on until they are stored: behind all that there are."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plan for people: what is done to which memory, its text, and why."""

    operation: str
    memory_id: str
    content: str
    detail: str


@dataclass(slots=True)
class Planning:
    """State of the consolidation pipeline. Nothing is written: stages add steps, and see what they lead to.

    `facts` are the memories by key, with the planned changes in them. `most` bounds how many memories the plan
    may take out of recall or bring back; `skipped` counts what did not fit and is left to the next run.
    """

    namespace: str
    now: float
    run: str = ""
    most: int = 1000
    facts: dict[int, Memory] = field(default_factory=dict)
    fresh: dict[int, Arrival] = field(default_factory=dict)
    """Facts that the plan makes, by their keys in it, with their vectors."""
    seen: int = 0
    """Key of the last episode that was looked at for new facts, in this run or before."""
    settled: dict[Pair, Doubt] = field(default_factory=dict)
    """Pairs with an answer, and those that lost confidence already."""
    model: str = ""
    """Name of the model whose vectors are compared; "" where there are none."""
    near: dict[int, Ranked] = field(default_factory=dict)
    """For every live fact that has a vector the facts near it, best first."""
    relations: Relations = field(default_factory=Relations)
    doubts: dict[Pair, str] = field(default_factory=dict)
    """Pairs that rules cannot decide, with the reason."""
    steps: list[Step] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    weight: int = 0
    skipped: int = 0
    progress: Callable[[str, int, int], None] | None = None
    trace: list[Signed] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        """Facts that take part in recall."""
        return sum(memory.status in LIVE_STATUSES for memory in self.facts.values())

    def live(self) -> list[int]:
        """Keys of the facts that take part in recall, ascending."""
        return sorted(key for key, memory in self.facts.items() if memory.status in LIVE_STATUSES)

    def take(self, step: Step, detail: str, ids: Mapping[int, str] | None = None) -> bool:
        """Add a step to the plan if it does anything and the cap allows it."""
        found = effect(step, self.facts, ids or {}, self.now, self.run)
        if not found:
            return False
        if self.weight + weight(step) > self.most and weight(step):
            self.skipped += weight(step)
            return False
        self.weight += weight(step)
        self.steps.append(step)
        self._see(found, detail)
        return True

    def _see(self, found: Effect, detail: str) -> None:
        for change in found.changes:
            memory = self.facts[change.key]
            self.counts[change.operation] += 1
            self.lines.append(Line(change.operation, memory.id, memory.content, detail))
            fields: dict[str, Any] = dict(change.fields)
            self.facts[change.key] = msgspec.structs.replace(memory, **fields)
        if found.doubt is not None:
            self.settled[found.doubt.first, found.doubt.second] = found.doubt

    def answered(self, first: int, second: int) -> bool:
        """Whether somebody has decided on the pair already."""
        doubt = self.settled.get(pair(first, second))
        return doubt is not None and bool(doubt.answer)

    def doubt(self, first: int, second: int, reason: str) -> None:
        """Note a pair that rules cannot decide."""
        if not self.answered(first, second):
            self.doubts.setdefault(pair(first, second), reason)

    def waiting(self) -> list[tuple[Pair, str]]:
        """Pairs in doubt whose facts both still take part, without an answer."""
        live = LIVE_STATUSES
        return [
            (both, reason)
            for both, reason in sorted(self.doubts.items())
            if not self.answered(*both) and all(self.facts[key].status in live for key in both)
        ]

    def tell(self, stage: Any, done: int, total: int) -> None:
        """Say how far a stage has come."""
        if self.progress is not None:
            self.progress(stage_name(stage), done, total)


def ranked(facts: Mapping[int, Memory], keys: Iterable[int]) -> list[int]:
    """Keys by who wins a merge: confidence, then evidence, then the newer one, then the id."""
    return sorted(
        keys,
        key=lambda key: (
            -facts[key].confidence,
            -len(facts[key].evidence),
            -facts[key].moment.timestamp(),
            facts[key].id,
        ),
    )
