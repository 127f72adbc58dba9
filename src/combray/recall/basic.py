"""`--basic`: a plain substring search, newest first (Mnemon's legacy SQL LIKE mode)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from combray.recall.state import Recalling
from combray.runtime import Runtime


@dataclass(frozen=True)
class SearchSubstring:
    """Finds memories whose text contains the query, ignoring letter case."""

    needs: ClassVar[tuple[str, ...]] = ("query",)
    gives: ClassVar[tuple[str, ...]] = ("top", "score")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        wanted = state.query.casefold().strip()
        keys = state.reader.scan(state.where, newest_first=True)
        found: list[int] = []
        for start in range(0, len(keys), 500):
            some = keys[start : start + 500]
            texts = state.reader.contents(some)
            found += [int(key) for key, text in zip(some, texts, strict=True) if wanted in text.casefold()]
            if len(found) >= state.limit:
                break
        state.keys = np.array(found[: state.limit], dtype=np.int64)
        state.scores = np.ones(len(state.keys))
        state.signals = {"substring": np.ones(len(state.keys))}
        state.via = dict.fromkeys(found, "substring")
        state.reason = "substring search" if found else f"no memory holds {state.query!r}"
        return state
