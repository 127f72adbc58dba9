"""Puts `CombrayStore` in place of `SqliteStore` and `AsyncSqliteStore`, before their tests import them."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import langgraph.store.sqlite
import langgraph.store.sqlite.aio
import numpy as np
from langgraph.store.base.batch import AsyncBatchedBaseStore

import combray
from combray.integrations.langgraph import CombrayStore


class Letters:
    """The embedder of the tests, which compares letters, as one of the engine's."""

    name = "letters"
    leaves_process = contextual = False

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings
        self.dimensions: int = embeddings.dims

    def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray:  # noqa: ARG002
        return np.array(self._embeddings.embed_documents(list(texts)), dtype=np.float32)

    def knows(self, language: str) -> float:  # noqa: ARG002
        return 1.0


with combray.open(":memory:") as _first:
    # What a process loads once is loaded before a test counts seconds.
    _first.remember("Ana lives in Lisbon.")
    _first.recall("Where does Ana live?")


@contextmanager
def opened(index: Any, ttl: Any) -> Iterator[CombrayStore]:
    """A store in a file of its own: the tests' files are made with another program in mind."""
    embedder = {} if index is None else {"embedder": Letters(index["embed"])}
    fields = (index or {}).get("text_fields") or ("$",)
    with tempfile.TemporaryDirectory() as folder, combray.open(Path(folder) / "store.db", **embedder) as engine:
        yield CombrayStore(engine, fields=fields, ttl=ttl)


class SqliteStore(CombrayStore):
    """What the tests call of the owners' class beside the protocol."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, _conn: str, *, index: Any = None, ttl: Any = None) -> Iterator[SqliteStore]:
        with opened(index, ttl) as store:
            store.setup = lambda: None
            store.index_config, store.embeddings = index, (index or {}).get("embed")
            yield store


def checked(store: AsyncSqliteStore, ops: Any) -> Any:
    """Run operations, unless the caller is in the event loop: the owners' own check."""
    return store._store.batch(ops)


checked.__name__ = "batch"
checked = langgraph.store.base.batch._check_loop(checked)


class AsyncSqliteStore(AsyncBatchedBaseStore):
    """The store behind the owners' own queue of asynchronous calls, as their class is."""

    supports_ttl = True

    def __init__(self, store: CombrayStore) -> None:
        super().__init__()
        self._store, self.ttl_config = store, store.ttl_config

    def batch(self, ops: Any) -> Any:
        return checked(self, ops)

    async def abatch(self, ops: Any) -> Any:
        return await self._store.abatch(ops)

    async def setup(self) -> None:
        pass

    async def sweep_ttl(self) -> int:
        return self._store.sweep_ttl()

    async def start_ttl_sweeper(self) -> None:
        self._store.start_ttl_sweeper()

    async def stop_ttl_sweeper(self) -> None:
        self._store.stop_ttl_sweeper()

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, _conn: str, *, index: Any = None, ttl: Any = None
    ) -> AsyncIterator[AsyncSqliteStore]:
        with opened(index, ttl) as store:
            made = cls(store)
            made.index_config = index
            yield made


langgraph.store.sqlite.SqliteStore = SqliteStore
langgraph.store.sqlite.AsyncSqliteStore = AsyncSqliteStore
langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqliteStore
