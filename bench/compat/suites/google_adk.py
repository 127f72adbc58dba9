"""Google ADK: its package has no tests of memory to inherit. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="google-adk-calls",
        framework="Google ADK",
        ours="combray.integrations.google_adk.CombrayMemoryService",
        package="google-adk",
        version="2.13.0",
        extra="google-adk",
        plugin="google_adk_calls",
        requires=("pytest-asyncio>=0.25",),
        options=("-o", "asyncio_mode=auto"),
        by_owners=False,
    ),
)
