"""Microsoft Agent Framework: its package has no tests to inherit. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="agent-framework-calls",
        framework="Microsoft Agent Framework",
        ours="combray.integrations.agent_framework.CombrayContextProvider",
        package="agent-framework-core",
        version="1.23.0",
        extra="agent-framework",
        plugin="agent_framework_calls",
        requires=("pytest-asyncio>=0.25",),
        options=("-o", "asyncio_mode=auto"),
        by_owners=False,
    ),
)
