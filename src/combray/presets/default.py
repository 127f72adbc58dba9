"""The default preset: context-aware keyword and vector search, small additive signals, honest abstention."""

from __future__ import annotations

from combray.pipeline import Pipeline, Transaction
from combray.presets.preset import READ, WRITE, Preset
from combray.recall.abstain import Abstain
from combray.recall.assemble import Assemble
from combray.recall.combine import SessionPrior, SortByScore, SpreadSessions, WeighSignals
from combray.recall.decay import AgePrior
from combray.recall.derived import SetFactsBeside
from combray.recall.embed import EmbedQuery
from combray.recall.intent import DetectIntent
from combray.recall.order import OrderCauses
from combray.recall.rewrite import ReadQuestion
from combray.recall.search import SearchContext
from combray.recall.signals import (
    AnswerCue,
    AsksItself,
    AuthorMatch,
    ContextMatch,
    DateMatch,
    LengthPrior,
    PhraseMatch,
    RoleMatch,
    TimeCue,
)
from combray.recall.weigh import Cut
from combray.remember.diff import Diff
from combray.remember.embed import Embed, FindNearest
from combray.remember.extract import ExtractEntities, Warn
from combray.remember.guard import Guard
from combray.remember.link import LinkCausal, LinkEntities, LinkSemantic, LinkTemporal
from combray.remember.retain import RefreshImportance
from combray.remember.suggest import SuggestCausal, SuggestSemantic
from combray.remember.validate import Validate
from combray.remember.write import Settle, TakeSurvey, Write

_DIFF = Diff(strict=True, update_from=0.75, cosine_from=0.75, vector_candidates=3)

PRESET = Preset(
    name="default",
    summary="keywords and vectors that know a turn's neighbours, small signals added up, abstention",
    source="measured in bench/results/quality.md",
    remember=Pipeline(
        "default.remember",
        (
            Validate(),
            Guard(),
            Warn(),
            ExtractEntities(people=True),
            Embed(),
            FindNearest(),
            _DIFF,
            Transaction(
                (
                    Settle(_DIFF),
                    TakeSurvey(),
                    Write(),
                    LinkTemporal(nearest=3),
                    LinkEntities(per_entity=3, most=12),
                    LinkCausal(),
                    LinkSemantic(),
                    RefreshImportance(),
                )
            ),
            SuggestSemantic(),
            SuggestCausal(),
        ),
        WRITE,
    ),
    recall=Pipeline(
        "default.recall",
        (
            DetectIntent(),
            ReadQuestion(),
            EmbedQuery(),
            SearchContext(),
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
            SetFactsBeside(),
            Cut(),
            OrderCauses(only_when_asked=True),
            Assemble(),
        ),
        READ,
    ),
    notes={
        "diff": "only identical text is skipped; only a plain new value of the same slot supersedes",
        "age": "never multiplies a score (a half-life of 30 days took recall@10 from 83 to 20)",
    },
)
