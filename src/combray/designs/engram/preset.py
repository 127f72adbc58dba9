"""Engram's recall pipeline: its six stages, with its known bugs fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.designs.engram.references import ResolveDates, ResolvePronouns
from combray.designs.engram.results import DropTwins, GroupByType, ScoreComposite
from combray.designs.engram.search import SearchParallel, SkipTrivial
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.aliases import ReadAliases
from combray.recall.assemble import Assemble
from combray.recall.evidence import RequireEvidence
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import EmbedQuery, ReadQuery, ReadQuestion

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.presets.writing import write_pipeline
    from combray.remember.diff import Diff

    return write_pipeline("engram", Diff(certain=True, update_from=0.85, cosine_from=0.85))


PRESET = Preset(
    name="engram",
    summary="trivial queries skipped, dates as filters, pronouns resolved; vector, graph, keywords and peers",
    source="Engram's recall pipeline; each departure is in docs/reference/presets.md",
    remember=Pipeline.deferred(_remember),
    queues=False,
    recall=Pipeline(
        "engram.recall",
        (
            SkipTrivial(),
            ResolveDates(),
            ResolvePronouns(),
            ReadQuery(),
            ReadQuestion(),
            ReadAliases(),
            EmbedQuery(),
            SearchParallel(),
            RequireEvidence(),
            ScoreComposite(),
            DropTwins(),
            KeepOwnText(),
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
        "keywords": "searched beside the vectors, not only where those find few, with the turns around a turn as "
        "context and without names of authors (recall@10 on LoCoMo from 58 to 69)",
        "diff": "0.85 proposes and never decides: only identical text is skipped",
    },
)
