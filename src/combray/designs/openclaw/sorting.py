"""The order before OpenClaw's diversity and threshold."""

from __future__ import annotations

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.recall.weigh import sort
from combray.runtime import Runtime


@stage
class SortByScore:
    """Sorts candidates best first; ties by importance, then by id."""

    needs = ("score",)
    gives = ("sorted",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if len(state.keys):
            sort(state)
        return state
