"""The engine for asyncio: the same calls, each in a worker thread."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from combray.engine import Engine
from combray.engine import open as open_engine


class AsyncEngine:
    """`await engine.recall(...)` and every other method of `Engine`, without blocking the event loop."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    async def open(cls, *args: Any, **options: Any) -> Self:
        """Like `combray.open`."""
        return cls(await asyncio.to_thread(open_engine, *args, **options))

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self.engine, name)
        if not callable(method):
            raise AttributeError(f"{name} is no method; read it from .engine")

        @functools.wraps(method)
        async def call(*args: Any, **options: Any) -> Any:
            return await asyncio.to_thread(method, *args, **options)

        return call

    async def close(self) -> None:
        """Write what is pending and release the store."""
        await asyncio.to_thread(self.engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
