"""A whole message as a query: each of its questions is answered as if it had been asked alone.

The evidence of a hit for a long message is spread over all its words, so that most memories come near its best
one. Its own question separates them as well as a short query does (bench/results/precision.md). But "Is there
anything I should tell her?" asks nothing without the sentences before it, so the best hits of the message stay.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from combray.language.messages import questions_of
from combray.recall.aliases import ReadAliases
from combray.recall.query import EmbedQuery, ReadQuestion
from combray.recall.ranking import RANKING
from combray.recall.state import Recalling
from combray.runtime import Runtime

Judge = Callable[[Recalling, Runtime], Recalling]


def ask(state: Recalling, runtime: Runtime, question: str) -> Recalling:
    """Rank the candidates for a question, with the filters of the query that it is a part of."""
    asked = Recalling(
        query=question, namespace=state.namespace, reader=state.reader, now=state.now, limit=state.limit,
        where=state.where, contextual=state.contextual, trust=state.trust, model=state.model,
    )  # fmt: skip
    embeds = () if state.vector is None else (EmbedQuery(),)
    for each in (ReadQuestion(), ReadAliases(), *embeds, *RANKING):
        asked = each(asked, runtime)
    return asked


def keep_answers(state: Recalling, runtime: Runtime, judge: Judge, most: int, first: int) -> bool:
    """Keep what answers the questions of a message, and its `first` hits; return False if it has no question.

    Hits that hold a declared entity of the message, or its text, stay too. With weak evidence (`Abstain`) the
    first hits go, and the answer may be empty.
    """
    questions = questions_of(state.query, most)
    if not questions:
        return False
    best: dict[int, float] = {}
    reason = ""
    for question in questions:
        asked = judge(ask(state, runtime, question), runtime)
        for key, score in zip(asked.keys.tolist(), asked.scores.tolist(), strict=True):
            best[key] = max(score, best.get(key, score))
        reason = reason or asked.reason
    room = min(state.limit, len(state.keys))
    scores = np.array([best.get(key, -np.inf) for key in state.keys.tolist()])
    # Weak evidence of words alone is often right: without an embedder a paraphrase shares few of them.
    weak = bool(state.weak) and state.vector is not None
    kept = np.isfinite(scores) | (np.arange(len(scores)) < (0 if weak else first))
    for name in ("exact", "entity"):
        kept |= state.signals.get(name, np.zeros(len(scores))) >= 1.0
    state.scores = np.maximum(state.scores, scores)
    if not kept.any():
        state.reason = reason
        state.take(kept)
        return True
    state.take(kept)
    state.take(np.argsort(-state.scores, kind="stable"))
    state.judged = frozenset(state.keys.tolist())
    state.dropped += room - min(state.limit, len(state.keys))
    state.details["dropped"] = state.dropped
    return True
