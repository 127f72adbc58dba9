"""Keyword search only: the verb `search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.recall.weigh import sort
from combray.runtime import KeywordArm, Runtime
from combray.scoring.ranking import DECIMALS


@dataclass(frozen=True)
class SearchKeywords:
    """Scores by the share of the query's words that a memory holds; BM25F orders equals."""

    needs: ClassVar[tuple[str, ...]] = ("terms",)
    gives: ClassVar[tuple[str, ...]] = ("found", "score")
    pool: int = 200

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        terms = tuple((term, 1.0) for term in state.terms)
        if not terms:
            return state
        arms = {
            "keyword": KeywordArm(terms, scoring="coverage"),
            "bm25": KeywordArm(terms, normalise=True),
        }
        state.found = state.reader.search(arms, state.where, max(self.pool, state.limit))
        state.keys = state.found.keys
        state.signals = dict(state.found.scores)
        # BM25 weighs less than one word's share: it orders equals and never outweighs a word.
        share = 1.0 / (len(terms) + 1)
        state.scores = np.round(
            (1.0 - share) * state.signals["keyword"] + share * state.signals["bm25"], DECIMALS
        )
        state.via = dict.fromkeys((int(key) for key in state.keys), "keyword")
        sort(state)
        return state
