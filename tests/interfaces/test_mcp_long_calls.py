"""Progress and cancellation of long calls, and updates of resources, whichever process wrote."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from agent import Agent
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import ResourceUpdatedNotification

import combray
from combray import Engine
from combray.engine import changes
from combray.interfaces.mcp import resources
from combray.interfaces.mcp.server import server_for
from combray.runtime.calls import interruptible, step

ERAS = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
EMBEDDERS = pytest.mark.parametrize("embedder", ["none", "wordllama"])


@contextmanager
def served(engine: Engine, era: str, **client: Any) -> Iterator[Agent]:
    connecting = Client(server_for(engine, profile="full"), mode=era, **client)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connecting) as connected:
        yield Agent(portal, connected)


def opened(path: Path | str = ":memory:", embedder: str = "none") -> Engine:
    return combray.open(path, embedder=embedder, worker=False)


def test_a_follower_sees_each_stage_and_can_stop_before_it() -> None:
    seen: list[str] = []
    with opened() as engine:
        with interruptible(seen.append):
            engine.remember("Kites fly")
        assert seen.index("Validate") < seen.index("Write")
        # The next stage runs within the transaction of the write.
        behind = seen[seen.index("Write") + 1]

        class Stopped(Exception):  # noqa: N818
            pass

        def stop(name: str) -> None:
            if name == behind:
                raise Stopped

        with interruptible(stop), pytest.raises(Stopped):
            engine.remember("Boats swim")
        step("nobody follows")
        assert [each.content for each in engine.list()] == ["Kites fly"]


@ERAS
@EMBEDDERS
def test_progress_grows_to_its_total(era: str, embedder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("combray.interfaces.mcp.offered._PAUSE", 0.0)
    seen: list[tuple[float, float | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    with opened(embedder=embedder) as engine, served(engine, era) as agent:
        engine.remember("Kites fly at the beach")

        async def call() -> None:
            await agent.client.call_tool("think", {"question": "Where do kites fly?"}, progress_callback=heard)

        agent.portal.call(call)
    values = [each for each, _ in seen]
    assert values == sorted(set(values))
    assert len(values) > 5
    assert seen[-1][0] == seen[-1][1]


def _cancelled(agent: Agent, tool: str, arguments: dict[str, Any], reached: threading.Event) -> None:
    """Call a tool, and cancel the call when it has reached a point."""

    async def call() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(agent.client.call_tool, tool, arguments)
            while not reached.is_set():
                await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    agent.portal.call(call)


def _until_cancelled() -> None:
    """Wait, in the thread of a call, until the server has been told that the call is cancelled."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            anyio.from_thread.check_cancelled()
        except asyncio.CancelledError:
            return
        time.sleep(0.01)


@ERAS
def test_a_cancelled_call_stops_within_its_transaction_and_writes_nothing(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, left = threading.Event(), threading.Event()
    with opened() as engine:
        for at in range(20):
            engine.remember(f"Draft {at}", tags=["draft"])

        def slow(hide: Callable[..., Any]) -> Callable[..., Any]:
            def slowly(*given: Any) -> Any:
                done = hide(*given)
                reached.set()
                _until_cancelled()
                left.set()
                return done

            return slowly

        monkeypatch.setattr("combray.engine.changes.hide", slow(changes.hide))
        with served(engine, era) as agent:
            _cancelled(agent, "forget", {"where": {"tags": "draft"}, "confirm": 20}, reached)
            assert left.wait(90)
            assert agent.done("list_memories", where={"tags": "draft"})["total"] == 20


@ERAS
def test_a_cancelled_remember_stores_nothing(era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, resumed = threading.Event(), threading.Event()
    from combray.remember.diff import Diff

    plain = Diff.__call__

    def slow(self: Any, *given: Any) -> Any:
        reached.set()
        _until_cancelled()
        resumed.set()
        return plain(self, *given)

    with opened() as engine:
        monkeypatch.setattr(Diff, "__call__", slow)
        with served(engine, era) as agent:
            _cancelled(agent, "remember", {"content": "Kites fly"}, reached)
            assert resumed.wait(90)
            monkeypatch.undo()
            assert agent.done("list_memories")["total"] == 0
            agent.remember("Boats swim")


# -- updates -------------------------------------------------------------------------------------------


def test_a_listener_hears_of_its_own_server_and_of_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAUSE", 0.05)
    db = tmp_path / "a.db"
    heard: list[str] = []
    with opened(db) as engine, opened(db) as other, served(engine, "2026-07-28") as agent:
        made = engine.remember("Kites fly").id
        watched = f"memory://memory/{made}"

        async def listen() -> None:
            listening = agent.client.listen(
                resource_subscriptions=["memory://recent", "memory://profile", watched]
            )
            async with listening as events:

                async def next_of(count: int) -> None:
                    with anyio.fail_after(90):
                        async for event in events:
                            assert isinstance(event, ResourceUpdated)
                            heard.append(event.uri)
                            if len(heard) == count:
                                return

                # Of another engine, as of another process: only the list changes.
                await anyio.to_thread.run_sync(lambda: other.remember("Boats swim"))
                await next_of(1)
                # Of this server: a preference changes both lists.
                await agent.client.call_tool("remember", {"content": "I prefer tea", "category": "preference"})
                await next_of(3)
                await anyio.to_thread.run_sync(lambda: other.update(made, content="Kites fly high"))
                await next_of(5)

        agent.portal.call(listen)
    assert heard[0] == "memory://recent"
    assert sorted(heard[1:3]) == ["memory://profile", "memory://recent"]
    assert sorted(heard[3:]) == [watched, "memory://recent"]


def test_earlier_protocols_subscribe_and_unsubscribe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PAUSE", 0.05)
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    def wait(count: int) -> None:
        for _ in range(1800):
            if len(heard) >= count:
                return
            time.sleep(0.05)

    db = tmp_path / "a.db"
    with opened(db) as engine, opened(db) as other, served(engine, "legacy", message_handler=hear) as agent:
        capabilities = agent.client.server_capabilities
        assert capabilities.resources is not None
        assert capabilities.resources.subscribe
        agent.portal.call(agent.client.subscribe_resource, "memory://recent")
        other.remember("Boats swim")
        wait(1)
        assert heard == ["memory://recent"]
        agent.portal.call(agent.client.unsubscribe_resource, "memory://recent")
        other.remember("Kites fly")
        agent.remember("Birds sing")
        time.sleep(0.5)
        assert heard == ["memory://recent"]


def test_nothing_is_polled_while_nobody_subscribes() -> None:
    asked = []
    watch = resources.Updates(lambda: asked.append(1) or 1)  # type: ignore[func-returns-value]
    anyio.run(watch.check)
    assert not asked


def test_a_resource_that_nobody_listens_to_any_more_is_forgotten() -> None:
    watch = resources.Updates(lambda: 1)
    for number in range(10):
        watch.listening({f"memory://{number}", "memory://all"}, 1)
        watch.listening({f"memory://{number}"}, -1)
    assert watch._listeners == {"memory://all": 10}
