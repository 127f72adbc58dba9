"""A memory provider of Hermes Agent. The calls are those of its MemoryManager."""

import combray
from combray.integrations.hermes import CombrayMemoryProvider

with combray.open(":memory:") as engine:
    # In plugins/memory/combray/__init__.py: def register(ctx): ctx.register_memory_provider(provider)
    provider = CombrayMemoryProvider(engine)
    provider.initialize("session-1", hermes_home="~/.hermes", platform="cli", user_id="ana")
    provider.sync_turn("The billing service moved to PostgreSQL.", "Noted.")
    print(provider.prefetch("Which database does billing use?"))
    print(provider.handle_tool_call("combray_recall", {"query": "Which database does billing use?"}))
