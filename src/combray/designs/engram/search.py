"""Engram's search: trivial queries end at once; then vector, entity graph, keyword fallback and peers."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from combray.designs.shared import share_of_best
from combray.errors import ModelError
from combray.forms.recalling import Recalling, aligned
from combray.language.sentences import LONG_FROM
from combray.language.trivial import internal, letters, says_nothing
from combray.pipeline import stage
from combray.recall.aliases import entity_arm, share_of_things
from combray.recall.search import context_arm
from combray.runtime import (
    Arm,
    Filter,
    Found,
    Keys,
    KeywordArm,
    MomentArm,
    PeerHit,
    Runtime,
    VectorArm,
)
from combray.scoring.ranking import DECIMALS

if TYPE_CHECKING:
    from concurrent.futures import Future


@stage
class SkipTrivial:
    """Ends recall for acknowledgements and greetings ("ok", "cảm ơn", "再见") before anything is searched.

    Only whole queries count: "no problem with the build?" is searched. A query that is the name of a known entity
    is never trivial. Engram stage 1; see docs/reference/presets.md.
    """

    needs = ("query",)
    fewest_letters: int = 3
    """Letters and digits; a Chinese character counts three. Engram names a threshold and no number."""

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if says_nothing(state.query):
            reason = "an acknowledgement, a greeting or the like"
        elif letters(state.query) < self.fewest_letters:
            reason = f"fewer than {self.fewest_letters} letters"
        else:
            return state
        name = state.query.strip(" \t\n.,;:!?\"'()？！。，")
        if not name or not state.reader.known_entities([name]):
            state.reason = f"trivial query ({reason}): nothing was searched"
            state.done = True
        return state


Asked = dict[str, "Future[list[PeerHit]]"]


def ask(state: Recalling, runtime: Runtime, limit: int) -> Asked:
    """Start a search at every peer, or write into details["peers_skipped"] why there is none."""
    if not runtime.peers:
        return {}
    state.details["peers"] = []
    if internal(state.query):
        state.details["peers_skipped"] = "the question is about one's own doings"
        return {}
    # Of all filters only dates can be applied to what a peer returns.
    if replace(state.where, since=None, until=None) != Filter(now=state.where.now):
        state.details["peers_skipped"] = "peers cannot honour the filters of this recall"
        return {}
    search = (state.query, limit, state.namespace)
    return {peer.name: runtime.start(functools.partial(peer.search, *search)) for peer in runtime.peers}


def collect(state: Recalling, asked: Asked, runtime: Runtime) -> None:
    """Wait for all peers, at most for the longest timeout, and add their hits in the order of the settings.

    Each failure is reported in `degraded`.
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
        state.details["peers"] += [
            {
                "peer": name,
                "text": hit.text,
                "score": hit.score,
                "id": hit.id,
                "when": None if hit.when is None else hit.when.isoformat(),
                "source": hit.source,
                "trust": "untrusted",
            }
            for hit in found
            if _in_time(hit, state.where)
        ]


def _in_time(hit: PeerHit, where: Filter) -> bool:
    """Whether a hit passes the dates of the filter. A hit without a date passes only if there are none."""
    if where.since is None and where.until is None:
        return True
    if hit.when is None:
        return False
    moment = hit.when.timestamp()
    return (where.since is None or moment >= where.since) and (where.until is None or moment < where.until)


@stage
class SearchParallel:
    """Searches by vector, by entities and their neighbours in the graph, by keywords as a fallback, and at peers.

    Peers are started before the local search and waited for after it. Keywords are searched beside the vectors,
    with the turns around a turn as context. A hit of that arm alone must contain `minimum_share` of the words, or
    stand with such a hit in the answer. `keyword` is BM25 as a share of the best hit, times the greatest share of
    the words that one memory contains: without neighbours a memory with all the words has 1. Of a
    message only as many words as `strongest` are asked of a hit: it says many things and asks for one.
    A question that is only about a date is answered by that date's memories. Engram stage 4; constants:
    docs/reference/presets.md.
    """

    needs = ("terms", "entities", "dates")
    gives = ("found", "candidates", "keyword", "entity")
    leaves_process = True
    minimum_similarity: float = 0.3
    minimum_share: float = 0.2
    strongest: int = 8
    depth: int = 2
    neighbours: int = 10
    pool: int = 200
    peer_limit: int = 5

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        asked = ask(state, runtime, self.peer_limit)
        state.found = self._local(state)
        reached = self._graph(state, state.found)
        state.keys = np.union1d(state.found.keys, reached)
        none = np.zeros(len(state.found.keys))
        share, text, vector, entity, date = (
            aligned(state.keys, state.found.keys, state.found.scores.get(arm, none))
            for arm in ("keyword", "text", "vector", "entity", "date")
        )
        words = len(state.terms)
        worded = share * (words / self.strongest if words > LONG_FROM else 1.0) >= self.minimum_share
        state.signals = {
            "keyword": np.round(float(share.max(initial=0.0)) * share_of_best(text), DECIMALS),
            "entity": share_of_things(entity, state),
            "reached": np.isin(state.keys, reached).astype(np.float64),
            "context": (text > 0).astype(np.float64),
        }
        evident = (vector > 0) | (entity > 0) | (date > 0) | worded | ((text > 0) & worded.any())
        state.take(evident | np.isin(state.keys, reached))
        if state.times.dated and not len(state.keys):
            undated = state.reader.scan(replace(state.where, since=None, until=None), limit=1)
            if len(undated):
                matches = (
                    f"dated {state.times.dated} matches"
                    if state.found.eligible
                    else f"is dated {state.times.dated}"
                )
                state.reason = f"nothing {matches}; ask without the date for what only mentions it"
        collect(state, asked, runtime)
        return state

    def _local(self, state: Recalling) -> Found:
        arms: dict[str, Arm] = {}
        if state.embedded.vector is not None and state.embedded.trust > 0:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_similarity)
        if (named := entity_arm(state)) is not None:
            arms["entity"] = named
        arms["text"] = context_arm(state.terms, lends=state.names.lends)
        arms["keyword"] = KeywordArm(
            tuple((term, 1.0) for term in state.terms), scoring="coverage", lends=state.names.lends
        )
        if state.times.alone:
            window = (state.where.since or 0.0, state.where.until or state.now + 1, 1.0)
            arms["date"] = MomentArm((window,), minimum=1.0)
        return state.reader.search(arms, state.where, self.pool)

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
