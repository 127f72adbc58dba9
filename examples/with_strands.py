"""The memory manager of Strands over an engine."""

import asyncio

from strands.memory import MemoryManager

import combray
from combray.integrations.strands import CombrayMemoryStore


async def main() -> None:
    with combray.open(":memory:") as engine:
        # Agent(model=…, memory_manager=manager) adds its tools and puts memories before each model call.
        manager = MemoryManager(stores=[CombrayMemoryStore(engine.within("user-42"))], add_tool_config=True)
        await manager.add("The billing service moved to PostgreSQL in May.")
        for entry in await manager.search("Which database does billing use?"):
            print(entry.store_name, entry.content)


asyncio.run(main())
