"""A LlamaIndex agent with a long-term memory. The model is LlamaIndex's own mock, which repeats the prompt."""

import asyncio

from llama_index.core.agent import FunctionAgent
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

import combray
from combray.integrations.llama_index import CombrayMemoryBlock


async def main() -> None:
    with combray.open(":memory:") as engine:
        engine.remember("Ana is allergic to peanuts.")
        memory = Memory.from_defaults(
            session_id="monday", token_limit=4000, memory_blocks=[CombrayMemoryBlock(engine=engine)]
        )
        agent = FunctionAgent(tools=[], llm=MockFunctionCallingLLM())
        print(await agent.run("What is Ana allergic to?", memory=memory))
        print((await memory.aget())[0].content.splitlines()[-4])


asyncio.run(main())
