"""Strands: the tests of its two local stores. Those of `MemoryManager` use mocks only, and no store."""

from bench.compat.declaration import Suite

SUITES = tuple(
    Suite(
        name=f"strands-{name}-store",
        framework="Strands",
        ours="combray.integrations.strands.CombrayMemoryStore",
        package="strands-agents",
        version="1.62.0",
        extra="strands",
        plugin="strands_stores",
        tests=(f"tests/strands/vended_memory_stores/{name}_memory_store/test_store.py",),
        requires=("pytest-asyncio>=0.25",),
        # The conftest of all their tests needs the clients of a cloud.
        options=("-o", "asyncio_mode=auto", "--noconftest"),
        quick=True,
    )
    for name in ("test", "file")
)
