"""Query to vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.errors import ModelError
from combray.language.tokens import language
from combray.recall.state import Recalling
from combray.runtime import Runtime

MAX_CHARACTERS = 4000
KEYWORD_ONLY = "keyword only: "
"""What stands before the reason why a query could not be embedded."""


@dataclass(frozen=True)
class EmbedQuery:
    """Embeds the query, or the question as its subject would have said it where one was read.

    Without an embedder, or when it fails, recall goes on with keyword, entity and graph evidence and says so.
    """

    needs: ClassVar[tuple[str, ...]] = ("query",)
    gives: ClassVar[tuple[str, ...]] = ("vector",)
    leaves_process: ClassVar[bool] = True

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        """Set the vector, its model, and how far that model can be trusted in the query's language."""
        if runtime.embedder is None:
            return state
        text = state.question.spoken if state.question is not None else state.query
        try:
            vector = runtime.embedder.embed([text[:MAX_CHARACTERS]], query=True)[0]
        except ModelError as error:
            state.degraded.append(f"{KEYWORD_ONLY}{error}")
            return state
        if np.any(vector):
            state.vector, state.model = vector, runtime.embedder.name
            state.trust = runtime.embedder.knows(language(state.query))
            state.details["contextual"] = runtime.embedder.contextual
        return state
