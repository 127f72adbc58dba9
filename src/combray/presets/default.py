"""The default preset: context-aware keyword and vector search, small additive signals, honest abstention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.facts.later import ShowLater
from combray.facts.slots import OrderSlots
from combray.facts.successors import FollowRevisions, ShowSuccessors
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.aliases import MatchEntities, ReadAliases
from combray.recall.assemble import Assemble
from combray.recall.day_or_speaker import ReadDay, RequireDay, RequireSpeaker
from combray.recall.evidence import RequireEvidence
from combray.recall.keep import Cut, KeepOwnText, KeepStrong, SetFactsBeside
from combray.recall.query import EmbedQuery, ReadQuestion, SplitQuery
from combray.recall.score import MatchTokens, SessionPrior, WeighSignals
from combray.recall.search import SearchContext
from combray.recall.signals import AnswerCue, AuthorMatch, ContextMatch, ShapePrior

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.facts.candidates import SuggestRevisions
    from combray.facts.edges import KeepRevisions
    from combray.presets.writing import FEWER_LINKS, write_pipeline
    from combray.remember.diff import Diff
    from combray.remember.embed import FindNearest

    return (
        write_pipeline(
            "default",
            Diff(certain=True, update_from=0.70, vector_candidates=3),
            links=FEWER_LINKS,
        )
        .replace("FindNearest", FindNearest(minimum=0.1, limit=40))
        .after("TakeSurvey", SuggestRevisions())
        .after("LinkSemantic", KeepRevisions())
    )


PRESET = Preset(
    name="default",
    summary="keyword and vector search with neighbouring turns as context, small additive signals, abstention",
    source="measured in bench/results/quality.md",
    remember=Pipeline.deferred(_remember),
    queues=False,
    recall=Pipeline(
        "default.recall",
        (
            ReadQuestion(speaker=True),
            ReadAliases(),
            ReadDay(),
            EmbedQuery(),
            SplitQuery(),
            SearchContext(),
            FollowRevisions(),
            MatchEntities(),
            ContextMatch(),
            RequireEvidence(own=False),
            AuthorMatch(),
            AnswerCue(),
            ShapePrior(),
            WeighSignals(),
            SessionPrior(),
            MatchTokens(),
            RequireDay(superseded=True),
            RequireSpeaker(),
            KeepStrong(),
            ShowSuccessors(),
            SetFactsBeside(),
            ShowLater(),
            OrderSlots(),
            KeepOwnText(),
            Cut(),
            Assemble(),
        ),
        READ,
    ),
    notes={
        "diff": "only identical text is skipped; only a plain new value of the same slot supersedes",
        "age": "never multiplies a score (a half-life of 30 days took recall@10 from 83 to 20)",
    },
)
