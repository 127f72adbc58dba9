"""A whole message as a query: each of its questions is answered as if it had been asked alone.

The evidence of a hit for a long message is spread over all its words, so that most memories come near its best
one. Its own question separates them as well as a short query does (bench/results/precision.md). But "Is there
anything I should tell her?" asks nothing without the sentences before it, so the best hits of the message stay.
A message that only states something has no question: its sentences are searched for one by one, and what is not
near any of them is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from combray.language.messages import questions_of, statements_of
from combray.recall.ranking import rank
from combray.recall.state import Recalling
from combray.runtime import Runtime

STATEMENTS = 5
"""Sentences of a message without a question that are searched for."""
NEAR = 1.3
"""Confidence from which a sentence has found something, as a multiple of the doubtful one (`Abstain`).

At 1.2 a message about other things brought 2.8 memories of 31, at 1.4 1.3; of messages with a paraphrase of a
memory 93 and 87 % found it (bench/results/precision.md)."""
OF_EACH = 3
"""Hits of a sentence that stay."""

Judge = Callable[[Recalling, Runtime], Recalling]


def keep_answers(state: Recalling, runtime: Runtime, judge: Judge, most: int, first: int) -> bool:
    """Keep what answers the questions of a message, and its `first` hits; return False if nothing was decided.

    Of a message too short to have passages only the answers stay.

    With weak evidence for the whole (`Abstain`) the first hits of an embedder go. Without a question and with
    weak evidence, what is near one of its sentences stays. The answer may be empty. Hits that hold a declared
    entity of the message, or its text, always stay.
    """
    questions = questions_of(state.query, most)
    weak = bool(state.weak) or state.weak_beside
    if questions:
        best, reason = _answers(state, runtime, judge, questions)
        if len(state.parts) < 2:
            # A short query is judged as a whole if its questions find nothing.
            if not best:
                return False
            first = 0
        # Weak evidence of words alone is often right: a paraphrase shares few of them.
        first = 0 if weak and state.vector is not None else first
    elif weak:
        best, first = _near(state, runtime, judge), 0
        reason = f"nothing here is near this message: {state.weak}"
    else:
        return False
    scores = np.array([best.get(key, -np.inf) for key in state.keys.tolist()])
    exact, named = (state.signals.get(name, np.zeros(len(scores))) >= 1.0 for name in ("exact", "entity"))
    # In a chat the message has just been stored: it is no hit of itself.
    kept = np.isfinite(scores) | exact | named | (~exact & (np.cumsum(~exact) <= first))
    if not kept.any():
        state.reason = reason
        state.take(kept)
        return True
    room = min(state.limit, len(state.keys))
    state.scores = np.maximum(state.scores, scores)
    state.take(kept)
    state.take(np.argsort(-state.scores, kind="stable"))
    state.judged = frozenset(state.keys.tolist())
    state.dropped += room - min(state.limit, len(state.keys))
    state.details["dropped"] = state.dropped
    return True


def _answers(
    state: Recalling, runtime: Runtime, judge: Judge, questions: Sequence[str]
) -> tuple[dict[int, float], str]:
    """Return what answers any of some questions, with its best score, and why the first one is unanswered."""
    best: dict[int, float] = {}
    every = [judge(rank(state, runtime, each), runtime) for each in questions]
    for asked in every:
        _add(best, asked, len(asked.keys))
    # What stands for the present, and what is marked, depends on what is asked.
    first = max(every, key=lambda each: float(each.scores.max(initial=-np.inf)))
    if len(first.keys):
        state.query, state.question, state.asks_past = first.query, first.question, first.asks_past
    return best, next((each.reason for each in every if each.reason), "")


def _near(state: Recalling, runtime: Runtime, judge: Judge) -> dict[int, float]:
    """Return the best hits of each sentence that found something."""
    best: dict[int, float] = {}
    for sentence in statements_of(state.query, STATEMENTS):
        asked = judge(rank(state, runtime, sentence), runtime)
        if asked.confidence >= NEAR * asked.doubtful:
            _add(best, asked, OF_EACH)
    return best


def _add(best: dict[int, float], asked: Recalling, most: int) -> None:
    for key, score in zip(asked.keys[:most].tolist(), asked.scores[:most].tolist(), strict=True):
        best[key] = max(score, best.get(key, score))
