"""Mnemon, sections 5.1 to 5.3 of its design, with its known bugs fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.designs.mnemon.search import (
    BeamSearch,
    OrderCauses,
    ScoreFourSignals,
    SearchAnchors,
    WeightedSumByIntent,
)
from combray.designs.shared import FuseRRF
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.aliases import ReadAliases
from combray.recall.assemble import Assemble
from combray.recall.day_or_speaker import ReadDay, RequireDay
from combray.recall.evidence import RequireEvidence
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import DetectIntent, EmbedQuery, ReadQuery

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.presets.writing import write_pipeline
    from combray.remember.diff import Diff
    from combray.remember.extract import ExtractEntities, Warn
    from combray.remember.retain import Prune, RefreshImportance

    return write_pipeline(
        "mnemon",
        Diff(duplicate_above=0.90, update_from=0.65, cosine_from=0.70),
        read=(Warn(), ExtractEntities()),
        after_links=(RefreshImportance(), Prune(most=1000, batch=10)),
    )


PRESET = Preset(
    name="mnemon",
    summary="built-in diff, four kinds of edges; recall by anchors, beam search and re-ranking",
    source="Mnemon's design, sections 5.1 to 5.3; each departure is in docs/reference/presets.md",
    remember=Pipeline.deferred(_remember),
    queues=False,
    recall=Pipeline(
        "mnemon.recall",
        (
            DetectIntent(),
            ReadQuery(authors=True),
            ReadAliases(),
            ReadDay(),
            EmbedQuery(),
            SearchAnchors(limit=20, minimum_cosine=0.10),
            FuseRRF(k=60),
            RequireEvidence(),
            BeamSearch(structural=1.0, semantic=0.4),
            ScoreFourSignals(),
            WeightedSumByIntent(),
            RequireDay(),
            KeepOwnText(),
            Cut(),
            OrderCauses(),
            Assemble(shown=("keyword", "entity", "similarity", "graph")),
        ),
        READ,
    ),
    notes={
        "diff": "what is replaced is superseded and kept; subject, names, numbers and polarity must agree first",
        "recency": "an anchor signal only: a memory whose only evidence is that it is recent is not returned",
        "path": "a path's score is divided by its nodes: a neighbour does not outrank its anchor by being one",
        "authors": "a known author whom the question names is an entity of it, as of what the author said",
        "token overlap": "Jaccard of content terms; containment calls every short text a duplicate",
        "no embedder": "WHY .20/.10/0/.70, WHEN .25/.15/0/.60, ENTITY .30/.50/0/.20, GENERAL .35/.35/0/.30",
        "prune": "hides (status forgotten) and counts facts, not conversation turns",
    },
)
