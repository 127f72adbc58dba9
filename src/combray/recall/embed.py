"""The query's vector."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from combray.errors import ModelError
from combray.language.questions import read
from combray.language.scripts import language
from combray.recall.state import Recalling
from combray.runtime import Embedder, Runtime
from combray.types import LIVE_STATUSES

KEYWORD_ONLY = "keyword only: "
"""What stands before the reason why a query could not be embedded."""


@dataclass(frozen=True)
class EmbedQuery:
    """Embeds the query, worded as its subject would have said it.

    "What does Ana paint?" is embedded as "What do I paint?" if Ana is a known author: her turns seldom
    name her. This nearly doubles dense recall (bench/results/quality.md).

    After the embedder was changed, the one before it answers until few memories lack a vector of the new one.
    Without an embedder, or when it fails, recall goes on with keyword, entity and graph evidence and says so.
    """

    needs = ("query",)
    gives = ("vector",)
    leaves_process = True
    most_characters: int = 4000
    """Characters of a query that are embedded."""
    lacking: float = 0.1
    """Share of memories without a vector of the embedder above which the embedder before it answers."""
    most_lacking: float = 0.5
    """Share above which, if there is no embedder before it, words answer alone: the few memories that have a
    vector would push out the rest (docs/explanation/vectors.md)."""

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        state.vectorless_from = self.lacking
        embedder = None if runtime.embedder is None else self._serving(state, runtime.embedder, runtime.before)
        if embedder is None:
            return state
        question = state.question or read(state.query, state.reader.profile().authors)
        try:
            vector = embedder.embed([question.spoken[: self.most_characters]], query=True)[0]
        except ModelError as error:
            state.degraded.append(f"{KEYWORD_ONLY}{error}")
            return state
        if np.any(vector):
            state.vector, state.model = vector, embedder.name
            state.trust = embedder.knows(language(state.query))
            state.contextual = state.details["contextual"] = embedder.contextual
        return state

    def _serving(self, state: Recalling, own: Embedder, before: Embedder | None) -> Embedder | None:
        """Who has vectors of the memories that are asked; None where too few have any."""
        where = state.where
        if where.statuses == LIVE_STATUSES:
            # What waits for its first vector is found by its words whoever serves.
            where = replace(where, statuses=("active",))
        has, asked = state.reader.covered(own.name, where)
        lacking = asked - has
        if lacking <= self.lacking * asked:
            return own
        told = (
            f"{lacking} of {asked} memories have no vector of {own.name} yet "
            "('combray worker --reembed' makes them)"
        )
        if before is not None and state.reader.covered(before.name, where)[0] > has:
            state.moving = state.details["moving"] = f"{told}, so {before.name} answers"
            return before
        if lacking <= self.most_lacking * asked:
            return own
        state.degraded.append(f"{KEYWORD_ONLY}{told}")
        return None
