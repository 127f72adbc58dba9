"""Beam search over the memory graph from the anchors, after MAGMA.

Source: docs/reference/presets.md, preset mnemon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.records import dataclass, field
from combray.runtime import Link, Runtime

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
