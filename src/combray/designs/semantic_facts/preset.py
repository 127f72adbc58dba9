"""Semantic facts: retrieval by similarity, confidence and recency."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from combray.designs.semantic_facts.search import DiversityClusters, SearchFacts, WeighRelevance
from combray.designs.shared import NameMode
from combray.forms.recalling import Recalling
from combray.pipeline import Pipeline
from combray.presets import READ, Preset
from combray.recall.assemble import Assemble
from combray.recall.day_or_speaker import ReadDay, RequireDay
from combray.recall.evidence import FLOOR, RequireEvidence
from combray.recall.keep import Cut, KeepOwnText
from combray.recall.query import EmbedQuery, ReadQuestion

if TYPE_CHECKING:
    from combray.forms.remembering import Remembering


def _remember() -> Pipeline[Remembering]:
    from combray.presets.writing import FEWER_LINKS, write_pipeline
    from combray.remember.diff import Diff
    from combray.remember.embed import QueueEmbedding

    return write_pipeline(
        "semantic-facts",
        Diff(certain=True, update_from=0.75, cosine_from=0.75, vector_candidates=3),
        embed=QueueEmbedding(),
        links=FEWER_LINKS,
        suggest=(),
    )


PRESET = Preset(
    name="semantic-facts",
    summary="the twenty nearest by similarity, confidence and recency, the most confident of each cluster first",
    source="the Semantic Fact System; each departure is in docs/reference/presets.md",
    remember=Pipeline.deferred(_remember),
    queues=True,
    fades=True,
    recall=Pipeline(
        "semantic-facts.recall",
        (
            ReadQuestion(),
            ReadDay(),
            EmbedQuery(),
            SearchFacts(pool=20, confidence_above=0.3),
            RequireEvidence(),
            WeighRelevance(similarity=0.6, confidence=0.3, recency=0.1),
            DiversityClusters(threshold=0.8),
            RequireDay(confidence_above=0.3),
            KeepOwnText(confidence_above=0.3),
            Cut(),
            NameMode(),
            Assemble(shown=("similarity", "confidence", "recency")),
        ),
        READ,
    ),
    notes={
        "queue": "a background thread makes vectors; with the setting `worker` off, `combray worker` does",
        "active": "this pipeline is the tool's, confidence above 0.3; `PASSIVE` streams what is above 0.5",
        "words": "similarity is meaning or words: the cosine alone where no word is shared; words of the turns "
        "around an episode count for it (recall@10 on LoCoMo from 62 to 67)",
        "clusters": "the most confident of each cluster first, the rest after them",
    },
)

PASSIVE: Pipeline[Recalling] = replace(
    PRESET.recall.replace("SearchFacts", SearchFacts(pool=20, confidence_above=0.5))
    .replace("RequireEvidence", RequireEvidence(floor=dict.fromkeys(FLOOR, FLOOR["none"])))
    .replace("RequireDay", RequireDay(confidence_above=0.5))
    .replace("KeepOwnText", KeepOwnText(confidence_above=0.5)),
    name="semantic-facts.passive",
)
"""Recall for passive streaming: the same, but for the higher confidence and a lower floor of evidence.

The query is the last two turns, most of whose words are about nothing that is stored: a hit needs evidence of its
own, a shared word or a near meaning, and not a share of them."""
