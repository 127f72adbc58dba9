"""The engine for asyncio gives what the engine gives, off the event loop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import combray
from combray import AsyncEngine, Engine, InvalidInputError
from combray.conversation.turns import Conversation
from combray.engine.asyncio import (
    AsyncAuditTrail,
    AsyncConsolidation,
    AsyncConversation,
    AsyncDocuments,
    AsyncQuarantine,
    AsyncRetention,
    AsyncStore,
    AsyncVectors,
)
from combray.engine.audit import AuditTrail
from combray.engine.consolidation import Consolidation
from combray.engine.documents import Documents
from combray.engine.quarantine import Quarantine
from combray.engine.retention import Retention
from combray.engine.store import OpenStore
from combray.engine.vectors import Vectors


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


def test_a_conversation_is_awaitable_too() -> None:
    async def run() -> list[str]:
        async with await AsyncEngine.open(":memory:") as engine:
            conversation = engine.conversation("s1")
            await conversation.add("The library closes at six.", author="Ann")
            assert "closes at six" in (await conversation.context(500)).text
            return [turn.content for turn in await conversation.turns()]

    assert asyncio.run(run()) == ["The library closes at six."]


def test_calls_run_in_worker_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[threading.Thread] = []
    monkeypatch.setattr(OpenStore, "log", lambda self: seen.append(threading.current_thread()))

    async def run() -> None:
        async with await AsyncEngine.open(":memory:", embedder="none") as engine:
            await engine.store.log()

    asyncio.run(run())
    assert seen != [threading.main_thread()]


VERBS = {
    AsyncEngine: Engine,
    AsyncDocuments: Documents,
    AsyncAuditTrail: AuditTrail,
    AsyncQuarantine: Quarantine,
    AsyncConsolidation: Consolidation,
    AsyncVectors: Vectors,
    AsyncRetention: Retention,
    AsyncStore: OpenStore,
    AsyncConversation: Conversation,
}


@pytest.mark.parametrize("kind", VERBS, ids=lambda kind: kind.__name__)
def test_every_verb_of_the_engine_and_its_facets_is_there(kind: type[object]) -> None:
    def public(of: type[object]) -> set[str]:
        return {name for name in dir(of) if callable(getattr(of, name)) and name[0] != "_"}

    offered = {name for name, each in vars(kind).items() if name[0] != "_" and not isinstance(each, property)}
    assert offered == public(VERBS[kind]) | ({"open"} if kind is AsyncEngine else set())


def test_every_facet_of_the_engine_is_there() -> None:
    def facets(of: object) -> set[str]:
        return {name for name in vars(of) if name[0] != "_"}

    with combray.open(":memory:", embedder="none") as engine:
        assert facets(AsyncEngine(engine)) == facets(engine) | {"engine"}


def test_the_facets_answer_off_the_event_loop(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Alpha rains in April.", encoding="utf-8")

    async def run() -> None:
        async with await AsyncEngine.open(":memory:", embedder="none") as engine:
            report = await engine.documents.index(tmp_path)
            assert (report.added, len(await engine.documents.search("alpha"))) == (1, 1)
            assert [line async for line in engine.audit.lines()]
            assert await engine.quarantine.list() == []

    asyncio.run(run())
