"""mem0: its own tests mock its insides. Ours run one script on its `Memory` and on the drop-in, call by call."""

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
