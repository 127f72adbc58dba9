"""Engram's recall pipeline, its six stages with the flaws of SEEDS.md 14, 15 and 17 mended."""

from __future__ import annotations

from combray.pipeline import Pipeline, Transaction
from combray.presets.preset import READ, WRITE, Preset
from combray.recall.assemble import Assemble
from combray.recall.composite import DropTwins, ScoreComposite
from combray.recall.embed import EmbedQuery
from combray.recall.gate import SkipTrivial
from combray.recall.group import GroupByType
from combray.recall.pronouns import ResolvePronouns
from combray.recall.rewrite import ReadQuery
from combray.recall.search_parallel import SearchParallel
from combray.recall.temporal import ResolveDates
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

_DIFF = Diff(strict=True, update_from=0.85, cosine_from=0.85)

PRESET = Preset(
    name="engram",
    summary="trivial queries skipped, dates as filters, pronouns resolved, vector, graph, keywords and peers",
    source="seeds/engram.md; constants of upstream-notes.md 5",
    remember=Pipeline(
        "engram.remember",
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
                    LinkTemporal(),
                    LinkEntities(),
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
        "engram.recall",
        (
            SkipTrivial(),
            ResolveDates(),
            ResolvePronouns(),
            ReadQuery(),
            EmbedQuery(),
            SearchParallel(),
            ScoreComposite(),
            DropTwins(),
            Cut(),
            Assemble(shown=("vector", "priority", "confidence", "recency", "keyword", "entity")),
            GroupByType(),
        ),
        READ,
    ),
    notes={
        "dates": "a plain date filters by when a memory happened; vague and future ones only lift recency",
        "confidence": "recall never changes it (the design's code added 0.1 a recall)",
        "peers": "asked only about what is not one's own doings; shown as untrusted and never stored",
        "diff": "0.85 proposes and never decides: only identical text is skipped",
    },
)
"""SEEDS.md 14, 15, 17; sections 1.4 and 5 of the upstream notes."""
