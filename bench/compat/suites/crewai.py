"""CrewAI: its package has no tests of memory to inherit. Ours make the calls that its pages document."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="crewai-calls",
        framework="CrewAI",
        ours="combray.integrations.crewai.tools",
        package="crewai",
        version="1.15.30",
        extra="crewai",
        plugin="crewai_calls",
        by_owners=False,
    ),
)
