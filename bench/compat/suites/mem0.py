"""mem0: its tests mock its own insides. Ours run one script on mem0's `Memory` and on our drop-in, call by call."""

from bench.compat.declaration import Suite

SUITES = (
    Suite(
        name="mem0-calls",
        framework="mem0",
        ours="combray.compat.mem0.Memory",
        package="mem0ai",
        version="2.2.1",
        extra="",
        plugin="mem0_drop_in",
        by_owners=False,
    ),
)
