"""Which arms answered, in the reason: openclaw and semantic-facts."""

from __future__ import annotations

from combray.forms.recalling import Recalling
from combray.pipeline import stage
from combray.runtime import Runtime


@stage
class NameMode:
    """Writes into the reason which arms answered: keywords and vectors, or keywords only and why."""

    needs = ("top",)

    def __call__(self, state: Recalling, runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.reason:
            return state
        if state.embedded.vector is not None and state.embedded.trust > 0:
            words = any(name != "vector" for name in state.found.lists) if state.found else True
            state.reason = (
                f"hybrid: keywords and {state.embedded.model}"
                if words
                else f"vector only: {state.embedded.model}"
            )
        elif runtime.embedder is None:
            state.reason = "keyword only: no embedder is configured"
        else:
            state.reason = "; ".join(state.degraded) or "keyword only: the query has no vector"
        if state.weak:
            state.reason += f"; weak evidence: {state.weak}"
        return state
