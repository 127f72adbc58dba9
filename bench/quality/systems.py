"""What answers the questions: the engine under a preset and an embedder, and the plain systems beside it.

The engine sees texts, authors, dates and the words of the question, and nothing else of a set.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bench.quality.baselines import BM25, Dense, Hybrid, best
from bench.quality.metrics import CUTS
from bench.quality.sets import Collection, Item
from combray import models, presets, settings, wiring
from combray.engine import Engine
from combray.models.onnx_files import LOCAL
from combray.runtime import Embedder, Vectors

DEPTH = max(CUTS)
MAX_CHARACTERS = 8_000
"""The longest text the engine takes as one memory."""


@dataclass(frozen=True, slots=True)
class Found:
    """The refs found for one question, best first."""

    refs: list[str]
    milliseconds: float


class Asked(Protocol):
    """One collection, written and ready to be asked."""

    def ask(self, question: str) -> Found:
        """The best refs for a question."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


class System(Protocol):
    """Something that can be filled with a collection."""

    @property
    def name(self) -> str:
        """Its line in the table."""
        ...

    @property
    def model(self) -> str:
        """The short name of its embedder, "none" without one."""
        ...

    def fill(self, collection: Collection) -> Asked:
        """Write every item; nothing of the questions."""
        ...


class CachedEmbedder:
    """An embedder that keeps what it has embedded: every system shares the vectors of one model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[bool, str], NDArray[np.float32]] = {}
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.leaves_process = embedder.leaves_process
        self.contextual = embedder.contextual

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the embedder itself, each text once."""
        missing = [text for text in dict.fromkeys(texts) if (query, text) not in self._known]
        if missing:
            rows = self._embedder.embed(missing, query=query)
            self._known.update(((query, text), row) for text, row in zip(missing, rows, strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._known[query, text] for text in texts])

    def knows(self, language: str) -> float:
        """As the embedder itself."""
        return self._embedder.knows(language)


@lru_cache
def shared_embedder(spec: str) -> CachedEmbedder | None:
    """The embedder of a string, loaded once for all systems; None for "none"."""
    embedder = models.embedder(settings.TIERS[LOCAL]["embedder"] if spec == LOCAL else spec)
    return None if embedder is None else CachedEmbedder(embedder)


@dataclass(frozen=True)
class Plain:
    """BM25 ("bm25"), vectors alone ("dense") or both half and half ("hybrid") over text and caption."""

    kind: str
    embedder: CachedEmbedder | None = None

    @property
    def name(self) -> str:
        """Kind and model."""
        return self.kind if self.embedder is None else f"{self.kind} {self.model}"

    @property
    def model(self) -> str:
        """The embedder's short name."""
        return "none" if self.embedder is None else short(self.embedder.name)

    def fill(self, collection: Collection) -> Asked:
        """Index every item."""
        texts = [item.shown for item in collection.items]
        if self.embedder is None:
            return _PlainIndex(collection.items, BM25(texts))
        dense = Dense(texts, self.embedder)
        arm = dense if self.kind == "dense" else Hybrid(BM25(texts), dense)
        return _PlainIndex(collection.items, arm)


class _PlainIndex:
    def __init__(self, items: Sequence[Item], arm: BM25 | Dense | Hybrid) -> None:
        self._items, self._arm = items, arm

    def ask(self, question: str) -> Found:
        started = time.perf_counter()
        rows = best(self._arm.scores(question), DEPTH)
        elapsed = (time.perf_counter() - started) * 1000
        return Found([self._items[row].ref for row in rows], elapsed)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Combray:
    """The engine under a preset; turns are written as episodes. `without`: stages of its recall to leave out."""

    preset: str
    embedder: str
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Preset, embedder and what was left out."""
        return " ".join([self.preset, self.model, *(f"-{stage}" for stage in self.without)])

    @property
    def model(self) -> str:
        """The embedder's short name."""
        return short(self.embedder)

    def loaded(self) -> presets.Preset:
        """The preset with the stages left out. Raises PipelineError for a stage it does not have."""
        preset = presets.load(self.preset)
        recall = preset.recall
        for stage in self.without:
            recall = recall.without(stage)
        return replace(preset, recall=recall)

    def fill(self, collection: Collection) -> EngineAsked:
        """A store in memory with the collection's items, the clock at its end."""
        now = collection.now.timestamp()
        # "local" is the embedder and the late interaction of that setting.
        chosen = settings.load({"models": LOCAL} if self.embedder == LOCAL else None)
        runtime = wiring.build(":memory:", chosen, clock=lambda: now, model=shared_embedder(self.embedder))
        if self.embedder == "none":
            runtime = replace(runtime, embedder=None, words=None)
        unpruned = {"max_memories": 0, "decay": settings.load().decay}
        engine = Engine(runtime, collection.name, self.loaded(), unpruned)
        _converse(engine, collection.items)
        if engine.vectors.pending():
            # What a preset leaves to a worker is done before anything is asked.
            engine.vectors.make()
        return EngineAsked(engine)


@dataclass
class EngineAsked:
    """A filled engine."""

    engine: Engine

    def ask(self, question: str) -> Found:
        """One recall."""
        started = time.perf_counter()
        answer = self.engine.recall(question, limit=DEPTH)
        elapsed = (time.perf_counter() - started) * 1000
        return Found([str(hit.memory.metadata["ref"]) for hit in answer], elapsed)

    def close(self) -> None:
        """Close the store."""
        self.engine.close()


def parts(text: str, most: int = MAX_CHARACTERS) -> list[str]:
    """The text in pieces of at most `most` characters, cut at white space where there is any."""
    pieces = []
    while len(text) > most:
        cut = max(text.rfind(mark, most // 2, most) for mark in (" ", "\n"))
        cut = cut if cut > 0 else most
        pieces.append(text[:cut])
        text = text[cut:].lstrip()
    return [*pieces, text]


def _given(item: Item) -> Iterator[Any]:
    """What the engine is told of an item; a text beyond the engine's limit comes in parts with one ref."""
    for part in parts(item.text):
        yield {
            "content": part,
            "author": item.author,
            "occurred_at": item.occurred_at,
            "context": item.context,
            "metadata": {"ref": item.ref},
        }


def _converse(engine: Engine, items: Sequence[Item]) -> None:
    """Turns as episodes of their conversations; items without a session as chunks."""
    for session, group in groupby(items, key=lambda item: item.session):
        given = [each for item in group for each in _given(item)]
        if session is None:
            engine.remember_many((each | {"kind": "chunk"} for each in given), diff=False)
        else:
            engine.conversation(session).add_many(given)


def short(embedder: str) -> str:
    """A model's name without folders and hashes."""
    if embedder.startswith("onnx:"):
        return embedder.removeprefix("onnx:").rstrip("/").split("/")[-1].split(":")[0]
    return embedder.split(":")[0]


def plain_systems(embedders: Sequence[str]) -> Iterator[System]:
    """BM25, then dense and hybrid for every embedder that has vectors."""
    yield Plain("bm25")
    for spec in embedders:
        cached = shared_embedder(spec)
        if cached is not None:
            yield Plain("dense", cached)
            yield Plain("hybrid", cached)
