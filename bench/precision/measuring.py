"""Ask every question of a system, and compare the list with the exact gold list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from bench.precision.sets import Question, Store
from bench.quality.baselines import BM25, best
from bench.quality.systems import shared_embedder
from combray import presets, settings, wiring
from combray.engine import Engine
from combray.presets import Preset

NOW = 1_767_225_600.0
"""1 January 2026, after the last memory of every set."""
LIMIT = 10
RESAMPLES = 1000


class Asks(Protocol):
    """A filled store."""

    def ask(self, question: Question) -> list[str]:
        """The refs that are returned."""
        ...


class System(Protocol):
    """Something that can be filled with a store."""

    @property
    def name(self) -> str:
        """Its line in the table."""

    def fill(self, store: Store) -> Asks:
        """Write the memories; nothing of the questions."""
        ...


@dataclass(frozen=True)
class Combray:
    """The engine under a preset; `through` is the verb that is asked."""

    name: str
    embedder: str
    preset: Preset = field(default_factory=lambda: presets.load("default"))
    through: str = "recall"

    def fill(self, store: Store) -> Asks:
        """A store in memory."""
        runtime = wiring.build(
            ":memory:", settings.load(), clock=lambda: NOW, model=shared_embedder(self.embedder)
        )
        if self.embedder == "none":
            runtime = replace(runtime, embedder=None, words=None)
        engine = Engine(runtime, "default", self.preset, {"max_memories": 0})
        items: list[Any] = list(store.memories)
        engine.remember_many(items)
        return _Filled(engine, self.through)


@dataclass(frozen=True)
class _Filled:
    engine: Engine
    through: str

    def ask(self, question: Question) -> list[str]:
        tags: Any = [f"scope:{each}" for each in question.scopes] or None
        if self.through == "context":
            made = self.engine.context(question.text, tags=tags)
            ids = [each for section in made.sections for each in section.ids]
            return [str(self.engine.get(each).metadata["ref"]) for each in ids]
        answer = self.engine.recall(question.text, limit=LIMIT, tags=tags)
        return [str(hit.memory.metadata["ref"]) for hit in answer]


@dataclass(frozen=True)
class Plain:
    """BM25, the best ten ("bm25"), or the whole scope ("all")."""

    name: str

    def fill(self, store: Store) -> Asks:
        """Index the texts."""
        return _Plain(self.name, store, {each["metadata"]["ref"]: each for each in store.memories})


@dataclass(frozen=True)
class _Plain:
    name: str
    store: Store
    known: Mapping[str, Mapping[str, Any]]

    def ask(self, question: Question) -> list[str]:
        inside = {f"scope:{each}" for each in question.scopes}
        refs = [ref for ref, each in self.known.items() if not inside or inside & set(each["tags"])]
        if self.name == "all hits":
            return refs
        scores = BM25([self.known[ref]["content"] for ref in refs]).scores(question.text)
        return [refs[row] for row in best(scores, LIMIT)]


@dataclass(slots=True)
class Result:
    """Rows of one system: precision, recall, F1 and silence if answerable; silence if not; own texts."""

    system: str
    answered: list[tuple[float, float, float, float]] = field(default_factory=list)
    silent: list[tuple[float, bool | None]] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, tuple[float, float, float]]:
        """Mean and 95 % bootstrap interval, in per cent."""
        rows = np.array(self.answered)
        names = ("precision", "recall", "F1", "silence wrong")
        found = {name: interval(rows[:, place]) for place, name in enumerate(names)}
        silent = {
            "silence right": [empty for empty, _ in self.silent],
            "near": [empty for empty, near in self.silent if near],
            "far": [empty for empty, near in self.silent if near is False],
        }
        return found | {name: interval(some) for name, some in silent.items()} | {"own text": interval(self.own)}


def interval(values: Sequence[float] | np.ndarray[Any, Any], seed: int = 0) -> tuple[float, float, float]:
    """Mean, low, high in per cent; questions are drawn with replacement."""
    rows = 100.0 * np.asarray(values, dtype=np.float64)
    if not len(rows):
        return (float("nan"),) * 3
    drawn = np.random.default_rng(seed).integers(0, len(rows), (RESAMPLES, len(rows)))
    low, high = np.quantile(rows[drawn].mean(axis=1), (0.025, 0.975))
    return float(rows.mean()), float(low), float(high)


def row(found: Sequence[str], gold: frozenset[str]) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and whether nothing was returned. An empty list has precision, recall and F1 of 0."""
    hits = len(gold & set(found))
    precision, recall = hits / max(1, len(found)), hits / len(gold)
    both = 2 * precision * recall / (precision + recall) if hits else 0.0
    return precision, recall, both, float(not found)


def measure(
    system: System, stores: Sequence[Store], progress: Callable[[str], None], *, own: bool = True
) -> Result:
    """Ask every store its questions, and with `own` every memory's own text too."""
    result = Result(system.name)
    for store in stores:
        progress(f"{system.name}: {store.name}")
        filled = system.fill(store)
        for question in store.questions:
            found = filled.ask(question)
            if question.gold:
                result.answered.append(row(found, question.gold))
            else:
                result.silent.append((float(not found), question.near))
        for memory in store.memories if own else ():
            text, ref = memory["content"], memory["metadata"]["ref"]
            result.own.append(float(ref in filled.ask(Question(text, frozenset([ref])))))
    return result
