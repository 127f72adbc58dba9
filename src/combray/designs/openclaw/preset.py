"""OpenClaw: its retrieval pipeline, with its known bugs fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.designs.openclaw.search import (
    ExtractKeywords,
    FileAgeDecay,
    MergeHybrid,
    SearchHybrid,
    SortByScore,
    Threshold,
)
from combray.designs.shared import MMR, NameMode
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.assemble import Assemble
from combray.recall.day_or_speaker import ReadDay, RequireDay
from combray.recall.evidence import RequireEvidence
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import EmbedQuery, ReadQuestion

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.presets.writing import write_pipeline
    from combray.remember.diff import Diff
    from combray.remember.extract import ExtractEntities

    return write_pipeline(
        "openclaw",
        Diff(certain=True, update_from=0.75, cosine_from=0.75, vector_candidates=3),
        read=(ExtractEntities(),),
        links=(),
        after_links=(),
        suggest=(),
    )


PRESET = Preset(
    name="openclaw",
    summary="vector and keyword search merged 0.7 to 0.3; optional decay and MMR, a score threshold",
    source="OpenClaw's memory search, stages 1 to 7; each departure is in docs/reference/presets.md",
    remember=Pipeline.deferred(_remember),
    queues=False,
    recall=Pipeline(
        "openclaw.recall",
        (
            ReadQuestion(),
            ReadDay(),
            ExtractKeywords(),
            EmbedQuery(),
            SearchHybrid(),
            RequireEvidence(),
            MergeHybrid(vector_weight=0.7, text_weight=0.3),
            FileAgeDecay(half_life_days=30.0),
            SortByScore(),
            MMR(similarity="words", trade_off=0.7, enabled=False),
            Threshold(minimum=0.35),
            RequireDay(),
            KeepOwnText(),
            Cut(),
            NameMode(),
            Assemble(shown=("vector", "text", "decay")),
        ),
        READ,
    ),
    notes={
        "bm25": "a share of the query's best hit, so that a store of four rows works as one of a million",
        "keywords": "words of the turns around a turn count for it; authors' names are left out of the question "
        "(recall@10 on LoCoMo from 67 to 73)",
        "sums": "keyword scores are added up: the page's highest of one word gave a recall@10 of 48, below plain "
        "BM25; the sum gives 76",
        "words": "a hit that holds a word of the query is never dropped by the threshold, only ranked lower",
        "decay": "off; switched on by the setting `decay`, or by replacing the stage `FileAgeDecay`",
        "mmr": "off; switched on by the setting `mmr`, or by replacing the stage `MMR`",
        "graph": "none: this design links nothing",
    },
)
"""OpenClaw's defaults: temporal decay and MMR are there and switched off."""
