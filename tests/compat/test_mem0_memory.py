"""`Memory` and `AsyncMemory` without mem0; tests/outside/test_mem0_library.py compares the real ones."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import combray
from combray.compat.mem0 import AsyncMemory, Memory
from combray.errors import InvalidInputError


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(location=":memory:", embedder="none") as found:
        yield found


def texts(found: dict[str, Any]) -> list[str]:
    return sorted(each["memory"] for each in found["results"])


def test_two_users_do_not_see_each_other(memory: Memory) -> None:
    memory.add("My locker is number twelve.", user_id="ann")
    memory.add("My locker is number thirteen now.", user_id="Ann")
    assert texts(memory.get_all(filters={"user_id": "ann"})) == ["My locker is number twelve."]
    assert texts(memory.search("locker", filters={"user_id": "Ann"})) == ["My locker is number thirteen now."]
    # As mem0 1 took them.
    assert texts(memory.get_all(user_id="ann")) == ["My locker is number twelve."]
    assert texts(memory.search("locker", user_id="ann", limit=5)) == ["My locker is number twelve."]


def test_a_deletion_of_everything_needs_an_entity(memory: Memory) -> None:
    memory.add("Tea", user_id="ann")
    with pytest.raises(ValueError, match="filters"):
        memory.delete_all()
    assert texts(memory.get_all(filters={"user_id": "ann"})) == ["Tea"]


def test_a_failed_add_stores_nothing(memory: Memory) -> None:
    for messages in (
        [{"role": "user", "content": "Tea"}, {"role": "user"}],
        [{"role": "user", "content": 5}],
        [],
    ):
        with pytest.raises(InvalidInputError):
            memory.add(messages, user_id="ann")
    assert texts(memory.get_all(filters={"user_id": "ann"})) == []


def test_a_message_that_is_too_long_stores_none_of_its_call(memory: Memory) -> None:
    messages = [{"role": "user", "content": "x" * 9000}, {"role": "user", "content": "Tea"}]
    with pytest.raises(InvalidInputError, match="9000 characters"):
        memory.add(messages, user_id="ann")
    assert texts(memory.get_all(filters={"user_id": "ann"})) == []


@pytest.mark.parametrize("option", ["explain", "reference_date", "show_expired", "colour"])
def test_an_option_without_effect_is_refused(memory: Memory, option: str) -> None:
    with pytest.raises(InvalidInputError, match=option):
        memory.search("tea", filters={"user_id": "ann"}, **{option: True})


def test_a_configuration_of_mem0(tmp_path: Path) -> None:
    config = {
        "vector_store": {"provider": "qdrant", "config": {"path": str(tmp_path / "q")}},
        "llm": {"provider": "openai"},
        "combray": {"embedder": "none", "namespace": "work"},
    }
    with pytest.warns(UserWarning, match="llm"), Memory.from_config(config) as memory:
        memory.add("Tea", user_id="ann")
    with combray.open(tmp_path / "q" / "combray.db", embedder="none", namespace="work") as engine:
        assert engine.list(limit=5).total == 1


def test_the_same_for_asyncio() -> None:
    async def run() -> None:
        async with AsyncMemory(location=":memory:", embedder="none") as memory:
            added = await memory.add([{"role": "assistant", "content": "The office closes at six"}], run_id="r1")
            one = added["results"][0]["id"]
            assert (await memory.update(one, text="It closes at seven"))["message"]
            found = await memory.get(one)
            assert found is not None
            assert (found["memory"], found["role"]) == ("It closes at seven", "assistant")
            assert [each["event"] for each in await memory.history(one)] == ["ADD", "UPDATE"]
            await memory.delete(one)
            assert await memory.get(one) is None

    asyncio.run(run())


def test_asyncio_has_every_method() -> None:
    names = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert names <= set(dir(AsyncMemory))
