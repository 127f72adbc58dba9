"""What a package imports to write a stage or a preset of its own.

A stage is a frozen dataclass with a class variable `needs`, another, `gives`, if it fills a part, and a call:

    @dataclass(frozen=True)
    class PreferPinned:
        \"\"\"Adds `weight` to the score of every candidate with the tag `pinned`.\"\"\"

        needs: ClassVar[tuple[str, ...]] = ("score",)
        weight: float = 0.2

        def __call__(self, state: Recalling, runtime: Runtime) -> Recalling: ...

`RECALL_PARTS`, `REMEMBER_PARTS` and `CONSOLIDATE_PARTS` say what each part is that Combray's own stages need or
give. A pipeline is refused if a stage needs a part that no earlier one gives. A stage may give parts of its own.
The fields of the states are documented where they are defined. A stage with `leaves_process = True` calls another
process: it cannot be put inside a `Transaction`.
A stage with `advises = True` never fails a write: what it raises is logged and counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from combray.consolidate.state import Planning
from combray.forms.recalling import Recalling
from combray.forms.remembering import Draft, Remembering, Survey
from combray.pipeline import Pipeline, Stage, State, Transaction, stage_name, walk
from combray.presets import READ, WRITE, Preset
from combray.runtime import (
    Arm,
    Arrival,
    Clock,
    Embedder,
    EntityArm,
    Filter,
    Found,
    Keys,
    KeywordArm,
    LanguageModel,
    Link,
    MomentArm,
    Peer,
    PeerHit,
    Profile,
    Ranked,
    Reader,
    RecencyArm,
    Reranker,
    Rows,
    Runtime,
    Scores,
    Store,
    VectorArm,
    Vectors,
    Witness,
    Writer,
)
from combray.types import Answer, AnswerDetails, Edge, Hit, Memory, Remembered, Step

__all__ = [
    "CONSOLIDATE_PARTS",
    "READ",
    "RECALL_PARTS",
    "REMEMBER_PARTS",
    "WRITE",
    "Answer",
    "AnswerDetails",
    "Arm",
    "Arrival",
    "Clock",
    "Draft",
    "Edge",
    "Embedder",
    "EntityArm",
    "Filter",
    "Found",
    "Hit",
    "Keys",
    "KeywordArm",
    "LanguageModel",
    "Link",
    "Memory",
    "MomentArm",
    "Peer",
    "PeerHit",
    "Pipeline",
    "Planning",
    "Preset",
    "Profile",
    "Ranked",
    "Reader",
    "Recalling",
    "RecencyArm",
    "Remembered",
    "Remembering",
    "Reranker",
    "Rows",
    "Runtime",
    "Scores",
    "Stage",
    "State",
    "Step",
    "Store",
    "Survey",
    "Transaction",
    "VectorArm",
    "Vectors",
    "Witness",
    "Writer",
    "stage_name",
    "walk",
]

REMEMBER_PARTS: Mapping[str, str] = {
    "items": "the caller's texts and fields: `state.items`; every write begins with it",
    "drafts": "one checked draft for each item: `state.drafts`",
    "claims": "what each text claims about time: `draft.claim`, and the memory's validity",
    "entities": "the entities of every draft: `draft.memory.entities`",
    "vectors": "the vector of every draft, or a place in the queue for one: `draft.vector`",
    "nearest": "stored memories with a near vector: `draft.nearest`, `state.seen_revision`",
    "decisions": "whether each draft is new, a duplicate or an update: `draft.suggestion`, `draft.matched`",
    "suspects": "earlier memories that each draft may change: `draft.suspects`",
    "settled": "the same decisions, final under the write lock",
    "survey": "the namespace as it was before the insert: `state.survey`",
    "written": "the drafts are in the store: `draft.key`, `state.written`",
    "temporal_edges": "edges to what came before: `draft.edges`",
    "entity_edges": "edges to memories of the same entities: `draft.edges`",
    "causal_edges": "edges between cause and effect: `draft.edges`",
    "semantic_edges": "edges to the nearest memories: `draft.edges`, `state.linked_from`",
    "effective_importance": "how much each draft matters now: `draft.effective_importance`",
}
"""Part of a write -> what it is, and where in `Remembering`."""

RECALL_PARTS: Mapping[str, str] = {
    "query": "the caller's query: `state.query`; every recall begins with it",
    "dates": "the query's dates, as a filter or a hint: `state.where`, `state.times`",
    "intent": "WHY, WHEN, ENTITY or GENERAL: `state.intent`",
    "question": "whom the query is about and what it asks for: `state.question`",
    "terms": "stemmed words of the query: `state.terms`",
    "keywords": "words to search for one by one: `state.words`",
    "expansion": "further terms with their weights: `state.words.expansion`",
    "entities": "entities that the query names: `state.entities`",
    "named": "declared and learned names in the query: `state.names`",
    "vector": "the query's vector, if there is one: `state.embedded`",
    "found": "what the store's search returned: `state.found`",
    "candidates": "keys that may become hits: `state.keys`",
    "parts": "the query, then the passages of a long one: terms, vector, cosine of unrelated text",
    "anchor": "the fused rank of every candidate: signal `anchor`, from 0 to 1",
    "graph": "what the walk over edges reached: signals `traversal` and `reached`",
    "keyword": "share of the query's words that a candidate holds: signal `keyword`",
    "entity": "share of the query's entities that it names: signal `entity`",
    "similarity": "nearness in meaning, from 0 to 1: signal `similarity`",
    "graph_signal": "the walk's score, from 0 to 1: signal `graph`",
    "context": "keyword evidence with the neighbouring turns, and cosines: signals `context`, `own`, `window`",
    "text": "BM25 as a share of the best hit: signal `text`",
    "score": "the score of every candidate: `state.scores`, aligned with `state.keys`; higher is better",
    "sorted": "candidates stand best first",
    "top": "no more candidates than the caller wants, best first",
    "hits": "the answer: `state.hits`",
}
"""Part of a recall -> what it is, and where in `Recalling`."""

CONSOLIDATE_PARTS: Mapping[str, str] = {
    "facts": "the facts of the namespace, with what is planned: `state.facts`",
    "evidence": "new evidence is counted: steps `Support`",
    "confidence": "confidence has faded with time: steps `Fade`",
    "near": "near facts of every fact: `state.near`",
    "merged": "paraphrases are merged: steps `Merge`",
    "doubts": "pairs that rules cannot decide: `state.doubts`",
    "contradictions": "contradictions are resolved or in doubt: steps `Supersede`, `Halve`",
}
"""Part of a consolidation -> what it is, and where in `Planning`."""
