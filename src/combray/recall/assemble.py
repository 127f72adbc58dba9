"""Candidates to hits, and hits to one text for a language model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combray.facts.later import DOUBTED_FROM
from combray.facts.successors import CALLER, open_revisions, outdated_by
from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Keys, Reader, Runtime
from combray.types import Hit, Memory
from combray.values import rounded


@stage
class Assemble:
    """Loads the memories of the hits, each with its signals and how it was found."""

    needs = ("top",)
    gives = ("hits",)
    shown: tuple[str, ...] = ()
    """Signals to show, in this order; all of them when empty."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        names = self.shown or tuple(state.signals)
        memories = state.reader.memories(state.keys)
        outdated = [outdated_by(memory, state.now) for memory in memories]
        # What was settled is no open question any more.
        doubted = [None if by else memory.id for by, memory in zip(outdated, memories, strict=True)]
        later, earlier = _revisions(state, doubted)
        ids = dict(zip(state.keys.tolist(), (memory.id for memory in memories), strict=True))
        slots = {new: tuple(ids[old] for old in group if old in ids) for new, group in state.edges.slots.items()}
        open_keys = {key for key, by in zip(state.keys.tolist(), outdated, strict=True) if not by}
        for new in slots.keys() & ids.keys():
            for old in open_keys.intersection(state.edges.slots[new]):
                later.setdefault(old, ids[new])
        merged = _merged(state, memories)
        via = found_by(state)
        columns = {
            name: [rounded(each, 6) for each in state.signals[name].tolist()]
            for name in names
            if name in state.signals
        }
        keys, scores = state.keys.tolist(), state.scores.tolist()
        for place, memory in enumerate(memories):
            key = keys[place]
            signals = {name: values[place] for name, values in columns.items()}
            state.hits.append(
                Hit(
                    memory,
                    scores[place],
                    signals,
                    via[key],
                    outdated_by=outdated[place],
                    may_be_outdated_by=later.get(key),
                    may_replace=earlier.get(key),
                    restated_by=merged.get(memory.id, ()),
                    earlier=slots.get(key, ()),
                )
            )
        if not state.reason:
            state.reason = _mode(state, runtime) if state.hits else why_empty(state)
            if state.hits and state.weak:
                state.reason += f"; weak evidence: {state.weak}"
        return state


def marked_hits(runtime: Runtime, reader: Reader, namespace: str, keys: Keys) -> list[Hit]:
    """Return memories as hits of no question: with the marks of time that they have whatever is asked."""
    state = Recalling("", namespace, reader, runtime.clock(), keys=keys, scores=np.zeros(len(keys)))
    return Assemble()(state, runtime).hits


def _revisions(state: Recalling, ids: Sequence[str | None]) -> tuple[dict[int, str], dict[int, str]]:
    """Return, by key of a hit, the id of the memory that may replace it, and of the hit that it may replace.

    `ids` are those of the hits, None for one that nothing may replace. Only what is probable for the question
    counts (`ShowLater`), and what a caller left open.
    """
    known = {key: each for key, each in zip(state.keys.tolist(), ids, strict=True) if each is not None}
    asked = open_revisions(state, list(known), 0.0) if state.edges.revisions is None else state.edges.revisions
    doubted = [each for each in asked if each.created_by == CALLER]
    if state.edges.revisions is not None:
        doubted += [each for each in asked if each.weight >= DOUBTED_FROM and each not in doubted]
    if not doubted:
        return {}, {}
    links = sorted(doubted, key=lambda each: (-each.weight, each.source, each.target))
    sources = [each.source for each in links]
    named = dict(zip(sources, state.reader.ids(np.array(sources)), strict=True))
    later: dict[int, str] = {}
    earlier: dict[int, str] = {}
    for link in links:
        if link.target in known:
            later.setdefault(link.target, named[link.source])
            earlier.setdefault(link.source, known[link.target])
    return later, earlier


def _merged(state: Recalling, memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
    """Return, by id of a hit, the ids of the memories that were merged into it. Turns are never merged."""
    facts = {key for key, each in zip(state.keys.tolist(), memories, strict=True) if each.kind != "episode"}
    if missing := sorted(facts - state.edges.linked):
        open_revisions(state, missing, 1.0)
    sources = sorted({source for target, source in state.edges.restating if target in facts})
    found: dict[str, tuple[str, ...]] = {}
    for other in state.reader.memories(sources) if sources else ():
        if other.status == "merged" and other.merged_into:
            found[other.merged_into] = (*found.get(other.merged_into, ()), other.id)
    return found


_LIST_NAMES = {"context": "keyword", "bm25": "keyword", "own": "vector", "window": "vector", "date": "time"}


def found_by(state: Recalling) -> dict[int, str]:
    """How each candidate was found: as a stage noted, else by the list that ranks it highest, else the graph."""
    best: dict[int, tuple[int, str]] = {}
    wanted = set(state.keys.tolist())
    for arm, ranked in state.found.lists.items() if state.found is not None else ():
        name = arm.partition(":")[0]
        places = {key: place for place, key in enumerate(ranked.keys.tolist())}
        for key in wanted & places.keys():
            if key not in best or places[key] < best[key][0]:
                best[key] = places[key], _LIST_NAMES.get(name, name)
    return {key: state.via.get(key) or best.get(key, (0, "graph"))[1] for key in wanted}


def _mode(state: Recalling, runtime: Runtime) -> str:
    if state.embedded.vector is not None:
        return f"hybrid: keywords, graph and {state.embedded.model}"
    if runtime.embedder is None:
        return "keyword and graph only: no embedder is configured"
    return "; ".join(state.degraded) or "keyword and graph only: the query has no vector"


def why_empty(state: Recalling) -> str:
    """In words, why nothing was found."""
    if state.found is not None and not state.found.eligible:
        if state.reader.profile().memories:
            return "no memory passes the filters"
        return f"namespace {state.namespace!r} has no memories yet"
    return "nothing here matches: no shared words, names or meaning"
