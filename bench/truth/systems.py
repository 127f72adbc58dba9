"""The systems asked: the engine, plain BM25, and BM25 with the newest of its first five hits in front."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import combray
from bench.quality.baselines import BM25, best
from bench.truth.callers import Script
from bench.truth.measures import Shown, Write
from bench.truth.stories import Statement
from combray import presets
from combray.errors import InvalidInputError
from combray.types import LIVE_STATUSES

LIMIT = 10
ROUNDS = 3
"""How often a caller that settles what recall marks asks the same question again, at most."""


class System(Protocol):
    """One empty store. A system that only searches has no writes to judge."""

    writes: list[Write]

    def tell(self, statement: Statement) -> None:
        """Remember one statement, at its time."""
        ...

    def ask(self, question: str, at: float) -> Sequence[Shown]:
        """The first ten statements, best first."""
        ...

    def undo(self) -> None:
        """Take the caller's wrong answers back."""
        ...

    def lost(self, keep: Collection[str]) -> list[str]:
        """Refs to keep that are not live any more: nobody who asks is told them as true."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


@dataclass
class Plain:
    """BM25 over the texts; `newest_of` moves the newest of that many first hits to the front."""

    newest_of: int = 0
    writes: list[Write] = field(default_factory=list)
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

    def undo(self) -> None:
        """Nothing was answered."""

    def lost(self, keep: Collection[str]) -> list[str]:  # noqa: ARG002 - nothing is ever hidden
        """Nothing is ever hidden."""
        return []

    def close(self) -> None:
        """Nothing to release."""


class Combray:
    """The engine as a caller has it: `remember` for each statement, `recall` for each question, and `settle`."""

    def __init__(self, preset: str | presets.Preset, embedder: str, script: Script) -> None:
        self._now, self._script = 0.0, script
        self._refs: dict[str, str] = {}
        self.writes: list[Write] = []
        self.engine = combray.open(":memory:", preset=preset, embedder=embedder, clock=lambda: self._now)

    def tell(self, statement: Statement) -> None:
        """Remember it at its time."""
        self._now = statement.at
        done = self.engine.remember(
            statement.text,
            author=statement.author,
            occurred_at=statement.at,
            metadata={"ref": statement.ref},
        )
        self._refs[done.id] = statement.ref
        replaced = self._refs[done.replaced_id] if done.replaced_id and done.action == "replaced" else None
        raised = tuple(self._refs[each.id] for each in done.may_revise)
        candidates = self.engine.related(done.id, type="may_revise", depth=1)
        ranked = tuple(self._refs[each.memory.id] for each in candidates)
        self.writes.append(Write(statement.ref, replaced, raised, ranked))
        for each in done.may_revise:
            self._settle(done.id, each.id)

    def _settle(self, new: str, old: str) -> bool:
        # With its day known, a plan can be settled at once: the engine waits.
        now = math.inf if self.engine.get(new).valid_from is not None else self._now
        verdict = self._script.verdict(self._refs[new], self._refs[old], now)
        if verdict is None:
            return False
        try:
            self.engine.settle(new, old, verdict)
        except InvalidInputError:
            # A chain may have moved on: one of the two is superseded already.
            return False
        return True

    def ask(self, question: str, at: float) -> Sequence[Shown]:
        """Recall at the question's time."""
        self._now = at
        hits = self.engine.recall(question, limit=LIMIT)
        for _ in range(ROUNDS if self._script.answers_at_recall else 0):
            pairs = [(hit.may_be_outdated_by, hit.memory.id) for hit in hits if hit.may_be_outdated_by]
            settled = [self._settle(new, old) for new, old in pairs if new in self._refs]
            if not any(settled):
                break
            hits = self.engine.recall(question, limit=LIMIT)
        return [
            Shown(
                str(hit.memory.metadata["ref"]),
                marked=bool(hit.outdated_by or hit.may_be_outdated_by or hit.memory.status == "superseded"),
            )
            for hit in hits
        ]

    def undo(self) -> None:
        """Take the caller's wrong answers back."""
        ids = {ref: memory_id for memory_id, ref in self._refs.items()}
        for new, old in reversed(self._script.wrong):
            self.engine.settle(ids[new], ids[old], "open")

    def lost(self, keep: Collection[str]) -> list[str]:
        """Refs to keep that are not live any more."""
        return sorted(
            ref
            for memory_id, ref in self._refs.items()
            if ref in keep and self.engine.get(memory_id).status not in LIVE_STATUSES
        )

    def close(self) -> None:
        """Close the store."""
        self.engine.close()
