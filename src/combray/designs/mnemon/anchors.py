"""Mnemon's anchors: the best of four signals."""

from __future__ import annotations

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.recall.aliases import entity_arm
from combray.runtime import Arm, KeywordArm, RecencyArm, Runtime, VectorArm


@stage
class SearchAnchors:
    """Finds anchors by four signals, twenty each: keyword, vector, recency, entity.

    Source: docs/reference/presets.md, preset mnemon.
    """

    needs = ("terms", "entities")
    gives = ("found",)
    limit: int = 20
    minimum_cosine: float = 0.10

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        arms: dict[str, Arm] = {}
        if state.terms:
            arms["keyword"] = KeywordArm(
                tuple((term, 1.0) for term in state.terms), scoring="coverage", lends=state.names.lends
            )
        if state.embedded.vector is not None:
            arms["vector"] = VectorArm(state.embedded.vector, state.embedded.model, self.minimum_cosine)
        arms["time"] = RecencyArm()
        if (named := entity_arm(state)) is not None:
            arms["entity"] = named
        state.found = state.reader.search(arms, state.where, self.limit)
        return state
