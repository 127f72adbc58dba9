"""Hermes Agent: its package has no tests of memory to inherit. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="hermes-calls",
        framework="Hermes Agent",
        ours="combray.integrations.hermes.CombrayMemoryProvider",
        package="hermes-agent",
        version="0.19.0",
        extra="hermes",
        plugin="hermes_calls",
        by_owners=False,
    ),
)
