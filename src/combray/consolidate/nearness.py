"""Which memories are near a fact by meaning, for many facts at once: blocks, never a full matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.consolidate.state import Planning
from combray.consolidate.steps import FACTS
from combray.runtime import Filter, Ranked, Reader, Runtime

BATCH = 256
"""Facts compared at once: their cosines with every memory are looked at in blocks of a few megabytes."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """The `limit` nearest memories that a filter lets through, with a cosine of at least `minimum`."""

    reader: Reader
    model: str
    where: Filter
    minimum: float
    limit: int

    def near(self, keys: Sequence[int]) -> Iterator[tuple[int, Ranked | None]]:
        """For each fact what is near it, best first and itself left out; None for a fact without vector."""
        for start in range(0, len(keys), BATCH):
            yield from self._batch(keys[start : start + BATCH])

    def _batch(self, keys: Sequence[int]) -> Iterator[tuple[int, Ranked | None]]:
        if not self.model:
            yield from ((key, None) for key in keys)
            return
        vectors, has = self.reader.vectors(self.model, np.array(keys, dtype=np.int64))
        lists: Iterator[Ranked] = iter(())
        if has.any():
            lists = iter(self.reader.nearest(self.model, vectors[has], self.where, self.limit + 1, self.minimum))
        for key, there in zip(keys, has, strict=True):
            if not there:
                yield key, None
                continue
            found = next(lists)
            others = found.keys != key
            yield key, Ranked(found.keys[others][: self.limit], found.scores[others][: self.limit])


@dataclass(frozen=True)
class FindNear:
    """Looks up the facts near each fact, once for merging and for contradictions.

    Down to a cosine of `similar_from`, the lower bound of the diff's band of updates (Mnemon 5.3): another
    value moves a vector further than other words do. At most `most` of a fact, the nearest; identical texts
    are found without.
    """

    needs: ClassVar[tuple[str, ...]] = ("facts",)
    gives: ClassVar[tuple[str, ...]] = ("near",)
    similar_from: float = 0.65
    most: int = 256

    def __call__(self, state: Planning, runtime: Runtime) -> Planning:
        """Fill `near`; facts without vector are left out of it."""
        live = state.live()
        nearness = Nearness(
            runtime.store.reader(state.namespace), state.model, Filter(kinds=FACTS), self.similar_from, self.most
        )
        for done, (key, near) in enumerate(nearness.near(live)):
            if near is not None:
                state.near[key] = near
            if done % BATCH == 0:
                state.tell(self, done, len(live))
        return state
