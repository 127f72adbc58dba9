"""Search and ranking of the default preset: the model of evidence was trained on what they find."""

from __future__ import annotations

from typing import Any

from combray.recall.abstain import Abstain
from combray.recall.aliases import MatchEntities, ReadAliases
from combray.recall.decay import AgePrior
from combray.recall.passages import SplitQuery
from combray.recall.present import FollowRevisions
from combray.recall.query import EmbedQuery, ReadQuestion
from combray.recall.search import SearchContext
from combray.recall.signals import (
    AnswerCue,
    AsksItself,
    AuthorMatch,
    ContextMatch,
    DateMatch,
    ExactText,
    LengthPrior,
    PhraseMatch,
    RoleMatch,
    SessionPrior,
    SortByScore,
    SpreadSessions,
    TimeCue,
    WeighSignals,
)
from combray.recall.state import Recalling
from combray.runtime import Runtime

RANKING: tuple[Any, ...] = (
    SplitQuery(),
    SearchContext(),
    FollowRevisions(),
    MatchEntities(),
    ExactText(),
    Abstain(),
    ContextMatch(),
    AuthorMatch(),
    RoleMatch(),
    TimeCue(),
    AnswerCue(),
    DateMatch(),
    PhraseMatch(),
    LengthPrior(),
    AsksItself(),
    WeighSignals(),
    SessionPrior(),
    SpreadSessions(),
    AgePrior(),
    SortByScore(),
)


def rank(state: Recalling, runtime: Runtime, query: str) -> Recalling:
    """Return the candidates for a query, ranked as the default preset ranks them, with the filters of a recall.

    `query` is that of the recall, or a part of it.
    """
    whole = query == state.query
    asked = Recalling(
        query=query, namespace=state.namespace, reader=state.reader, now=state.now, limit=state.limit,
        where=state.where, intent=state.intent, vector=state.vector if whole else None, model=state.model,
        contextual=state.contextual, trust=state.trust,
    )  # fmt: skip
    embeds = () if whole or state.vector is None else (EmbedQuery(),)
    for each in (ReadQuestion(), ReadAliases(), *embeds, *RANKING):
        asked = each(asked, runtime)
    return asked
