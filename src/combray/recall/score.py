"""The four signals of Mnemon's re-ranking (5.2 step 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.language.tokens import term_set, terms
from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.scoring.minmax import minmax


@dataclass(frozen=True)
class ScoreFourSignals:
    """Computes the four signals of Mnemon's re-ranking.

    keyword = shared terms / query terms; entity = matched / max(1, query entities); similarity = cosine;
    graph = traversal score, min-max scaled over the candidates.
    """

    needs: ClassVar[tuple[str, ...]] = ("graph", "terms", "entities")
    gives: ClassVar[tuple[str, ...]] = ("keyword", "entity", "similarity", "graph_signal")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        memories = state.reader.memories(state.keys)
        wanted = set(state.terms)
        entities = {name.casefold() for name in state.entities}
        keyword, entity = [], []
        for memory in memories:
            # Who said it is a word and an entity of a memory, as in the index that found the anchors.
            named = " ".join((*memory.tags, *memory.entities, memory.author or ""))
            held = term_set(memory.content) | set(terms(named)) | set(terms(memory.content)) & wanted
            keyword.append(len(held & wanted) / max(1, len(wanted)))
            mine = {name.casefold() for name in (*memory.entities, memory.author or "")}
            entity.append(len(mine & entities) / max(1, len(entities)))
        state.signals["keyword"] = np.round(keyword, 6)
        state.signals["entity"] = np.round(entity, 6)
        state.signals["similarity"] = (
            np.maximum(state.reader.similarity(state.model, state.vector, state.keys), 0.0)
            if state.vector is not None
            else np.zeros(len(state.keys))
        )
        state.signals["graph"] = np.round(minmax(state.signals["traversal"]), 6)
        return state


@dataclass(frozen=True)
class RequireEvidence:
    """Drops candidates whose only evidence is that they are recent."""

    needs: ClassVar[tuple[str, ...]] = ("keyword", "entity", "similarity")
    gives: ClassVar[tuple[str, ...]] = ()
    minimum_cosine: float = 0.10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        signals = state.signals
        evident = (
            (signals["keyword"] > 0)
            | (signals["entity"] > 0)
            | (signals["similarity"] >= self.minimum_cosine)
            | (signals["reached"] > 0)
        )
        state.take(evident)
        return state
