"""The facts of the namespace, and what was answered about them in earlier runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.runtime import Filter, Reader, Runtime
from combray.types import LIVE_STATUSES

_AT_ONCE = 5_000


@dataclass(frozen=True)
class LoadFacts:
    """Reads every fact, insight and summary that is live or deprecated; quarantined ones stay out."""

    needs: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[tuple[str, ...]] = ("facts",)

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        """Fill `facts`, `settled` and `model`."""
        reader = runtime.store.reader(state.namespace)
        keys = reader.scan(Filter(kinds=FACTS, statuses=(*LIVE_STATUSES, "deprecated")))
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            keys_by_id = dict(zip(reader.ids(some), some.tolist(), strict=True))
            # A fact erased at this moment is in one of the answers only; the run leaves it alone.
            memories = (memory for memory in reader.memories(some) if memory.id in keys_by_id)
            state.facts.update((keys_by_id[memory.id], memory) for memory in memories)
            state.tell(self, min(start + _AT_ONCE, len(keys)), len(keys))
        state.settled = {(doubt.first, doubt.second): doubt for doubt in reader.doubts()}
        state.model = _model(runtime, reader)
        return state


def _model(runtime: Runtime, reader: Reader) -> str:
    """Whose vectors to compare: the embedder's, else those most memories have. Comparing embeds nothing."""
    if runtime.embedder is not None:
        return runtime.embedder.name
    stored: dict[str, int] = reader.status()["vectors"]
    return min(stored, key=lambda name: (-stored[name], name), default="")
