"""OpenAI Agents: the tests of its SQLite session, most of which run an agent."""

from bench.compat.declaration import Suite

SQLITE = "Looks into the connections, locks and tables of the owners' SQLite class."
CLOSED = "Our session has nothing to close: the engine is closed by who opened it."
MODULE = "test_session::test_sqlite_session_"

SUITES = (
    Suite(
        name="openai-agents-session",
        framework="OpenAI Agents",
        ours="combray.integrations.openai_agents.CombraySession",
        package="openai-agents",
        version="0.24.0",
        extra="openai-agents",
        plugin="openai_agents_session",
        tests=("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        requires=("pytest-asyncio>=0.25",),
        options=("-o", "asyncio_mode=auto"),
        left_out={
            f"*{MODULE}close_*": SQLITE,
            f"*{MODULE}reaps_*": SQLITE,
            f"*{MODULE}closes_*": SQLITE,
            f"*{MODULE}keeps_connections_*": SQLITE,
            f"*{MODULE}closed_*": CLOSED,
            f"*{MODULE}pop_item_*": SQLITE,
            f"*{MODULE}*corrupt*": SQLITE,
            f"*{MODULE}file_lock_*": SQLITE,
            f"*{MODULE}failed_*": SQLITE,
            f"*{MODULE}rollback_*": SQLITE,
            f"*{MODULE}post_commit_*": SQLITE,
        },
        quick=True,
    ),
)
