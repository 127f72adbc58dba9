"""The calls that Google documents for memory services of ADK. The package has no tests to inherit.

https://google.github.io/adk-docs/sessions/memory/
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from google.adk.agents import Agent
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory
from google.genai import types

import combray
from combray.errors import InvalidInputError, NotFoundError
from combray.integrations.google_adk import CombrayMemoryService

ANA = {"app_name": "desk", "user_id": "ana"}
QUESTION = "What is Ana allergic to?"


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def event(text: str, name: str, author: str = "user") -> Event:
    return Event(id=name, author=author, content=content(text), timestamp=1_750_000_000)


async def texts(service: CombrayMemoryService, query: str = QUESTION, user: str = "ana") -> list[str]:
    found = await service.search_memory(app_name="desk", user_id=user, query=query)
    return [each.content.parts[0].text or "" for each in found.memories]


async def session_of(*events: Event) -> Any:
    sessions = InMemorySessionService()
    session = await sessions.create_session(**ANA, session_id="s1")
    for each in events:
        await sessions.append_event(session, each)
    return session


async def test_a_session_that_is_added_again_is_stored_once(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    session = await session_of(event("Ana is allergic to peanuts.", "e1"), event("Noted.", "e2", "desk"))
    for _ in range(2):
        await service.add_session_to_memory(session)
    kept = engine.within(f"{engine.namespace}/desk/ana").list(order="recorded_at")
    assert [(each.author, each.session, each.trust) for each in kept] == [
        ("user", "s1", "owner"),
        ("desk", "s1", "agent"),
    ]
    assert "Ana is allergic to peanuts." in await texts(service)


async def test_users_and_apps_are_kept_apart(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    await service.add_session_to_memory(await session_of(event("Ana is allergic to peanuts.", "e1")))
    assert await texts(service, user="ben") == []
    assert not (await service.search_memory(app_name="other", user_id="ana", query=QUESTION)).memories


async def test_events_are_added_as_a_delta_with_metadata(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    for name, text in (("e1", "Ana is allergic to peanuts."), ("e2", "Ana owns the billing service.")):
        await service.add_events_to_memory(
            **ANA, events=[event(text, name)], session_id="s1", custom_metadata={"ttl": "30d"}
        )
    (first, *_) = (await service.search_memory(**ANA, query=QUESTION)).memories
    assert first.content.parts[0].text == "Ana is allergic to peanuts."
    assert (first.author, first.custom_metadata) == ("user", {"ttl": "30d"})
    assert first.timestamp.startswith("2025-06-15")


async def test_memories_are_added_directly(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    entry = MemoryEntry(content=content("Ana is allergic to peanuts."), custom_metadata={"a": 1})
    await service.add_memory(**ANA, memories=[entry], custom_metadata={"b": 2})
    (found,) = (await service.search_memory(**ANA, query=QUESTION)).memories
    assert found.custom_metadata == {"a": 1, "b": 2}


async def test_a_deleted_event_does_not_come_back_with_its_session(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    session = await session_of(event("Ana is allergic to peanuts.", "e1"), event("Ana likes walnuts.", "e2"))
    await service.add_session_to_memory(session)
    (found, *_) = (await service.search_memory(**ANA, query="allergic to peanuts")).memories
    await service.delete_memory(**ANA, memory_id=found.id)
    await service.add_session_to_memory(session)
    assert not any("allergic" in each for each in await texts(service))
    assert await texts(service, "walnuts") == ["Ana likes walnuts."]
    with pytest.raises(NotFoundError):
        await service.delete_memory(app_name="desk", user_id="ben", memory_id=found.id)
    with pytest.raises(InvalidInputError, match="memory_id"):
        await service.delete_memory(**ANA)


async def test_parts_without_text_and_thoughts_are_not_stored(engine: combray.Engine) -> None:
    call = types.Part(function_call=types.FunctionCall(name="f", args={}))
    silent = [Event(author="desk"), Event(author="desk", content=types.Content(parts=[call]))]
    thought = types.Part(text="She may be allergic.", thought=True)
    silent.append(Event(author="desk", content=types.Content(parts=[thought])))
    await CombrayMemoryService(engine).add_events_to_memory(**ANA, events=silent)
    assert not engine.within(f"{engine.namespace}/desk/ana").list()


async def test_a_search_without_words_finds_nothing(engine: combray.Engine) -> None:
    assert await texts(CombrayMemoryService(engine), " ") == []


class Model(BaseLlm):
    """Asks memory first, then repeats what the tool returned."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        del stream
        (part,) = llm_request.contents[-1].parts or ()
        if part.function_response:
            answer = types.Part(text=str(part.function_response.response))
        else:
            answer = types.Part(function_call=types.FunctionCall(name="load_memory", args={"query": QUESTION}))
        yield LlmResponse(content=types.Content(role="model", parts=[answer]))


async def test_an_agent_loads_memory_with_its_tool(engine: combray.Engine) -> None:
    service = CombrayMemoryService(engine)
    await service.add_session_to_memory(await session_of(event("Ana is allergic to peanuts.", "e1")))
    sessions = InMemorySessionService()
    agent = Agent(name="desk", model=Model(model="fake"), tools=[load_memory])
    runner = Runner(agent=agent, app_name="desk", session_service=sessions, memory_service=service)
    await sessions.create_session(**ANA, session_id="s2")
    said = [
        part.text or ""
        async for each in runner.run_async(user_id="ana", session_id="s2", new_message=content(QUESTION))
        for part in (each.content.parts if each.content else None) or ()
    ]
    assert "allergic to peanuts" in said[-1]
