"""Puts our store in place of `TestMemoryStore` and `FileMemoryStore`, over one engine for each file or storage."""

from __future__ import annotations

from typing import Any

import strands.vended_memory_stores.file_memory_store as files
import strands.vended_memory_stores.test_memory_store as tests

import combray
from combray.integrations.strands import CombrayMemoryStore

ENGINES: dict[Any, Any] = {}


class TestMemoryStore(CombrayMemoryStore):
    """The owners' arguments: each path is an engine in memory of its own, and none is a new one."""

    __test__ = False

    def __init__(self, *, path: str | None = None, persist: bool = True, **named: Any) -> None:
        kept = path if persist and path else object()
        super().__init__(ENGINES.setdefault(kept, combray.open(":memory:")), **named)


class FileMemoryStore(CombrayMemoryStore):
    """The owners' arguments: each name in a storage is a namespace of its engine."""

    def __init__(self, *, name: str, storage: Any, **named: Any) -> None:
        engine = ENGINES.setdefault(storage, combray.open(":memory:"))
        super().__init__(engine.within(name), name=name, **named)


tests.TestMemoryStore = TestMemoryStore
files.FileMemoryStore = FileMemoryStore
