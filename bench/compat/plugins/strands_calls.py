"""What Strands documents for stores with `add_messages`, and what the tests of its own stores read from files.

https://strandsagents.com/latest/documentation/docs/user-guide/concepts/agents/memory/
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from strands.memory import MemoryManager
from strands.memory.types import AddMessagesContext

import combray
from combray.integrations.strands import CombrayMemoryStore


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": [{"text": text}]}


def turns(engine: combray.Engine) -> list[str]:
    return [each.content for each in engine.list(order="recorded_at", limit=100)]


async def test_a_batch_that_is_sent_again_is_stored_once(engine: combray.Engine) -> None:
    store = CombrayMemoryStore(engine)
    batch, numbers = [said("ok"), said("ok", "assistant"), said("ok")], AddMessagesContext([0, 1, 3])
    first = await store.add_messages(batch, numbers)
    assert await store.add_messages(batch, numbers) == first
    more = await store.add_messages([*batch, said("Bye.")], AddMessagesContext([0, 1, 3, 4]))
    assert more[:3] == first
    assert turns(engine) == ["ok", "ok", "ok", "Bye."]


async def test_numbers_of_a_new_run_name_other_messages(engine: combray.Engine) -> None:
    store = CombrayMemoryStore(engine)
    await store.add_messages([said("Hello."), said("My locker is 7.")], AddMessagesContext([0, 1]))
    await store.add_messages([said("Hello."), said("My locker is 9.")], AddMessagesContext([0, 1]))
    assert turns(engine) == ["Hello.", "My locker is 7.", "Hello.", "My locker is 9."]


async def test_messages_without_numbers_are_all_stored(engine: combray.Engine) -> None:
    store = CombrayMemoryStore(engine)
    for _ in range(2):
        await store.add_messages([said("ok")])
    assert turns(engine) == ["ok", "ok"]


async def test_a_save_that_failed_half_way_is_completed(
    engine: combray.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CombrayMemoryStore(engine)
    stored = store._turns

    def failing(each: Any) -> list[str]:
        if each[0][1] == "two":
            raise OSError("the disk is full")
        return stored(each)

    batch, numbers = [said("one"), said("two")], AddMessagesContext([0, 1])
    monkeypatch.setattr(store, "_turns", failing)
    with pytest.raises(OSError, match="full"):
        await store.add_messages(batch, numbers)
    monkeypatch.undo()
    assert len(await store.add_messages(batch, numbers)) == 2
    assert turns(engine) == ["one", "two"]


async def test_writes_at_once_are_all_kept_and_equal_ones_once(engine: combray.Engine) -> None:
    manager = MemoryManager(stores=[CombrayMemoryStore(engine)], add_tool_config=True)
    await asyncio.gather(*(manager.add(f"Fact number {number}.") for number in (*range(10), 0)))
    assert sorted(turns(engine)) == [f"Fact number {number}." for number in range(10)]


def test_a_store_serves_one_event_loop_after_another(engine: combray.Engine) -> None:
    store = CombrayMemoryStore(engine)
    for tag in ("first", "second"):
        asyncio.run(store.add(f"The {tag} loop ran."))
    assert len(turns(engine)) == 2


async def test_metadata_and_trust_come_back(engine: combray.Engine) -> None:
    store = CombrayMemoryStore(engine)
    done = await store.add("The user prefers dark mode.", {"source": "user"})
    (found,) = await store.search("dark mode")
    assert found.metadata is not None
    assert (found.metadata["id"], found.metadata["source"], found.metadata["trust"]) == (done.id, "user", "agent")
