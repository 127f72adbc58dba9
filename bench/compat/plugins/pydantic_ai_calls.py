"""The calls that Pydantic AI documents for toolsets and for stores of its harness's `Memory` capability.

The distribution of the harness has no tests. https://github.com/pydantic/pydantic-ai-harness
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.memory import (
    InMemoryStore,
    Memory,
    MemoryConflictError,
    MemoryOperation,
    MemoryOperationConflictError,
    MemoryStore,
    MetadataMemoryStore,
    SearchableMemoryStore,
)

import combray
from combray.integrations.pydantic_ai import CombrayMemoryFiles, toolset

ONE, TWO = MemoryOperation("op-1", "f1"), MemoryOperation("op-2", "f2")
PATH = "notes/MEMORY.md"


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


@pytest.fixture(params=["ours", "theirs"])
def store(request: pytest.FixtureRequest, engine: combray.Engine) -> Any:
    """Our store, and the owners' in-memory store as the measure of each test."""
    return CombrayMemoryFiles(engine) if request.param == "ours" else InMemoryStore()


def test_it_has_every_protocol_of_the_harness(engine: combray.Engine) -> None:
    ours = CombrayMemoryFiles(engine)
    assert all(isinstance(ours, each) for each in (MemoryStore, MetadataMemoryStore, SearchableMemoryStore))


async def test_a_file_is_created_read_replaced_and_deleted(store: Any) -> None:
    assert await store.read(PATH, max_chars=10) is None
    first = await store.write(PATH, "Deploy on Mondays.", expected_version=None)
    assert (first.existed, first.replayed) == (False, False)
    found = await store.read(PATH, max_chars=6)
    assert (found.content, found.truncated, found.version) == ("Deploy", True, first.version)
    second = await store.write(PATH, "  Deploy on Fridays.\n", expected_version=first.version)
    assert second.existed
    assert (await store.read(PATH, max_chars=100)).content == "  Deploy on Fridays.\n"
    gone = await store.delete(PATH, expected_version=second.version)
    assert (gone.version, gone.existed) == (None, True)
    assert await store.read(PATH, max_chars=10) is None
    assert await store.list_paths(limit=10) == []
    again = await store.write(PATH, "Deploy daily.", expected_version=None)
    assert not again.existed
    assert await store.list_paths("notes/", limit=10) == [PATH]


async def test_another_version_is_a_conflict_and_changes_nothing(store: Any) -> None:
    first = await store.write(PATH, "one", expected_version=None)
    for wrong in (None, "x"):
        with pytest.raises(MemoryConflictError):
            await store.write(PATH, "two", expected_version=wrong)
        with pytest.raises(MemoryConflictError):
            await store.delete(PATH, expected_version=wrong)
    with pytest.raises(MemoryConflictError):
        await store.delete("other.md", expected_version=first.version)
    assert (await store.read(PATH, max_chars=10)).content == "one"
    assert not (await store.delete("other.md", expected_version=None)).existed


async def test_an_operation_is_applied_once(store: Any) -> None:
    first = await store.write(PATH, "one", expected_version=None, operation=ONE)
    assert (await store.read(PATH, max_chars=10)).operation_id == "op-1"
    again = await store.write(PATH, "one", expected_version=None, operation=ONE)
    assert (again.version, again.replayed, again.existed) == (first.version, True, False)
    assert await store.get_operation(ONE) == again
    assert await store.get_operation(TWO) is None
    with pytest.raises(MemoryOperationConflictError):
        await store.get_operation(MemoryOperation("op-1", "other"))
    gone = await store.delete(PATH, expected_version=first.version, operation=TWO)
    assert (await store.delete(PATH, expected_version=first.version, operation=TWO)).replayed
    assert not gone.replayed
    assert (await store.get_operation(ONE)).version == first.version


