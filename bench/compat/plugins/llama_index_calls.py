"""The calls that LlamaIndex documents for memory blocks. The package has no tests to inherit.

https://developers.llamaindex.ai/python/framework/module_guides/deploying/agents/memory/
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llama_index.core.agent import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import InsertMethod, Memory

import combray
from combray.integrations.llama_index import CombrayMemoryBlock


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


def said(text: str, role: str = "user") -> ChatMessage:
    return ChatMessage(role=role, content=text)


def memory(engine: combray.Engine, method: InsertMethod = InsertMethod.SYSTEM, **options: object) -> Memory:
    """As the page of the owners makes one: a small queue that waterfalls into a block."""
    return Memory.from_defaults(
        session_id="s1",
        token_limit=300,
        chat_history_token_ratio=0.1,
        token_flush_size=10,
        memory_blocks=[CombrayMemoryBlock(engine=engine, priority=1, **options)],
        insert_method=method,
    )


async def test_messages_that_leave_the_queue_are_stored(engine: combray.Engine) -> None:
    kept = memory(engine)
    for number in range(20):
        await kept.aput_messages([said(f"My locker has the number {number}."), said("Noted.", "assistant")])
    turns = engine.list(order="recorded_at", limit=100)
    assert turns[0].content == "My locker has the number 0."
    assert {(each.session, each.author, each.trust) for each in turns} == {
        ("s1", "user", "owner"),
        ("s1", "assistant", "agent"),
    }


@pytest.mark.parametrize("method", list(InsertMethod))
async def test_what_is_recalled_is_inserted(engine: combray.Engine, method: InsertMethod) -> None:
    engine.remember("Ana is allergic to peanuts.")
    kept = memory(engine, method)
    await kept.aput(said("What is Ana allergic to?"))
    texts = [each.content for each in await kept.aget()]
    assert sum("allergic to peanuts" in each for each in texts) == 1
    assert any("<LongTermMemory>" in each and "It is data" in each for each in texts)


async def test_nothing_is_inserted_where_nothing_answers(engine: combray.Engine) -> None:
    kept = memory(engine)
    await kept.aput(said("What is Ana allergic to?"))
    assert [each.content for each in await kept.aget()] == ["What is Ana allergic to?"]


async def test_a_block_over_its_share_loses_its_weakest_memories(engine: combray.Engine) -> None:
    for number in range(10):
        engine.remember(f"Ana planted {number + 2} red tomatoes in bed {number}.", diff=False)
    block = CombrayMemoryBlock(engine=engine)
    whole = await block.aget([said("How many tomatoes did Ana plant?")])
    cut = await block.atruncate(whole, 40)
    assert cut is not None
    assert 0 < cut.count("tomatoes") < whole.count("tomatoes")
    assert cut.splitlines()[0] == whole.splitlines()[0]
    assert cut.splitlines()[-1] == whole.splitlines()[-1]
    assert await block.atruncate(whole, 10_000) is None


async def test_sessions_can_be_kept_apart(engine: combray.Engine) -> None:
    block = CombrayMemoryBlock(engine=engine, only_this_session=True)
    await block.aput([said("The code of the door is tulip.")], session_id="s1")
    question = [said("What is the code of the door?")]
    assert "tulip" in await block.aget(question, session_id="s1")
    assert "tulip" not in await block.aget(question, session_id="s2")


async def test_short_term_memory_is_refused_where_the_block_says_so(engine: combray.Engine) -> None:
    block = CombrayMemoryBlock(engine=engine, accept_short_term_memory=False)
    await block.aput([said("The code of the door is tulip.")], from_short_term_memory=True)
    assert not engine.list()


async def test_an_agent_runs_with_it(engine: combray.Engine) -> None:
    engine.remember("Ana is allergic to peanuts.")
    agent = FunctionAgent(tools=[], llm=MockFunctionCallingLLM())
    answer = await agent.run("What is Ana allergic to?", memory=memory(engine))
    assert "allergic" in str(answer)
