"""Mnemo: the ten stages of its retrieval pipeline, with its known bugs fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.designs.mnemo.results import AssembleContext, FilterNoise, Rerank, WeibullDecay
from combray.designs.mnemo.search import ExpandQuery, FilterScope, ReadNames, ReadScope, SearchPaths
from combray.designs.shared import MMR, FuseRRF
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.aliases import ReadAliases
from combray.recall.assemble import Assemble
from combray.recall.day_or_speaker import ReadDay, RequireDay
from combray.recall.evidence import RequireEvidence
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import EmbedQuery, ReadQuery

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.designs.mnemo.tiers import MoveTiers
    from combray.presets.writing import write_pipeline
    from combray.remember.diff import Diff
    from combray.remember.extract import ExtractEntities, Warn
    from combray.remember.validate import AssignScope

    return write_pipeline(
        "mnemo",
        Diff(certain=True, update_from=0.70, cosine_from=0.70),
        read=(AssignScope(), Warn(), ExtractEntities(people=True)),
        before_write=(MoveTiers(),),
        after_links=(),
        suggest=(),
    )


PRESET = Preset(
    name="mnemo",
    summary="vector, BM25 and graph path fused by rank; Weibull decay by tier, reranking, MMR, noise bank",
    source="Mnemo's retrieval pipeline, stages 1 to 10; each departure is in docs/reference/presets.md",
    remember=Pipeline.deferred(_remember),
    queues=False,
    recall=Pipeline(
        "mnemo.recall",
        (
            ReadScope(),
            ReadQuery(),
            ReadNames(),
            ReadDay(),
            ReadAliases(),
            ExpandQuery(),
            EmbedQuery(),
            SearchPaths(pool=20),
            FuseRRF(k=60, tied=True),
            RequireEvidence(),
            WeibullDecay(),
            FilterNoise(label="SetNoiseAside"),
            Rerank(most=20, weight=0.6),
            MMR(similarity="vectors", trade_off=0.7, stretched=False),
            FilterScope(),
            FilterNoise(),
            RequireDay(),
            KeepOwnText(),
            Cut(),
            Assemble(),
            AssembleContext(),
        ),
        READ,
    ),
    notes={
        "scopes": "tags scope:NAME; a filter of every search path and once more at stage 8; without one a "
        "question is asked of scope:global; nothing that a write decides leaves a scope; no namespace is left",
        "decay": "Mnemo's curves; before t = λ peripheral memories keep more than core ones; age takes a tenth "
        "of a score at most (Mnemo's floor of the core tier), and less the better a memory matches",
        "evidence": "a question that nothing supports has no hits: a floor on words and cosines after the fusion",
        "fusion": "candidates of equal score in a path share its rank, so that age decides among them",
        "dates": "the forms of a day are searched whole, as a list of their own",
        "diff": "only identical text is skipped; a new value supersedes and hides, nothing is deleted",
        "noise": "patterns at any service level; a bank of vectors where there is an embedder; set aside before "
        "stage 6 already, so that it neither takes a reranker's place nor makes MMR avoid what resembles it",
    },
)
