"""Engines whose facts wait for their vectors, and an embedder that refuses some texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import combray
from combray import Engine, ModelError
from combray.presets import Preset
from combray.runtime import Clock, Embedder, Vectors
from combray.runtime.queue import Job
from combray.testing.fakes import FakeEmbedder

FACTS = ("The user tends gardens in Lisbon", "Ann writes compilers at night", "Bob repairs old violins")


@dataclass
class PickyEmbedder(FakeEmbedder):
    """Refuses every call with a text that holds one of the `poison` words."""

    poison: tuple[str, ...] = ("poison",)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = super().embed(texts, query=query)
        if any(word in text for text in texts for word in self.poison):
            raise ModelError(f"{self.name}: cannot read that")
        return rows


def opened(
    embedder: str | Embedder,
    clock: Clock | None = None,
    *,
    path: str = ":memory:",
    preset: str | Preset = "semantic-facts",
    namespace: str = "default",
) -> Engine:
    """An engine; its facts wait unless the preset is another."""
    return combray.open(path, preset=preset, embedder=embedder, clock=clock, namespace=namespace, worker=False)


def statuses(engine: Engine) -> dict[str, int]:
    """How many memories have each status."""
    counted: dict[str, int] = engine.store.status()["by_status"]
    return counted


def jobs(engine: Engine) -> list[Job]:
    """The jobs of the engine's embedder."""
    return engine.reader.queue.jobs(engine.runtime.embedder.name if engine.runtime.embedder else "")
