"""Embedding in the background: a write does not wait for the embedder (Semantic Fact System, section 1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from combray.remember.state import Draft, Remembering
from combray.runtime import Runtime


@dataclass(frozen=True)
class QueueEmbedding:
    """Leaves vectors to a worker: drafts are stored as `pending_embed` and found by their words until then.

    Without an embedder there is nothing to wait for: they are active at once.
    """

    needs: ClassVar[tuple[str, ...]] = ("drafts",)
    gives: ClassVar[tuple[str, ...]] = ("vectors",)

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if runtime.embedder is not None:
            put_off(state.drafts)
        return state


def put_off(drafts: Iterable[Draft]) -> None:
    """Let drafts wait for their vectors."""
    for draft in drafts:
        draft.memory = msgspec.structs.replace(draft.memory, status="pending_embed")
