"""Anthropic: the tests of the SDK's filesystem memory tools."""

from bench.compat.declaration import Suite

LINKS = "Follows symbolic links or permissions of the file system. Our files are memories: there are none."
LIMIT = "The engine takes 100,000 bytes of exact text. A file of a million lines is refused when it is created."
PATTERNS = ("test_mkdir_*", "test_*symlink*")

SUITES = (
    Suite(
        name="anthropic-memory",
        framework="Anthropic",
        ours="combray.integrations.anthropic.CombrayMemoryTool",
        package="anthropic",
        version="2.14.0",
        extra="anthropic",
        plugin="anthropic_memory",
        tests=("tests/lib/tools/memory_tools/test_filesystem.py",),
        requires=("pytest-asyncio>=0.25",),
        # Their conftest needs a server of the API.
        options=("--noconftest", "-o", "asyncio_mode=auto"),
        left_out={f"*::{pattern}": LINKS for pattern in PATTERNS},
        right_to_fail={"*::test_view_error_for_files_with_too_many_lines": LIMIT},
        quick=True,
    ),
    Suite(
        name="anthropic-memory-fuzz",
        framework="Anthropic",
        ours="combray.integrations.anthropic.CombrayMemoryTool",
        package="anthropic",
        version="2.14.0",
        extra="anthropic",
        plugin="anthropic_fuzz",
        quick=True,
    ),
)
