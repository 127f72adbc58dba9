"""Puts our session in place of `SQLiteSession`, over one engine for each database path."""

from __future__ import annotations

from typing import Any

import agents
import agents.memory
import agents.memory.sqlite_session

import combray
from combray.integrations.openai_agents import CombraySession

ENGINES: dict[str, Any] = {}


class SQLiteSession(CombraySession):
    """The owners' arguments: each database is an engine in memory of its own."""

    def __init__(self, session_id: str, db_path: Any = ":memory:", *_: Any, session_settings: Any = None) -> None:
        name = str(db_path)
        if name == ":memory:":
            engine = combray.open(":memory:")
        else:
            engine = ENGINES.get(name) or ENGINES.setdefault(name, combray.open(":memory:"))
        super().__init__(session_id, engine, session_settings=session_settings)

    def close(self) -> None:
        """The engine is closed by who opened it."""


agents.SQLiteSession = SQLiteSession
agents.memory.SQLiteSession = SQLiteSession
agents.memory.sqlite_session.SQLiteSession = SQLiteSession
