"""Puts `CombrayStore` in place of `InMemoryStore`, before its tests import it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import langgraph.store.memory
from langgraph_sqlite import Letters

import combray
from combray.integrations.langgraph import CombrayStore


class InMemoryStore(CombrayStore):
    """A store in memory that is opened as the owners' class is."""

    def __init__(self, *, index: Any = None) -> None:
        embedder = {} if index is None else {"embedder": Letters(index["embed"])}
        fields = (index or {}).get("fields") or ("$",)
        super().__init__(combray.open(":memory:", **embedder), fields=fields)
        self.index_config = index

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Defined here, so that the tests can watch it."""
        return super().batch(ops)

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Defined here, so that the tests can watch it."""
        return await super().abatch(ops)


langgraph.store.memory.InMemoryStore = InMemoryStore
