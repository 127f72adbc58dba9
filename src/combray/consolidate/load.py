"""Loads the facts of the namespace, and the decisions of earlier runs."""

from __future__ import annotations

from dataclasses import dataclass

from combray.consolidate.runs import by_key
from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.runtime import Filter, Reader, Runtime
from combray.types import LIVE_STATUSES

_AT_ONCE = 5_000


@dataclass(frozen=True)
class LoadFacts:
    """Reads every live or deprecated fact, insight and summary, without quarantined ones."""

    needs = ()
    gives = ("facts",)

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        """Fill `facts`, `settled` and `model`."""
        reader = runtime.store.reader(state.namespace)
        keys = reader.scan(Filter(kinds=FACTS, statuses=(*LIVE_STATUSES, "deprecated")))
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            state.facts.update(by_key(reader, some.tolist()))
            state.tell(self, min(start + _AT_ONCE, len(keys)), len(keys))
        state.settled = {(doubt.first, doubt.second): doubt for doubt in reader.doubts()}
        state.model = _model(runtime, reader)
        return state


def _model(runtime: Runtime, reader: Reader) -> str:
    """Return the model whose vectors are compared: the embedder, else the one with the most vectors."""
    if runtime.embedder is not None:
        return runtime.embedder.name
    stored: dict[str, int] = reader.status()["vectors"]
    return min(stored, key=lambda name: (-stored[name], name), default="")