async def test_metadata_belongs_to_the_last_write(store: Any) -> None:
    first = await store.write_with_metadata(PATH, "one", expected_version=None, metadata={"by": "ana"})
    assert (await store.read(PATH, max_chars=10)).metadata == {"by": "ana"}
    await store.write(PATH, "two", expected_version=first.version)
    assert (await store.read(PATH, max_chars=10)).metadata is None


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a..b", "a b", "ä", "a\n", "x" * 201]
)
async def test_a_path_outside_the_store_is_refused(store: Any, path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        await store.read(path, max_chars=10)
    with pytest.raises(ValueError, match="path"):
        await store.write(path, "x", expected_version=None)
    if path not in ("", "a/"):
        with pytest.raises(ValueError, match="path"):
            await store.list_paths(path, limit=10)


@pytest.mark.parametrize(
    ("metadata", "error"), [({"a": "x" * 4_089}, ValueError), ({"a": "\x00"}, ValueError), ({"a": 1}, TypeError)]
)
async def test_metadata_that_the_owners_refuse_is_refused(store: Any, metadata: Any, error: Any) -> None:
    with pytest.raises(error):
        await store.write_with_metadata(PATH, "x", expected_version=None, metadata=metadata)
    assert await store.read(PATH, max_chars=10) is None
    longest = {"a": "x" * 4_088}
    await store.write_with_metadata(PATH, "x", expected_version=None, metadata=longest)
    assert (await store.read(PATH, max_chars=10)).metadata == longest


async def test_search_finds_files_directly_below_the_prefix(store: Any) -> None:
    for path in ("ana/MEMORY.md", "ana/deep/MEMORY.md", "ben/MEMORY.md"):
        await store.write(path, "The billing service uses PostgreSQL.", expected_version=None)
    bounds = {"limit": 5, "max_files": 10, "max_chars": 100, "max_file_chars": 100}
    found = await store.search("ana/", "billing", **bounds)
    assert [each.path for each in found.matches] == ["ana/MEMORY.md"]
    assert "billing" in found.matches[0].snippet
    assert not (await store.search("ana/", " ", **bounds)).matches


async def test_writers_of_two_engines_on_one_file_never_both_win(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db") as first, combray.open(tmp_path / "a.db") as second:
        stores = [CombrayMemoryFiles(first), CombrayMemoryFiles(second)]
        version: str | None = None
        for turn in range(8):
            done = await asyncio.gather(
                *(
                    each.write(PATH, f"{turn} of {place}", expected_version=version)
                    for place, each in enumerate(stores)
                ),
                return_exceptions=True,
            )
            won = [each for each in done if not isinstance(each, BaseException)]
            assert len(won) == 1, done
            assert isinstance(next(each for each in done if isinstance(each, BaseException)), MemoryConflictError)
            version = won[0].version
            read = [await each.read(PATH, max_chars=100) for each in stores]
            assert {each.version for each in read if each} == {version}


async def test_an_operation_that_two_processes_retry_at_once_is_applied_once(tmp_path: Path) -> None:
    with combray.open(tmp_path / "a.db") as first, combray.open(tmp_path / "a.db") as second:
        stores = [CombrayMemoryFiles(first), CombrayMemoryFiles(second)]
        version: str | None = None
        for turn in range(8):
            operation = MemoryOperation(f"op-{turn}", "f")
            done = await asyncio.gather(
                *(each.write(PATH, f"{turn}", expected_version=version, operation=operation) for each in stores)
            )
            assert sorted(each.replayed for each in done) == [False, True]
            assert done[0].version == done[1].version
            version = done[0].version


async def test_a_deleted_file_is_not_recalled(engine: combray.Engine) -> None:
    store = CombrayMemoryFiles(engine)
    done = await store.write(PATH, "The billing service uses PostgreSQL.", expected_version=None)
    await store.delete(PATH, expected_version=done.version)
    assert not [hit for hit in engine.recall("billing PostgreSQL") if "PostgreSQL" in hit.memory.content]


def calling(name: str, arguments: dict[str, Any]) -> FunctionModel:
    """Return a model that calls a tool once and then repeats its result."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if last.part_kind == "tool-return":
            return ModelResponse(parts=[TextPart(str(last.content))])
        assert name in {each.name for each in info.function_tools}
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    return FunctionModel(answer)


async def test_an_agent_calls_the_tools(engine: combray.Engine) -> None:
    model = calling("remember", {"text": "Ana owns the billing service."})
    said = (await Agent(model, toolsets=[toolset(engine)]).run("Ana owns billing.")).output
    assert said.startswith("added: ")
    model = calling("recall", {"query": "Who owns the billing service?"})
    assert "Ana owns" in (await Agent(model, toolsets=[toolset(engine)]).run("Who owns billing?")).output


async def test_the_memory_capability_of_the_harness_writes_and_reads(engine: combray.Engine) -> None:
    store = CombrayMemoryFiles(engine)
    model = calling("write_memory", {"content": "Ana owns the billing service."})
    await Agent(model, capabilities=[Memory(store=store)]).run("Ana owns billing.")
    (path,) = await store.list_paths(limit=10)
    assert "Ana owns" in (await store.read(path, max_chars=100)).content  # type: ignore[union-attr]
