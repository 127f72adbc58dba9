"""Candidates to hits, with the reason for the answer as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.types import Hit


@dataclass(frozen=True)
class Assemble:
    """Loads the memories of the hits, each with its signals and how it was found."""

    needs: ClassVar[tuple[str, ...]] = ("top",)
    gives: ClassVar[tuple[str, ...]] = ("hits",)
    shown: tuple[str, ...] = ()
    """Signals to show, in this order; all of them when empty."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        names = self.shown or tuple(state.signals)
        for place, memory in enumerate(state.reader.memories(state.keys)):
            key = int(state.keys[place])
            signals = {
                name: round(float(state.signals[name][place]), 6) for name in names if name in state.signals
            }
            state.hits.append(Hit(memory, float(state.scores[place]), signals, found_by(state, key)))
        if not state.reason:
            state.reason = _mode(state, runtime) if state.hits else why_empty(state)
            if state.hits and state.weak:
                state.reason += f"; weak evidence: {state.weak}"
        return state


_LIST_NAMES = {"context": "keyword", "bm25": "keyword", "own": "vector", "window": "vector", "date": "time"}


def found_by(state: Recalling, key: int) -> str:
    """How a memory was found: as a stage has noted, else by the list that has it highest."""
    if key in state.via or state.found is None:
        return state.via.get(key, "graph")
    best = ("graph", 1 << 30)
    for name, ranked in state.found.lists.items():
        at = np.flatnonzero(ranked.keys == key)
        if len(at) and int(at[0]) < best[1]:
            best = (_LIST_NAMES.get(name, name), int(at[0]))
    return best[0]


def _mode(state: Recalling, runtime: Runtime) -> str:
    if state.vector is not None:
        return f"hybrid: keywords, graph and {state.model}"
    if runtime.embedder is None:
        return "keyword and graph only: no embedder is configured"
    return "; ".join(state.degraded) or "keyword and graph only: the query has no vector"


def why_empty(state: Recalling) -> str:
    """In words, what was looked for and not found."""
    if state.found is not None and not state.found.eligible:
        if state.reader.profile().memories:
            return "no memory passes the filters"
        return f"namespace {state.namespace!r} has no memories yet"
    return "nothing here matches: no shared words, names or meaning"
