"""Mnemo's three search paths: vector, BM25 and graph, as three lists for the fusion."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from combray.designs.mnemo.scope import scoped
from combray.forms.recalling import Recalling, aligned
from combray.language.tokens import terms
from combray.pipeline import stage
from combray.recall.aliases import entity_arm
from combray.runtime import Arm, Filter, Found, KeywordArm, Ranked, Reader, Runtime, VectorArm
from combray.scoring.ranking import DECIMALS

_WALKED = ("entity", "causal", "semantic")
"""Edges of the graph path. Temporal edges are not followed: they do not relate subjects."""


@stage
class SearchPaths:
    """Searches by vector, BM25 and graph, the best `pool` of each (Mnemo, stage 3). Each path works alone.

    BM25 runs over the query's words and their expansion; tags are filters, so `fields` omits them. Graph path: up
    to `named` memories that name an entity of the query score 0.65, up to `neighbours` with an edge from those
    0.45. Each gets 0.01 for every place before the last and min(0.15, 0.03 · ln(1 + edges met at it)). Memories
    that neither vectors nor words have found get round((1 - third best local score) · `graph_slots`) places.

    Names of known authors start no graph path. Every filter acts inside every path. `push_down` off leaves
    scopes, tags, sources and sessions to FilterScope; a scope then competes for the pool with all others.
    """

    needs = ("terms", "entities", "expansion")
    gives = ("found",)
    pool: int = 20
    minimum_cosine: float = 0.10
    fields: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.0)
    k1: float = 1.2
    b: float = 0.75
    named: int = 10
    neighbours: int = 10
    graph_slots: int = 5
    named_score: float = 0.65
    neighbour_score: float = 0.45
    per_rank: float = 0.01
    per_degree: float = 0.03
    most_by_degree: float = 0.15
    most_forms: int = 24
    """Forms of days that are searched."""
    date_score: float = 0.5
    """Score of what names a day of the query, as an expansion of stage 1."""
    push_down: bool = True

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        where = scoped(state.where)
        if not self.push_down:
            where = replace(where, scopes=(), tags=(), sources=(), sessions=())
        found = state.reader.search(self._arms(state), where, max(self.pool, state.asked.limit))
        lists = {name: found.lists[name] for name in ("vector", "bm25") if name in found.lists}
        dated = self._dated(state, found)
        if len(dated.keys):
            lists["date"] = dated
        graph = self._graph(state.reader, found, where)
        if len(graph.keys):
            lists["graph"] = graph
        listed = [each.keys for each in lists.values()]
        keys = np.unique(np.concatenate(listed)) if listed else np.zeros(0, dtype=np.int64)
        scores = {name: aligned(keys, found.keys, found.scores[name]) for name in lists if name in found.scores}
        for name in ("graph", "date"):
            if name in lists:
                order = np.argsort(lists[name].keys)
                scores[name] = aligned(keys, lists[name].keys[order], lists[name].scores[order])
        state.found = Found(keys, lists, scores, found.eligible, found.vectorless)
        state.keys, state.signals = keys, dict(scores)
        return state

    def _arms(self, state: Recalling) -> dict[str, Arm]:
        arms: dict[str, Arm] = {}
        if state.embedded.vector is not None:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_cosine)
        words = (*((term, 1.0) for term in state.terms), *state.words.expansion.items())
        if words:
            arms["bm25"] = KeywordArm(
                words, fields=self.fields, k1=self.k1, b=self.b, normalise=True, lends=state.names.lends
            )
        for place, form in enumerate(state.words.days[: self.most_forms]):
            every = tuple((term, 1.0) for term in terms(form))
            arms[f"day {place}"] = KeywordArm(every, mode="all", scoring="coverage", fields=(1.0, 0.0, 0.0, 0.0))
        # A speaker's name is linked to everything, so the graph starts from other entities.
        speakers = {name.casefold() for name in state.reader.profile().authors}
        topics = tuple(name for name in state.entities if name.casefold() not in speakers)
        # "Marta Klein" asks for nobody else called Marta.
        spelt = [f" {name.casefold()} " for name in topics]
        topics = tuple(
            name
            for name, own in zip(topics, spelt, strict=True)
            if not any(own in other and own != other for other in spelt)
        )
        meant = {name for group in state.names.named.values() for name in group} - speakers
        named = entity_arm(state, {name.casefold() for name in topics} | meant)
        if named is not None:
            arms["entity"] = named
        return arms

    def _dated(self, state: Recalling, found: Found) -> Ranked:
        """Memories that name one of the days, whole: "3月5日" is neither "5月3日" nor "13月5日"."""
        listed = [each.keys for name, each in found.lists.items() if name.startswith("day ")]
        keys = np.unique(np.concatenate(listed)) if listed else np.zeros(0, dtype=np.int64)
        if len(keys):
            written = re.compile(
                "|".join(rf"(?<!\d){re.escape(form)}(?!\d)" for form in state.words.days), re.IGNORECASE
            )
            named = [written.search(text) is not None for text in state.reader.contents(keys)]
            keys = keys[np.array(named, dtype=np.bool_)]
        return Ranked(keys, np.full(len(keys), self.date_score))

    def _graph(self, reader: Reader, found: Found, where: Filter) -> Ranked:
        """Memories that name an entity and what their edges lead to, best first, ties by key."""
        # The better of cosine and BM25 share of every candidate, in [0, 1].
        local = np.zeros(len(found.keys))
        for name in ("vector", "bm25"):
            local = np.maximum(local, found.scores.get(name, local))
        naming = found.scores.get("entity", np.zeros(len(found.keys)))
        places = np.flatnonzero(naming > 0)
        # Of many memories that name it: those with the best score of the other paths, then the newest.
        order = np.lexsort((-found.keys[places], -local[places], -naming[places]))
        named = [int(key) for key in found.keys[places[order]][: self.named]]
        if not named:
            return Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
        weights: dict[int, float] = {}
        degree = dict.fromkeys(named, 0)
        for link in reader.links(named, _WALKED):
            for here, there in ((link.source, link.target), (link.target, link.source)):
                if here in degree and there not in named:
                    weights[there] = max(weights.get(there, 0.0), link.weight)
            for end in (link.source, link.target):
                degree[end] = degree.get(end, 0) + 1
        around = np.array(sorted(weights), dtype=np.int64)
        allowed = around[reader.eligible(around, where)].tolist()
        reached = sorted(allowed, key=lambda key: (-weights[key], key))[: self.neighbours]
        scores = self._scores(named, self.named_score, degree, self.named)
        scores |= self._scores(reached, self.neighbour_score, degree, self.neighbours)
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        known = {int(key) for name in ("vector", "bm25") if name in found.lists for key in found.lists[name].keys}
        third = float(np.sort(local)[-3]) if len(local) >= 3 else 0.0
        slots = round((1.0 - min(third, 1.0)) * self.graph_slots)
        alone = [key for key in ranked if key not in known][:slots]
        kept = [key for key in ranked if key in known or key in alone]
        return Ranked(np.array(kept, dtype=np.int64), np.array([scores[key] for key in kept]))

    def _scores(self, keys: list[int], basis: float, degree: dict[int, int], most: int) -> dict[int, float]:
        return {
            key: round(
                basis
                + self.per_rank * (most - rank - 1)
                + min(self.most_by_degree, self.per_degree * math.log1p(degree.get(key, 0))),
                DECIMALS,
            )
            for rank, key in enumerate(keys)
        }
