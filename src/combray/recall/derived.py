"""Facts that consolidation derived from turns: reported beside those turns, not ranked against them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime
from combray.types import Memory

_SOURCES = ("consolidation",)


@dataclass(frozen=True)
class SetFactsBeside:
    """Takes derived facts whose evidence can be recalled out of the ranking, into `details["beside"]`.

    It says what its turn says, so as a hit of its own it would only push another turn out. It stays where its
    evidence is forgotten or filtered out, where neither it nor other turns fill the limit, and when the caller
    asks for kinds or sources. Looked at are the best `depth` times the limit.
    """

    needs = ("sorted",)
    gives = ()
    depth: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.where.kinds or state.where.sources or not len(state.keys):
            return state
        head = state.keys[: self.depth * state.limit]
        derived = state.reader.eligible(head, replace(state.where, sources=_SOURCES))
        if not derived.any():
            return state
        others = head[~derived]
        hits = set(state.reader.ids(others[: state.limit]))
        crowded = len(others) >= state.limit
        facts = state.reader.memories(head[derived].tolist())
        places = np.flatnonzero(derived).tolist()
        beside = {
            place: fact
            for place, fact in zip(places, facts, strict=True)
            if hits & set(fact.evidence) or (crowded and _is_recallable(state, fact))
        }
        state.details["beside"] = [_told(fact, hits) for place, fact in beside.items() if place < state.limit]
        stays = np.ones(len(state.keys), dtype=np.bool_)
        stays[list(beside)] = False
        state.take(stays)
        return state


def _is_recallable(state: Recalling, fact: Memory) -> bool:
    keys = np.array(sorted(state.reader.keys_of(fact.evidence).values()), dtype=np.int64)
    return bool(len(keys)) and bool(state.reader.eligible(keys, state.where).any())


def _told(fact: Memory, hits: set[str]) -> dict[str, object]:
    return {
        "id": fact.id,
        "content": fact.content,
        "confidence": fact.confidence,
        "evidence": [each for each in fact.evidence if each in hits],
    }
