"""A Pydantic AI agent with memory tools and memory files. The model is Pydantic AI's own test model."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

import combray
from combray.integrations.pydantic_ai import CombrayMemoryFiles, toolset


async def main() -> None:
    with combray.open(":memory:") as engine:
        agent = Agent(TestModel(call_tools=["recall"]), toolsets=[toolset(engine.within("user-42"))])
        engine.within("user-42").remember("Ana owns the billing service.")
        print((await agent.run("Who owns billing?")).output)

        store = CombrayMemoryFiles(engine.within("user-42"))  # Memory(store=store) of pydantic_ai_harness
        done = await store.write("notes/MEMORY.md", "Deploy on Mondays.", expected_version=None)
        print((await store.read("notes/MEMORY.md", max_chars=100)).version == done.version)


asyncio.run(main())
