"""Keyword search by itself: `search`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.recall.state import Recalling
from combray.recall.weigh import sort
from combray.runtime import KeywordArm, Runtime


@dataclass(frozen=True)
class SearchKeywords:
    """The share of the query's words that a memory holds, BM25F deciding between equals."""

    needs: ClassVar[tuple[str, ...]] = ("terms",)
    gives: ClassVar[tuple[str, ...]] = ("found", "score")
    pool: int = 200

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        """Search and sort."""
        del runtime
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
        # Less than one word's share, so that it orders equals and never outweighs a word.
        state.scores = state.signals["keyword"] + state.signals["bm25"] / (len(terms) + 1)
        state.via = dict.fromkeys((int(key) for key in state.keys), "keyword")
        sort(state)
        return state
