"""What a read carries from stage to stage: the query as understood, candidates as columns, reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.language.questions import Question
from combray.runtime import Filter, Found, Keys, Reader, Rows, Scores
from combray.types import Hit, Step


def _no_keys() -> Keys:
    return np.zeros(0, dtype=np.int64)


@dataclass(slots=True)
class Recalling:
    """State of the recall pipeline. `signals` and `scores` are aligned with `keys`; higher is better.

    `dated`: in words, the dates of the query that have become part of the filter `where`; `only_dated`: it
    asks for nothing else; `soft`: ranges (since, until) it only hints at, unix seconds; `done`: the answer is
    settled, no stage is to follow.
    """

    query: str
    namespace: str
    reader: Reader
    now: float
    limit: int = 10
    where: Filter = field(default_factory=Filter)
    min_score: float | None = None
    intent: str = "GENERAL"
    intent_source: str = "auto"
    terms: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    dated: str = ""
    only_dated: bool = False
    soft: tuple[tuple[float, float], ...] = ()
    question: Question | None = None
    vector: NDArray[np.float32] | None = None
    model: str = ""
    trust: float = 1.0
    found: Found | None = None
    keys: Keys = field(default_factory=_no_keys)
    signals: dict[str, Scores] = field(default_factory=dict)
    scores: Scores = field(default_factory=lambda: np.zeros(0))
    via: dict[int, str] = field(default_factory=dict)
    rows: Rows | None = None
    hits: list[Hit] = field(default_factory=list)
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    done: bool = False

    def size(self) -> int:
        """Hits, or candidates while there are no hits yet."""
        return len(self.hits) or len(self.keys)

    def take(self, places: NDArray[Any]) -> None:
        """Keep these places of the candidates, in this order (indices or a mask)."""
        self.keys = self.keys[places]
        self.scores = self.scores[places] if len(self.scores) else self.scores
        self.signals = {name: values[places] for name, values in self.signals.items()}
        self.rows = None

    def columns(self) -> Rows:
        """Columns of the candidates, read once."""
        if self.rows is None:
            self.rows = self.reader.rows(self.keys)
        return self.rows
