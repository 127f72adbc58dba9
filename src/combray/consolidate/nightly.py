"""The default pipeline: evidence and decay, then merging, then contradictions.

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

from combray.consolidate.confidence import DeprecateFacts, FadeFacts, PromoteFacts
from combray.consolidate.contradict import Contradictions, JudgePairs
from combray.consolidate.evidence import GatherEvidence
from combray.consolidate.load import FindNear, LoadFacts
from combray.consolidate.merge import MergeFacts
from combray.consolidate.revisions import SettleRevisions
from combray.consolidate.state import Planning
from combray.pipeline import Pipeline

NIGHTLY: Pipeline[Planning] = Pipeline(
    "consolidate",
    (
        LoadFacts(),
        GatherEvidence(),
        FadeFacts(),
        FindNear(),
        MergeFacts(),
        Contradictions(),
        JudgePairs(),
        SettleRevisions(),
        DeprecateFacts(),
        PromoteFacts(),
    ),
)
