"""A memory service of Google's ADK over an engine."""

import asyncio

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService
from google.genai import types

import combray
from combray.integrations.google_adk import CombrayMemoryService


async def main() -> None:
    sessions = InMemorySessionService()
    with combray.open(":memory:") as engine:
        memory = CombrayMemoryService(engine)  # Runner(agent=…, memory_service=memory, …)
        session = await sessions.create_session(app_name="desk", user_id="ana")
        said = types.Content(role="user", parts=[types.Part(text="I am allergic to peanuts.")])
        await sessions.append_event(session, Event(author="user", content=said))
        await memory.add_session_to_memory(session)
        for user in ("ana", "ben"):
            found = await memory.search_memory(app_name="desk", user_id=user, query="Any allergies?")
            print(user, [each.content.parts[0].text for each in found.memories])


asyncio.run(main())
