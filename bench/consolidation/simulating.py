"""Weeks of talk as an engine lives them: each session at its hour, and a consolidation every night."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

import numpy as np

from bench.quality.metrics import recall
from bench.quality.sets import Collection, Item
from bench.quality.systems import parts, shared_embedder
from combray import presets, settings, wiring
from combray.engine import Engine

CUT = 10
NIGHT = 3
"""The hour of the night's run, UTC."""


@dataclass
class Nights:
    """What consolidation did to one conversation, and what recall gives before and after.

    `recall_before`, `recall_after`: recall@10 of the gold turns, one value a question; `tokens_before`,
    `tokens_after`: of the context that answers each question.
    """

    name: str
    turns: int
    runs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    live: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    recall_before: list[float] = field(default_factory=list)
    recall_after: list[float] = field(default_factory=list)
    tokens_before: list[int] = field(default_factory=list)
    tokens_after: list[int] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    """Share of distilled facts among the best ten after it, one value a question."""


class _Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now.timestamp()


def simulate(collection: Collection, embedder: str, preset: str = "default") -> Nights:
    """Live through one conversation twice: without, and with a consolidation every night between."""
    found = Nights(collection.name, len(collection.items))
    plain, _ = _lived(collection, embedder, preset, None)
    with plain:
        _ask(plain, collection, found.recall_before, found.tokens_before, [])
    engine, _ = _lived(collection, embedder, preset, found)
    with engine:
        _ask(engine, collection, found.recall_after, found.tokens_after, found.shown)
        found.waiting = len(engine.consolidation.waiting())
        found.live = engine.store.status()["by_kind"].get("fact", 0)
    return found


def _lived(collection: Collection, embedder: str, preset: str, nights: Nights | None) -> tuple[Engine, _Clock]:
    clock = _Clock(datetime(2000, 1, 1, tzinfo=UTC))
    runtime = wiring.build(":memory:", settings.load(), clock=clock, model=shared_embedder(embedder))
    if embedder == "none":
        runtime = replace(runtime, embedder=None)
    engine = Engine(runtime, collection.name, presets.load(preset), {"max_memories": 0})
    sessions = [(name, list(items)) for name, items in groupby(collection.items, lambda item: item.session)]
    for place, (name, items) in enumerate(sessions):
        clock.now = (items[-1].occurred_at or collection.now) + timedelta(hours=1)
        engine.conversation(str(name)).add_many(
            [_given(item, text) for item in items for text in parts(item.text)]
        )
        if nights is not None:
            until = sessions[place + 1][1][0].occurred_at if place + 1 < len(sessions) else None
            _sleep(engine, clock, until, nights)
    clock.now = collection.now + timedelta(days=1)
    return engine, clock


def _given(item: Item, text: str) -> dict[str, object]:
    return {
        "content": text,
        "author": item.author,
        "occurred_at": item.occurred_at,
        "context": item.context,
        "metadata": {"ref": item.ref},
    }


def _sleep(engine: Engine, clock: _Clock, until: datetime | None, nights: Nights) -> None:
    """A consolidation each night from now until the next session; at least one."""
    night = clock.now.replace(hour=NIGHT, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while True:
        clock.now = night
        started = time.perf_counter()
        done = engine.consolidation.run()
        elapsed = time.perf_counter() - started
        nights.seconds += elapsed
        nights.longest = max(nights.longest, elapsed)
        nights.runs += 1
        nights.counts.update(done.counts)
        night += timedelta(days=1)
        if until is None or night >= until:
            return


def _ask(
    engine: Engine, collection: Collection, recalls: list[float], tokens: list[int], shown: list[float]
) -> None:
    for question in collection.asked:
        answer = engine.recall(question.text, limit=CUT)
        refs = [str(hit.memory.metadata.get("ref", "")) for hit in answer]
        recalls.append(recall(refs, question.gold, CUT))
        shown.append(sum(hit.memory.source == "consolidation" for hit in answer) / max(len(answer), 1))
        tokens.append(engine.context(question.text).tokens)


def points(before: Sequence[float], after: Sequence[float]) -> float:
    """What the mean of a share gained or lost, in points."""
    return 100 * float(np.mean(after) - np.mean(before))
