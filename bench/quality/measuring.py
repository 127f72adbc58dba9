"""Asks every question of a set of every system and scores what comes back."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.quality import metrics
from bench.quality.sets import QuestionSet
from bench.quality.systems import Plain, System


@dataclass(slots=True)
class Result:
    """One system on one set: a row of scores per question, in the set's order."""

    questions: str
    system: str
    model: str
    plain: bool
    rows: list[dict[str, float]] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    refused: int = 0
    items: int = 0
    filling: float = 0.0

    def mean(self, measure: str) -> float:
        """The mean of one measure over all questions."""
        return statistics.fmean(row[measure] for row in self.rows)

    def overall(self) -> dict[str, dict[str, float]]:
        """Means with intervals."""
        return metrics.summary(self.rows)

    def by_category(self) -> dict[str, dict[str, dict[str, float]]]:
        """Means with intervals for each category, in order of name."""
        groups: dict[str, list[dict[str, float]]] = defaultdict(list)
        for category, row in zip(self.categories, self.rows, strict=True):
            groups[category].append(row)
        return {category: metrics.summary(rows) for category, rows in sorted(groups.items())}

    def as_json(self) -> dict[str, Any]:
        """Everything the table and the plot are made of."""
        return {
            "set": self.questions,
            "system": self.system,
            "questions": len(self.rows),
            "refused": self.refused,
            "items": self.items,
            "items_per_second": self.items / self.filling if self.filling else None,
            "milliseconds_p50": statistics.median(self.milliseconds),
            "milliseconds_p95": sorted(self.milliseconds)[int(0.95 * (len(self.milliseconds) - 1))],
            "overall": self.overall(),
            "by_category": self.by_category(),
        }


def measure(questions: QuestionSet, systems: Iterable[System], progress: Callable[[str], None]) -> list[Result]:
    """A result per system. Each collection is filled, asked and closed before the next."""
    return [_measure(questions, system, progress) for system in systems]


def _measure(questions: QuestionSet, system: System, progress: Callable[[str], None]) -> Result:
    result = Result(questions.name, system.name, system.model, isinstance(system, Plain))
    for collection in questions.collections:
        if not collection.asked:
            continue
        progress(f"{system.name}: {collection.name}")
        started = time.perf_counter()
        filled = system.fill(collection)
        result.filling += time.perf_counter() - started
        result.items += len(collection.items)
        try:
            for question in collection.asked:
                found = filled.ask(question.text)
                result.rows.append(metrics.scores(collection.units(found.refs), question.gold))
                result.categories.append(question.category)
                result.milliseconds.append(found.milliseconds)
                result.refused += not found.refs
        finally:
            filled.close()
    return result


def shortfalls(results: Sequence[Result], measure_name: str = "recall@10") -> list[str]:
    """Where the engine is below the best plain system it is compared with, in words.

    An engine without an embedder is held to BM25, one with an embedder to BM25, dense and hybrid.
    """
    said = []
    for result in (each for each in results if not each.plain):
        rivals = [
            each
            for each in results
            if each.plain and each.questions == result.questions and each.model in ("none", result.model)
        ]
        leader = max(rivals, key=lambda each: each.mean(measure_name), default=None)
        if leader and result.mean(measure_name) < leader.mean(measure_name):
            ours, theirs = (100 * each.mean(measure_name) for each in (result, leader))
            said.append(f"{result.questions}: {result.system} {ours:.1f}, {leader.system} {theirs:.1f}")
    return said
