"""All of the outside world that a stage may touch: the store, the models, the clock.

Stages get a `Runtime` and nothing else. Every protocol here has more than one implementation, and the suites in
`combray.testing` hold all of them to the same behaviour.
"""

from __future__ import annotations

from combray.runtime.audit import Audit, Deeds, Provable, Trace, Witness
from combray.runtime.documents import Document, DocumentIndex, DocumentsWriter, Workspace
from combray.runtime.memories import Memories, Rememberer, Space
from combray.runtime.models import (
    Clock,
    Detector,
    Embedder,
    Entailment,
    Health,
    Judge,
    LanguageModel,
    Peer,
    PeerHit,
    Reranker,
    Start,
    WordVectors,
    at_once,
)
from combray.runtime.retrieval import (
    SHAPE_WORDS,
    Arm,
    Arrival,
    EntityArm,
    Filter,
    Found,
    Keys,
    KeywordArm,
    LateRows,
    Link,
    MomentArm,
    Order,
    Place,
    Profile,
    Ranked,
    RecencyArm,
    Rows,
    Scores,
    VectorArm,
    Vectors,
)
from combray.runtime.runtime import Runtime
from combray.runtime.service_tier import ServiceTier, Tier, TierName
from combray.runtime.store import Doubt, Lease, Reader, Run, Store, Writer

__all__ = [
    "SHAPE_WORDS",
    "Arm",
    "Arrival",
    "Audit",
    "Clock",
    "Deeds",
    "Detector",
    "Document",
    "DocumentIndex",
    "DocumentsWriter",
    "Doubt",
    "Embedder",
    "Entailment",
    "EntityArm",
    "Filter",
    "Found",
    "Health",
    "Judge",
    "Keys",
    "KeywordArm",
    "LanguageModel",
    "LateRows",
    "Lease",
    "Link",
    "Memories",
    "MomentArm",
    "Order",
    "Peer",
    "PeerHit",
    "Place",
    "Profile",
    "Provable",
    "Ranked",
    "Reader",
    "RecencyArm",
    "Rememberer",
    "Reranker",
    "Rows",
    "Run",
    "Runtime",
    "Scores",
    "ServiceTier",
    "Space",
    "Start",
    "Store",
    "Tier",
    "TierName",
    "Trace",
    "VectorArm",
    "Vectors",
    "Witness",
    "WordVectors",
    "Workspace",
    "Writer",
    "at_once",
]
