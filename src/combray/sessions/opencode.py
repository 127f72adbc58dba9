"""Conversations in the database of opencode, `~/.local/share/opencode/opencode.db` (SQLite).

A row of `session` has a title and, for a subagent, a parent; a row of `message` a document with role and time;
a row of `part` a document with a piece of a message. The format has no specification. Source:
`packages/opencode/src/session/session.sql.ts` of https://github.com/anomalyco/opencode.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from combray.sessions.session import Session, decoded, keyed, said

TABLES = frozenset(("session", "message", "part"))
"""The tables by which the database is recognised."""


def conversations(database: sqlite3.Connection) -> Iterator[Session]:
    """Yield the conversations of people, not those of subagents, the oldest first. Raises sqlite3.Error."""
    sessions = "SELECT id, title FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
    for name, title in database.execute(sessions).fetchall():
        texts: dict[str, list[str]] = defaultdict(list)
        for message, part in _documents(database, "message_id", "part", name):
            if part.get("type") == "text" and not part.get("synthetic") and isinstance(part.get("text"), str):
                texts[message].append(part["text"])
        messages = []
        for message, document in _documents(database, "id", "message", name):
            if document.get("summary") is True:
                continue
            when = document.get("time")
            # In the form of the plugin that `combray setup` writes, so that the key of the turn is the same.
            entry = {
                "role": document.get("role"),
                "content": "\n".join(texts[message]),
                "timestamp": when.get("created") if isinstance(when, dict) else None,
            }
            found = said(entry)
            if found is not None:
                messages.append(found)
        yield Session(str(name), "opencode", tuple(keyed(messages)), title if isinstance(title, str) else "")


def _documents(
    database: sqlite3.Connection, key: str, table: str, session: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    query = f"SELECT {key}, data FROM {table} WHERE session_id = ? ORDER BY time_created, id"
    for name, data in database.execute(query, (session,)).fetchall():
        found = decoded(data)
        if isinstance(found, dict):
            yield str(name), found
