"""What a write carries from stage to stage: a batch of drafts. One `remember` is a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from combray.runtime import Filter, Ranked, Writer
from combray.types import Memory, Remembered, Step

Suggestion = Literal["ADD", "UPDATE", "CONFLICT", "DUPLICATE"]


@dataclass(slots=True)
class Draft:
    """One text on its way to becoming a memory."""

    memory: Memory
    vector: NDArray[np.float32] | None = None
    nearest: Ranked | None = None
    warnings: tuple[str, ...] = ()
    guard: str = ""
    """What the guard made of it and why; empty when it was let in as it came."""
    notices: tuple[str, ...] = ()
    """What the guard has to tell: what was redacted, and what is kept apart."""
    suggestion: Suggestion = "ADD"
    reason: str = ""
    matched: int | None = None
    """Key of the stored memory it duplicates or replaces."""
    twin: Draft | None = None
    """An earlier draft of the same batch that it duplicates or replaces."""
    key: int | None = None
    replaced_id: str | None = None
    edges: dict[str, int] = field(
        default_factory=lambda: {"temporal": 0, "entity": 0, "causal": 0, "semantic": 0}
    )
    effective_importance: float = 0.0
    semantic_candidates: tuple[dict[str, Any], ...] = ()
    causal_candidates: tuple[dict[str, Any], ...] = ()

    @property
    def skipped(self) -> bool:
        """Whether nothing is to be inserted for it."""
        return self.suggestion == "DUPLICATE"

    @property
    def quarantined(self) -> bool:
        """Whether it is kept apart: stored, but linked to nothing, replacing nothing, never recalled."""
        return self.memory.trust == "quarantined"


@dataclass(frozen=True, slots=True)
class Survey:
    """What linking needs to know of the namespace as it was before the insert."""

    live: int
    recent: tuple[tuple[int, float], ...]
    recent_texts: Mapping[int, str]
    last_of_source: Mapping[str, tuple[int, float]]
    naming: Mapping[str, tuple[int, list[int]]]


@dataclass(slots=True)
class Remembering:
    """State of the remember pipeline. `items` are the caller's texts and fields; `drafts` what came of them."""

    namespace: str
    items: list[Mapping[str, Any]]
    now: float
    diff: bool = True
    suggest: bool = True
    judged_as: str = ""
    """Trust that the guard judges all of it by, where that is less than what a text claims; empty: its own."""
    trusts: tuple[str, ...] = Filter().trusts
    """Trust of the memories that may be shown beside what was written."""
    drafts: list[Draft] = field(default_factory=list)
    seen_revision: int = -1
    survey: Survey | None = None
    pruned: int = 0
    tx: Writer | None = None
    trace: list[Step] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)

    def size(self) -> int:
        """Drafts that will be, or have been, written."""
        return len([draft for draft in self.drafts if draft.suggestion != "DUPLICATE"])

    @property
    def written(self) -> list[Draft]:
        """Drafts that were inserted and are to be seen, in order: what is quarantined is linked to nothing."""
        return [draft for draft in self.drafts if draft.key is not None and not draft.quarantined]

    @property
    def replaced(self) -> set[int]:
        """Keys of the stored memories that drafts replace."""
        return {
            draft.matched for draft in self.drafts if draft.suggestion == "UPDATE" and draft.matched is not None
        }

    @property
    def writer(self) -> Writer:
        """The open transaction."""
        if self.tx is None:
            raise AssertionError("this stage runs inside a Transaction")
        return self.tx

    def results(self) -> list[Remembered]:
        """What became of each item, in the order given."""
        return [self._result(draft) for draft in self.drafts]

    def _result(self, draft: Draft) -> Remembered:
        return Remembered(
            id=draft.memory.id if draft.key is not None else (draft.replaced_id or draft.memory.id),
            action="skipped" if draft.skipped else "replaced" if draft.replaced_id else "added",
            diff_suggestion=draft.suggestion,
            replaced_id=None if draft.skipped else draft.replaced_id,
            edges_created=draft.edges,
            semantic_candidates=draft.semantic_candidates,
            causal_candidates=draft.causal_candidates,
            quality_warnings=(*draft.notices, *draft.warnings),
            embedded=draft.vector is not None and draft.key is not None,
            effective_importance=round(draft.effective_importance, 6),
            auto_pruned=self.pruned,
            reason=draft.reason,
            guard=draft.guard,
            trace=tuple(self.trace),
        )
