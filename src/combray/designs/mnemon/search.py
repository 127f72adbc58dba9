"""Mnemon's search: anchors, a beam search over the memory graph, four signals by intent, causes first.

Source: docs/reference/presets.md, preset mnemon. The beam search follows MAGMA.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from combray.forms.recalling import Recalling
from combray.language.names import name_terms
from combray.language.tokens import term_set, terms
from combray.pipeline import stage
from combray.recall.aliases import entity_arm, things
from combray.recall.score import sort, weighted_sum
from combray.records import dataclass, field
from combray.runtime import Arm, KeywordArm, Link, RecencyArm, Runtime, VectorArm
from combray.scoring.ranking import causes_first, minmax


@stage
class SearchAnchors:
    """Finds anchors by four signals, twenty each: keyword, vector, recency, entity.

    Source: docs/reference/presets.md, preset mnemon.
    """

    needs = ("terms", "entities")
    gives = ("found",)
    limit: int = 20
    minimum_cosine: float = 0.10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        arms: dict[str, Arm] = {}
        if state.terms:
            arms["keyword"] = KeywordArm(
                tuple((term, 1.0) for term in state.terms), scoring="coverage", lends=state.names.lends
            )
        if state.embedded.vector is not None:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_cosine)
        arms["time"] = RecencyArm()
        if (named := entity_arm(state)) is not None:
            arms["entity"] = named
        state.found = state.reader.search(arms, state.where, self.limit)
        return state


EDGE_WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "WHY": {"causal": 0.70, "temporal": 0.20, "entity": 0.05, "semantic": 0.05},
    "WHEN": {"temporal": 0.65, "causal": 0.15, "entity": 0.10, "semantic": 0.10},
    "ENTITY": {"entity": 0.55, "semantic": 0.30, "causal": 0.10, "temporal": 0.05},
    "GENERAL": {"entity": 0.25, "semantic": 0.25, "causal": 0.25, "temporal": 0.25},
}
"""Weight of each kind of edge by intent. `supersedes` edges are history, not a path.
Source: Mnemon design, see docs/reference/presets.md."""

LIMITS: Mapping[str, tuple[int, int, int]] = {
    "WHY": (15, 5, 500),
    "WHEN": (10, 5, 400),
    "ENTITY": (10, 4, 400),
    "GENERAL": (10, 4, 500),
}
"""(beam width, depth, most visited) by intent. Source: as above."""


@dataclass(slots=True)
class _Beam:
    """One anchor's walk: the nodes it stands on with their path scores, and every node it has visited."""

    here: dict[int, float]
    visited: set[int]
    expanded: int = 0


@dataclass(slots=True)
class _Walk:
    """What all anchors' beams share: the best scores of each node, and what has been read so far."""

    best: dict[int, float]
    mean: dict[int, float]
    via: dict[int, str] = field(default_factory=dict)
    links: dict[int, list[tuple[int, Link]]] = field(default_factory=lambda: defaultdict(list))
    cosine: dict[int, float] = field(default_factory=dict)
    allowed: dict[int, bool] = field(default_factory=dict)


