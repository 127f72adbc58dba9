"""Pydantic AI: its package has no tests of memory to inherit. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="pydantic-ai-calls",
        framework="Pydantic AI",
        ours="combray.integrations.pydantic_ai.CombrayMemoryFiles",
        package="pydantic-ai-harness",
        version="0.62.0",
        extra="pydantic-ai",
        plugin="pydantic_ai_calls",
        requires=("pytest-asyncio>=0.25",),
        options=("-o", "asyncio_mode=auto"),
        by_owners=False,
    ),
)
