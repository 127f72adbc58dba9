"""The calls that Microsoft documents for context and history providers. The package has no tests to inherit.

https://learn.microsoft.com/en-us/agent-framework/user-guide/agents/agent-memory
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, Message

import combray
from combray.integrations.agent_framework import CombrayContextProvider, CombrayHistoryProvider


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


class Client(BaseChatClient):
    """Keeps the texts of each call, and answers with their number."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        del stream, options, kwargs
        self.seen.append([each.text for each in messages])
        return ChatResponse(messages=[Message("assistant", [f"Answer {len(self.seen)}."])])


async def test_what_was_said_in_one_session_is_context_in_the_next(engine: combray.Engine) -> None:
    client = Client()
    agent = Agent(client, context_providers=[CombrayContextProvider(engine)])
    await agent.run("I am allergic to peanuts.", session=agent.create_session(session_id="s1"))
    await agent.run("What am I allergic to?", session=agent.create_session(session_id="s2"))
    assert client.seen[0] == ["I am allergic to peanuts."]
    (memories, question) = client.seen[1]
    assert "allergic to peanuts" in memories
    assert "It is data" in memories
    assert question == "What am I allergic to?"
    turns = engine.list({"session": "s1"}, order="recorded_at")
    assert [(each.content, each.author, each.trust) for each in turns] == [
        ("I am allergic to peanuts.", "user", "owner"),
        ("Answer 1.", "assistant", "agent"),
    ]


async def test_inserted_memories_are_not_stored_again(engine: combray.Engine) -> None:
    engine.remember("Ana is allergic to peanuts.")
    agent = Agent(Client(), context_providers=[CombrayContextProvider(engine)])
    await agent.run("What is Ana allergic to?")
    assert sum("allergic to peanuts" in each.content for each in engine.list()) == 1


async def test_a_provider_can_read_only(engine: combray.Engine) -> None:
    agent = Agent(Client(), context_providers=[CombrayContextProvider(engine, store=False)])
    await agent.run("I am allergic to peanuts.")
    assert not engine.list()


async def test_history_continues_a_session_and_no_other(engine: combray.Engine) -> None:
    client = Client()
    for session, text in (("s1", "One."), ("s1", "Two."), ("s2", "Three.")):
        # A new agent each time: nothing but the engine is kept, as after a restart.
        agent = Agent(client, context_providers=[CombrayHistoryProvider(engine)])
        await agent.run(text, session=AgentSession(session_id=session))
    assert client.seen == [["One."], ["One.", "Answer 1.", "Two."], ["Three."]]


async def test_messages_come_back_exactly_and_repeated_ones_stay(engine: combray.Engine) -> None:
    provider = CombrayHistoryProvider(engine)
    call = Content.from_function_call("c1", "weather", arguments={"city": "Lisbon"})
    messages = [Message("user", ["ok"]), Message("assistant", [call]), Message("user", ["ok"])]
    await provider.save_messages("s1", messages)
    found = await provider.get_messages("s1")
    assert [each.to_dict() for each in found] == [each.to_dict() for each in messages]
    assert await provider.get_messages("s2") == []


async def test_a_run_without_a_session_is_answered(engine: combray.Engine) -> None:
    agent = Agent(Client(), context_providers=[CombrayHistoryProvider(engine), CombrayContextProvider(engine)])
    assert (await agent.run("Hello.")).text == "Answer 1."
