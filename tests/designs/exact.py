"""An embedder whose cosines are exact, and reading edges by the texts they join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import combray
from combray import Engine
from combray.presets import Preset
from combray.runtime import Clock, Embedder, Vectors

PLACES = range(100)


def sharing(percent: int, start: int = 100) -> list[int]:
    """A hundred places, `percent` of them in PLACES, the others from `start` on."""
    return [*range(percent), *range(start, start + 100 - percent)]


@dataclass
class ExactEmbedder:
    """A text's vector is one at its hundred places: the cosine of two is the share of places they have in common.

    Texts that are not listed have no vector. Whole numbers survive the store's int8 codes exactly.
    """

    places: Mapping[str, Iterable[int]]
    name: str = "exact:1000"
    dimensions: int = 1000
    leaves_process: bool = False
    contextual: bool = True
    calls: list[list[str]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[list(self.places.get(text, ()))] = 0.1
        return rows

    def knows(self, language: str) -> float:
        return 1.0


def opened(
    clock: Clock | None = None, embedder: str | Embedder = "none", preset: str | Preset = "mnemon"
) -> Engine:
    """An engine on an empty store in memory."""
    return combray.open(":memory:", preset=preset, embedder=embedder, clock=clock, worker=False)


def edges(engine: Engine, kind: str) -> dict[tuple[str, str], float]:
    """(source text, target text) -> weight of all edges of a kind."""
    texts = {
        memory.id: memory.content
        for edge in engine.reader.edges()
        for memory in (engine.get(edge.source), engine.get(edge.target))
    }
    return {(texts[e.source], texts[e.target]): e.weight for e in engine.reader.edges((kind,))}


def status_of(engine: Engine, memory_id: str) -> str:
    return engine.get(memory_id).status
