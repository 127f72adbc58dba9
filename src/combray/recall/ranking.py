"""Search and ranking of the default preset: the model of evidence was trained on what they find."""

from __future__ import annotations

from typing import Any

from combray.recall.abstain import Abstain
from combray.recall.aliases import MatchEntities
from combray.recall.decay import AgePrior
from combray.recall.passages import SplitQuery
from combray.recall.present import FollowRevisions
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
