"""LlamaIndex: its package has no tests for memory blocks. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="llama-index-calls",
        framework="LlamaIndex",
        ours="combray.integrations.llama_index.CombrayMemoryBlock",
        package="llama-index-core",
        version="0.14.25",
        extra="llama-index",
        plugin="llama_index_calls",
        requires=("pytest-asyncio>=0.25", "aiosqlite>=0.20"),
        options=("-o", "asyncio_mode=auto"),
        by_owners=False,
    ),
)
