"""Facts that were extracted from turns: reported beside those turns, not ranked against them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime
from combray.types import Memory
from combray.values import DISTILLED


@stage
class SetFactsBeside:
    """Moves derived facts whose evidence can be recalled from the ranking into `details["beside"]`.

    Such a fact repeats its turn, so as a hit it would only displace another turn. It stays if its evidence is
    forgotten or filtered out, if other turns do not fill the limit, and when the caller filters by kind or
    source. Only the best `depth` times the limit are examined.
    """

    needs = ("sorted",)
    depth: int = 3

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.where.kinds or state.where.sources or not len(state.keys):
            return state
        head = state.keys[: self.depth * state.asked.limit]
        derived = state.reader.eligible(head, replace(state.where, sources=DISTILLED))
        if not derived.any():
            return state
        others = head[~derived]
        hits = set(state.reader.ids(others[: state.asked.limit]))
        crowded = len(others) >= state.asked.limit
        facts = state.reader.memories(head[derived].tolist())
        places = np.flatnonzero(derived).tolist()
        beside = {
            place: fact
            for place, fact in zip(places, facts, strict=True)
            if hits & set(fact.evidence) or (crowded and _is_recallable(state, fact))
        }
        state.details["beside"] = [
            {
                "id": fact.id,
                "content": fact.content,
                "confidence": fact.confidence,
                "evidence": [each for each in fact.evidence if each in hits],
            }
            for place, fact in beside.items()
            if place < state.asked.limit
        ]
        if beside:
            stays = np.ones(len(state.keys), dtype=np.bool_)
            stays[list(beside)] = False
            state.take(stays)
        return state


def _is_recallable(state: Recalling, fact: Memory) -> bool:
    keys = np.array(sorted(state.reader.keys_of(fact.evidence).values()), dtype=np.int64)
    return bool(len(keys)) and bool(state.reader.eligible(keys, state.where).any())
