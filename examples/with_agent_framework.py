"""An agent of Microsoft's Agent Framework with memory and history. The model is a fake one."""

import asyncio

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

import combray
from combray.integrations.agent_framework import CombrayContextProvider, CombrayHistoryProvider


class FakeClient(BaseChatClient):
    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        return ChatResponse(messages=[Message("assistant", [f"I see {len(messages)} messages."])])


async def main() -> None:
    with combray.open(":memory:") as engine:
        user = engine.within("user-42")
        providers = [CombrayHistoryProvider(user), CombrayContextProvider(user)]
        agent = Agent(FakeClient(), context_providers=providers)
        session = agent.create_session()
        for text in ("I am allergic to peanuts.", "Am I allergic to anything?"):
            print((await agent.run(text, session=session)).text)


asyncio.run(main())
