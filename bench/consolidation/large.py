"""A large store to consolidate: facts and episodes from templates, so that every fact has near neighbours."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.quality.systems import shared_embedder
from combray import presets, settings, wiring
from combray.engine import Engine

START = 1_700_000_000.0
_DAY = 86_400.0
_FIRST = ("Ann", "Bob", "Caroline", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas")
_LAST = tuple(
    f"{a}{b}"
    for a in ("Berg", "Dal", "Holm", "Kirk", "Lund", "Moor", "Ost", "Rand", "Sten", "Wald")
    for b in ("en", "er", "ing", "mann", "quist", "son", "strom", "ton", "vik", "ware")
)
_VALUES = {
    "lives in {}": ("Berlin", "Munich", "Oslo", "Lisbon", "Hue", "Osaka", "Quito", "Turin", "Basel", "Leeds"),
    "likes {}": ("green tea", "black coffee", "chess", "sailing", "old films", "jazz", "hiking", "sushi", "maps"),
    "works as a {}": ("nurse", "teacher", "pilot", "baker", "lawyer", "painter", "plumber", "chemist", "editor"),
    "adopted a {}": ("grey cat", "brown dog", "parrot", "turtle", "white rabbit", "pony", "goat", "hamster"),
    "plays the {}": ("violin", "piano", "trumpet", "harp", "cello", "flute", "drums", "organ", "guitar"),
    "speaks {}": ("Dutch", "Thai", "Czech", "Greek", "Hindi", "Welsh", "Korean", "Danish", "Polish"),
}


@dataclass(frozen=True)
class Measured:
    """Seconds of the run by the clock and of the processor, of filling before it, the peak of memory in MB."""

    facts: int
    episodes: int
    filling: float
    seconds: float
    processor: float
    peak: float
    counts: dict[str, int]


def consolidate(count: int, heard: int, embedder: str, path: str) -> Measured:
    """Fill a store with `count` facts and `heard` episodes of the same sentences, and consolidate it once."""
    now = [START]
    runtime = wiring.build(path, settings.load(), clock=lambda: now[0], model=shared_embedder(embedder))
    with Engine(runtime, "large", presets.load("default"), {"max_memories": 0}) as engine:
        started = time.perf_counter()
        texts = _texts(count)
        _fill(engine, [{"content": text, "kind": "fact", "confidence": 0.7} for text in texts])
        now[0] += _DAY
        said = {"kind": "episode", "author": "Zoe"}
        _fill(
            engine, [{**said, "content": text, "session": f"s{n // 50}"} for n, text in enumerate(texts[:heard])]
        )
        filling = time.perf_counter() - started
        now[0] += _DAY
        started, worked = time.perf_counter(), time.process_time()
        counts = dict(engine.consolidation.run(most=1_000_000).counts)
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(count, heard, filling, seconds, processor, peak, counts)


def _texts(count: int) -> list[str]:
    drawn = np.random.default_rng(7)
    found = []
    for _ in range(count):
        template = list(_VALUES)[drawn.integers(len(_VALUES))]
        value = _VALUES[template][drawn.integers(len(_VALUES[template]))]
        name = f"{_FIRST[drawn.integers(len(_FIRST))]} {_LAST[drawn.integers(len(_LAST))]}"
        found.append(f"{name} {template.format(value)}{'' if drawn.random() < 0.8 else ' now'}")
    return found


def _fill(engine: Engine, items: Sequence[Any]) -> None:
    for start in range(0, len(items), 5000):
        engine.remember_many(items[start : start + 5000], diff=False)