@stage
class BeamSearch:
    """Walks the graph from the anchors and scores what it reaches.

    score(neighbour) = score(node) + λ1 · intent weight · edge weight + λ2 · max(0, cosine with the query).

    λ1 = 1.0, λ2 = 0.4. Each anchor has its own visited set: a path never returns to a node, so a score
    cannot grow by walking back and forth. One query a hop for the whole frontier; `traversal` is a node's
    best score over all anchors, and only improvements are followed. Filters confine the walk.

    `path` is the same sum divided by the number of nodes on the path. Without the division every neighbour
    outranks the anchor that leads to it, however weak the edge.
    """

    needs = ("anchor", "intent")
    gives = ("graph",)
    structural: float = 1.0
    semantic: float = 0.4
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: EDGE_WEIGHTS)
    limits: Mapping[str, tuple[int, int, int]] = field(default_factory=lambda: LIMITS)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        # A walk starts from anchors with keyword, vector or entity evidence, not from merely recent ones.
        lists = [each for name, each in state.found.lists.items() if name in ("keyword", "vector", "entity")]
        rooted = {int(key) for each in lists for key in each.keys}
        anchors = {int(key): float(score) for key, score in zip(state.keys, state.signals["anchor"], strict=True)}
        walk = _Walk(dict(anchors), dict(anchors))
        width, depth, most = self.limits[state.intent]
        roots = sorted((key for key in anchors if key in rooted), key=lambda each: (-anchors[each], each))
        beams = [_Beam({key: anchors[key]}, {key}) for key in roots]
        for hop in range(1, depth + 1):
            frontier = sorted({node for beam in beams for node in beam.here})
            if not frontier:
                break
            self._read(frontier, walk, state)
            for beam in beams:
                self._step(beam, walk, state.intent, width, most, hop)
        state.keys = np.array(sorted(walk.best), dtype=np.int64)
        keys = state.keys.tolist()
        state.signals = {
            "anchor": np.array([anchors.get(key, 0.0) for key in keys]),
            "traversal": np.array([walk.best[key] for key in keys]),
            "path": np.array([walk.mean[key] for key in keys]),
            "reached": np.array([float(key in rooted or key in walk.via) for key in keys]),
        }
        state.scores = np.zeros(len(keys))
        for key, kind in walk.via.items():
            # A recent memory is found by the edge that led to it, not by its age.
            if state.via.get(key, "time") == "time":
                state.via[key] = kind
        state.details["traversed"] = len(keys) - len(anchors)
        return state

    def _read(self, frontier: list[int], walk: _Walk, state: Recalling) -> None:
        """Edges of nodes not read yet, and cosine and eligibility of the nodes behind them."""
        fresh = [node for node in frontier if node not in walk.links]
        if not fresh:
            return
        kinds = tuple(self.weights[state.intent])
        reached: set[int] = set()
        for node in fresh:
            walk.links[node] = []
        wanted = set(fresh)
        for link in state.reader.links(fresh, kinds):
            for here, there in ((link.source, link.target), (link.target, link.source)):
                if here in wanted:
                    walk.links[here].append((there, link))
                    reached.add(there)
        unseen = np.array(sorted(reached - walk.allowed.keys()), dtype=np.int64)
        if not len(unseen):
            return
        walk.allowed.update(
            zip(unseen.tolist(), state.reader.eligible(unseen, state.where).tolist(), strict=True)
        )
        if state.embedded.vector is not None:
            cosines = state.reader.similarity(state.embedded.model, state.embedded.vector, unseen)
            walk.cosine.update(zip(unseen.tolist(), np.maximum(cosines, 0.0).tolist(), strict=True))

    def _step(self, beam: _Beam, walk: _Walk, intent: str, width: int, most: int, hop: int) -> None:
        """One hop of one anchor's beam, to the best `width` of the unvisited neighbours whose score improved."""
        improved: dict[int, float] = {}
        weights = self.weights[intent]
        nodes = list(beam.here)[: max(0, most - beam.expanded)]
        beam.expanded += len(nodes)
        for node in nodes:
            for there, link in walk.links[node]:
                if there in beam.visited or not walk.allowed.get(there, False):
                    continue
                gain = self.structural * weights.get(link.type, 0.0) * link.weight
                total = beam.here[node] + gain + self.semantic * walk.cosine.get(there, 0.0)
                walk.mean[there] = max(walk.mean.get(there, 0.0), total / (hop + 1))
                if total > walk.best.get(there, -1.0) + 1e-9:
                    walk.best[there] = improved[there] = total
                    walk.via[there] = link.type
        chosen = sorted(improved, key=lambda each: (-improved[each], each))[:width]
        beam.here = {node: improved[node] for node in chosen}
        beam.visited.update(improved)


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


@stage
class OrderCauses:
    """For WHY, orders causes before effects: Kahn's algorithm over causal edges among the hits.

    A hit passes only hits that causal edges join it to: whatever stands between two hits and is joined to
    neither keeps both in their places.
    """

    needs = ("top", "intent")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.intent != "WHY" or len(state.keys) < 2:
            return state
        keys = [int(key) for key in state.keys]
        edges = [(link.source, link.target) for link in state.reader.links(keys, ("causal",))]
        # Only hits side by side that causal edges join change places.
        place = {key: at for at, key in enumerate(keys)}
        state.take(np.array([place[key] for key in causes_first(keys, edges)], dtype=np.int64))
        return state
