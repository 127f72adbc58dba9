"""The engine for asyncio gives what the engine gives, off the event loop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from combray import AsyncEngine, InvalidInputError
from combray.engine.store import OpenStore


def test_the_same_calls(tmp_path: Path) -> None:
    async def run() -> None:
        async with await AsyncEngine.open(str(tmp_path / "a.db"), embedder="none") as engine:
            result = await engine.remember("Alpha rains", importance=4)
            answer = await engine.recall("alpha")
            assert [hit.memory.id for hit in answer] == [result.id]
            assert (await engine.get(result.id)).importance == 4
            with pytest.raises(InvalidInputError):
                await engine.remember("")
            with pytest.raises(AttributeError, match="namespace is no method"):
                engine.namespace  # type: ignore[attr-defined]  # noqa: B018

    asyncio.run(run())


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    async def run() -> int:
        async with await AsyncEngine.open(str(tmp_path / "a.db"), embedder="none") as engine:
            await asyncio.gather(*(engine.remember(f"text number{n}") for n in range(30)))
            found = await asyncio.gather(*(engine.recall(f"number{n}") for n in range(30)))
            assert [answer[0].memory.content for answer in found] == [f"text number{n}" for n in range(30)]
            return int((await engine.store.status())["total_insights"])

    assert asyncio.run(run()) == 30


def test_calls_run_in_worker_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[threading.Thread] = []
    monkeypatch.setattr(OpenStore, "log", lambda self: seen.append(threading.current_thread()))

    async def run() -> None:
        async with await AsyncEngine.open(":memory:", embedder="none") as engine:
            await engine.store.log()

    asyncio.run(run())
    assert seen != [threading.main_thread()]
