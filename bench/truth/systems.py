"""The systems asked: the engine, plain BM25, and BM25 with the newest of its first five hits in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import combray
from bench.quality.baselines import BM25, best
from bench.truth.measures import Shown
from bench.truth.stories import Statement

LIMIT = 10


class System(Protocol):
    """One empty store."""

    def tell(self, statement: Statement) -> None:
        """Remember one statement, at its time."""
        ...

    def ask(self, question: str, at: float) -> Sequence[Shown]:
        """The first ten statements, best first."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


@dataclass
class Plain:
    """BM25 over the texts; `newest_of` moves the newest of that many first hits to the front."""

    newest_of: int = 0
    _told: list[Statement] = field(default_factory=list)

    def tell(self, statement: Statement) -> None:
        """Keep the text."""
        self._told.append(statement)

    def ask(self, question: str, at: float) -> Sequence[Shown]:  # noqa: ARG002 - recency is relative
        """Rank everything told so far."""
        scores = BM25([each.text for each in self._told]).scores(question)
        rows = [row for row in best(scores, LIMIT) if scores[row] > 0]
        if self.newest_of and rows:
            newest = max(rows[: self.newest_of], key=lambda row: (self._told[row].at, row))
            rows = [newest, *(row for row in rows if row != newest)]
        return [Shown(self._told[row].ref) for row in rows]

    def close(self) -> None:
        """Nothing to release."""


class Combray:
    """The engine as a caller has it: `remember` for each statement, `recall` for each question."""

    def __init__(self, preset: str, embedder: str) -> None:
        self._now = 0.0
        self.engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=lambda: self._now)

    def tell(self, statement: Statement) -> None:
        """Remember it at its time."""
        self._now = statement.at
        self.engine.remember(
            statement.text,
            author=statement.author,
            occurred_at=statement.at,
            metadata={"ref": statement.ref},
        )

    def ask(self, question: str, at: float) -> Sequence[Shown]:
        """Recall at the question's time."""
        self._now = at
        return [
            Shown(str(hit.memory.metadata["ref"]), marked=hit.memory.status == "superseded")
            for hit in self.engine.recall(question, limit=LIMIT)
        ]

    def close(self) -> None:
        """Close the store."""
        self.engine.close()
