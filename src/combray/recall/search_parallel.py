"""Vector, entity graph, keyword fallback and peers: Engram's parallel search."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from combray.errors import ModelError
from combray.language.trivial import internal
from combray.recall.state import Recalling
from combray.runtime import (
    Arm,
    EntityArm,
    Filter,
    Found,
    Keys,
    KeywordArm,
    MomentArm,
    Peer,
    PeerHit,
    Runtime,
    Scores,
    VectorArm,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

Asked = dict[str, "Future[list[PeerHit]]"]


def ask(state: Recalling, runtime: Runtime, limit: int) -> Asked:
    """Start a search at every peer, or say in details["peers_skipped"] why none is asked."""
    if not runtime.peers:
        return {}
    state.details["peers"] = state.peers
    if internal(state.query):
        state.details["peers_skipped"] = "the question is about one's own doings"
        return {}
    if not _bounded_by_dates_only(state.where):
        state.details["peers_skipped"] = "peers cannot honour the filters of this recall"
        return {}
    return {peer.name: runtime.start(_search(peer, state, limit)) for peer in runtime.peers}


def _search(peer: Peer, state: Recalling, limit: int) -> functools.partial[list[PeerHit]]:
    return functools.partial(peer.search, state.query, limit, state.namespace)


def _bounded_by_dates_only(where: Filter) -> bool:
    """Whether nothing but dates is filtered by: those can be applied to what comes back."""
    return replace(where, since=None, until=None) == Filter(now=where.now)


def collect(state: Recalling, asked: Asked, runtime: Runtime) -> None:
    """Wait for the peers, all of them together no longer than the longest timeout, and keep what they found.

    In the order of the settings, whoever answered first. Each failure is said in `degraded`.
    """
    if not asked:
        return
    from concurrent.futures import wait

    wait(asked.values(), timeout=max(peer.timeout for peer in runtime.peers))
    for name, future in asked.items():
        if not future.done():
            state.degraded.append(f"peer {name}: did not answer in time")
            continue
        try:
            found = future.result()
        except ModelError as error:
            state.degraded.append(str(error))
            continue
        state.peers += [_told(name, hit) for hit in found if _in_time(hit, state.where)]


def _in_time(hit: PeerHit, where: Filter) -> bool:
    """Whether it passes the dates of the filter; without a date of its own it passes only where none is asked."""
    if where.since is None and where.until is None:
        return True
    if hit.when is None:
        return False
    moment = hit.when.timestamp()
    return (where.since is None or moment >= where.since) and (where.until is None or moment < where.until)


def _told(name: str, hit: PeerHit) -> dict[str, Any]:
    return {
        "peer": name,
        "text": hit.text,
        "score": hit.score,
        "id": hit.id,
        "when": None if hit.when is None else hit.when.isoformat(),
        "source": hit.source,
        "trust": "untrusted",
    }


@dataclass(frozen=True)
class SearchParallel:
    """The memories near the query's vector, those that name its entities with their neighbours in the graph,
    those that hold its words where the vector finds few, and what peers know.

    Peers are started before the local search and waited for after it. The keyword arm runs when the vector
    arm finds fewer than `fewest`, when the model knows little of the language, and when the query holds a
    number or an id, which vectors cannot tell apart; a hit of that arm alone must hold `minimum_share` of the
    words. A question that is only about a date is answered by that date's memories. Engram stage 4; .3, depth
    2 and ten entity hits are its code's: docs/reference/presets.md.
    """

    needs = ("terms", "entities", "dates")
    gives = ("found", "candidates", "keyword", "entity")
    leaves_process = True
    minimum_similarity: float = 0.3
    fewest: int = 5
    minimum_share: float = 0.2
    depth: int = 2
    neighbours: int = 10
    pool: int = 200
    peer_limit: int = 5

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        asked = ask(state, runtime, self.peer_limit)
        state.found = self._local(state)
        reached = self._graph(state, state.found)
        state.keys = np.union1d(state.found.keys, reached)
        share = _aligned(state.found, "keyword", state.keys)
        evident = _aligned(state.found, "vector", state.keys) > 0
        evident |= (_aligned(state.found, "entity", state.keys) > 0) | np.isin(state.keys, reached)
        evident |= (_aligned(state.found, "date", state.keys) > 0) | (share >= self.minimum_share)
        state.signals = {"keyword": share, "entity": _aligned(state.found, "entity", state.keys)}
        state.take(evident)
        if state.dated and not len(state.keys):
            state.reason = _nothing_dated(state)
        collect(state, asked, runtime)
        return state

    def _local(self, state: Recalling) -> Found:
        arms: dict[str, Arm] = {}
        if state.vector is not None and state.trust > 0:
            arms["vector"] = VectorArm(state.vector, state.model, self.minimum_similarity)
        if state.entities:
            arms["entity"] = EntityArm(state.entities)
        found = state.reader.search(arms, state.where, self.pool)
        near = len(found.lists["vector"].keys) if "vector" in found.lists else 0
        exact = any(char.isdigit() for term in state.terms for char in term)
        if near < self.fewest or state.trust < 1 or exact:
            arms["keyword"] = KeywordArm(tuple((term, 1.0) for term in state.terms), scoring="coverage")
            found = state.reader.search(arms, state.where, self.pool)
        if state.only_dated:
            window = (state.where.since or 0.0, state.where.until or state.now + 1, 1.0)
            arms["date"] = MomentArm((window,), minimum=1.0)
            found = state.reader.search(arms, state.where, self.pool)
        return found

    def _graph(self, state: Recalling, found: Found) -> Keys:
        """The best neighbours, over edges between memories of one entity, of the memories that name an entity."""
        if "entity" not in found.lists:
            return np.zeros(0, dtype=np.int64)
        frontier = {int(key): 1.0 for key in found.lists["entity"].keys[: self.neighbours]}
        known = set(map(int, found.keys))
        best: dict[int, float] = {}
        for _ in range(self.depth):
            ahead: dict[int, float] = {}
            for link in state.reader.links(sorted(frontier), ("entity",)):
                for here, there in ((link.source, link.target), (link.target, link.source)):
                    weight = frontier.get(here, 0.0) * link.weight
                    if there not in known and weight > max(best.get(there, 0.0), ahead.get(there, 0.0)):
                        ahead[there] = weight
            best |= ahead
            frontier = ahead
        reached = np.array(sorted(best), dtype=np.int64)
        reached = reached[state.reader.eligible(reached, state.where)] if len(reached) else reached
        nearest = sorted(map(int, reached), key=lambda key: (-round(best[key], 6), key))
        return np.array(nearest[: self.neighbours], dtype=np.int64)


def _aligned(found: Found, arm: str, keys: Keys) -> Scores:
    """An arm's scores for the keys; 0 where it did not run or found nothing."""
    scores = np.zeros(len(keys))
    if arm in found.scores and len(found.keys):
        place = np.minimum(np.searchsorted(found.keys, keys), len(found.keys) - 1)
        scores = np.where(found.keys[place] == keys, found.scores[arm][place], 0.0)
    return scores


def _nothing_dated(state: Recalling) -> str:
    undated = replace(state.where, since=None, until=None)
    if not len(state.reader.scan(undated, limit=1)):
        return ""
    if state.found is None or not state.found.eligible:
        return f"nothing is dated {state.dated}; ask without the date for what only mentions it"
    return f"nothing dated {state.dated} matches; ask without the date for what only mentions it"
