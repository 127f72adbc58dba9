"""Mnemon's re-ranking: four signals, weighted by the intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.names import name_terms
from combray.language.tokens import term_set, terms
from combray.pipeline import stage
from combray.recall.aliases import things
from combray.recall.weigh import sort, weighted_sum
from combray.runtime import Runtime
from combray.scoring.minmax import minmax


@stage
class ScoreFourSignals:
    """Computes the four signals of Mnemon's re-ranking.

    keyword = shared terms / query terms; entity = matched / max(1, query entities); similarity = cosine;
    graph = the walk's `path`, min-max scaled over the candidates, at least 0.01 for what only the walk supports.
    Candidates with no signal are dropped. A declared or learned name counts as the other names of its thing.
    """

    needs = ("graph", "terms", "entities")
    gives = ("keyword", "entity", "similarity", "graph_signal")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        wanted = set(state.terms)
        entities = things(state)
        lent = [(term, frozenset(phrase)) for term, phrase, _ in state.names.lends if term in wanted]
        groups = [(thing, [set(name_terms(name)) for name in thing]) for thing in entities if len(thing) > 1]
        keyword, entity = [], []
        for memory in state.reader.memories(state.keys):
            # Who said it is a word and an entity of a memory, as in the index that found the anchors.
            named = " ".join((*memory.tags, *memory.entities, memory.author or ""))
            said = set(terms(memory.content))
            held = term_set(memory.content) | set(terms(named)) | said & wanted
            held |= {term for term, phrase in lent if phrase <= said}
            keyword.append(len(held & wanted) / max(1, len(wanted)))
            mine = {name.casefold() for name in (*memory.entities, memory.author or "")}
            told = {thing for thing, others in groups if any(each and each <= said for each in others)}
            met = sum(not thing.isdisjoint(mine) or thing in told for thing in entities)
            entity.append(met / max(1, len(entities)))
        state.signals["keyword"] = np.round(keyword, 6)
        state.signals["entity"] = np.round(entity, 6)
        state.signals["similarity"] = np.zeros(len(state.keys))
        if state.embedded.vector is not None:
            cosine = state.reader.similarity(state.embedded.model, state.embedded.vector, state.keys)
            state.signals["similarity"] = np.maximum(cosine, 0.0)
        graph = np.round(minmax(state.signals["path"]), 6)
        # The end of a chain has the lowest path score of all and still is what the chain leads to.
        alone = sum(state.signals[name] for name in ("keyword", "entity", "similarity")) == 0
        state.signals["graph"] = np.where(alone & (state.signals["reached"] > 0), np.maximum(graph, 0.01), graph)
        state.take(~alone | (state.signals["graph"] > 0))
        return state


WITH_EMBEDDINGS: Mapping[str, Mapping[str, float]] = {
    "WHY": {"keyword": 0.10, "entity": 0.10, "similarity": 0.30, "graph": 0.50},
    "WHEN": {"keyword": 0.15, "entity": 0.15, "similarity": 0.30, "graph": 0.40},
    "ENTITY": {"keyword": 0.20, "entity": 0.40, "similarity": 0.20, "graph": 0.20},
    "GENERAL": {"keyword": 0.25, "entity": 0.25, "similarity": 0.25, "graph": 0.25},
}
"""Source: Mnemon design, section 5.2 step 4; see docs/reference/presets.md."""

WITHOUT_EMBEDDINGS: Mapping[str, Mapping[str, float]] = {
    "WHY": {"keyword": 0.20, "entity": 0.10, "similarity": 0.0, "graph": 0.70},
    "WHEN": {"keyword": 0.25, "entity": 0.15, "similarity": 0.0, "graph": 0.60},
    "ENTITY": {"keyword": 0.30, "entity": 0.50, "similarity": 0.0, "graph": 0.20},
    "GENERAL": {"keyword": 0.35, "entity": 0.35, "similarity": 0.0, "graph": 0.30},
}
"""WHY is the example of that design. The other rows follow its published code: they are not proportional."""


@stage
class WeightedSumByIntent:
    """Weighted sum of four signals, with weights by intent and a second table for recall without vectors."""

    needs = ("keyword", "entity", "similarity", "graph_signal", "intent")
    gives = ("score",)
    embedded: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: WITH_EMBEDDINGS)
    without: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: WITHOUT_EMBEDDINGS)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys):
            return state
        table = self.embedded if state.embedded.vector is not None else self.without
        state.scores = weighted_sum(state, table[state.intent])
        sort(state)
        return state
