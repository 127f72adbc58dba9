"""The caller's filters, applied once more to the fused list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from combray.recall.state import Recalling
from combray.runtime import Runtime

SCOPE = "scope:"
"""Tags that begin so are scopes."""


def scopes_of(tags: Iterable[str]) -> tuple[str, ...]:
    """The scopes among the tags, as tags."""
    return tuple(tag for tag in tags if tag.casefold().startswith(SCOPE))


@dataclass(frozen=True)
class FilterScope:
    """Drops candidates outside the scopes asked for, or outside any other filter (Mnemo, stage 8).

    A memory's scopes are its tags `scope:…`; a question names those it wants among its tags, and a memory with
    one of them passes. Where other tags are asked for too, it must also have one of those. The search paths
    obey the same filter before they fill their pools, so there is nothing to drop here but what
    lacks the other tags, unless that is switched off. A namespace is never left, whatever the scope.
    """

    needs = ("score",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        scopes = scopes_of(state.where.tags)
        others = tuple(tag for tag in state.where.tags if tag not in scopes)
        kept = state.reader.eligible(state.keys, replace(state.where, tags=scopes))
        if others:
            kept &= state.reader.eligible(state.keys, replace(state.where, tags=others))
        state.take(kept)
        if not len(state.keys):
            state.reason = "nothing that matches is in the scopes and has the tags asked for"
        return state
