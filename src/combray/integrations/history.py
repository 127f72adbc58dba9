"""Messages of a conversation of a framework: kept exactly, in order, by session. Needs no framework."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.engine import Engine
from combray.integrations.keyed import put
from combray.types import LIVE_STATUSES, Memory

_PAGE = 1_000
_STEP = timedelta(microseconds=1)


class History:
    """The messages of one session in an engine's namespace. Each is an episode: repeated texts stay apart."""

    def __init__(self, engine: Engine, framework: str, session: str) -> None:
        self._engine, self._framework, self._session = engine, framework, session
        self._where = {
            "and": [
                {"session": session, "status": {"in": list(LIVE_STATUSES)}},
                {f"metadata.{framework}.message": {"exists": True}},
            ]
        }
        self._lock = threading.Lock()
        self._last = datetime.min.replace(tzinfo=UTC)

    def add(self, messages: Sequence[tuple[Any, str, str]]) -> None:
        """Append messages, each with its searched text and its role."""
        if not messages:
            return
        with self._lock:
            records = {}
            for message, text, role in messages:
                now = datetime.fromtimestamp(self._engine.runtime.clock(), UTC)
                # The order of messages is the order of their times, so no two are equal.
                self._last = max(now, self._last + _STEP)
                records[str(uuid.uuid4())] = {
                    "content": text.strip() or f"({role or 'message'})",
                    "author": role or None,
                    "session": self._session,
                    "source": self._framework,
                    "recorded_at": self._last,
                    "trust": "owner" if role == "user" else "agent",
                    "metadata": {self._framework: {"message": message}},
                }
            put(self._engine, records)

    def last(self, limit: int | None = None) -> list[Any]:
        """Return the last messages, or all, oldest first."""
        return [each.metadata[self._framework]["message"] for each in reversed(self._newest(limit))]

    def pop(self) -> Any | None:
        """Erase the last message and return it; None if there is none."""
        with self._lock:
            found = self._newest(1)
            if not found:
                return None
            self._engine.erase(found[0].id)
            return found[0].metadata[self._framework]["message"]

    def clear(self) -> None:
        """Erase the session's messages."""
        with self._lock:
            found = [each.id for each in self._newest(None)]
            if found:
                self._engine.erase(found)

    def _newest(self, limit: int | None) -> list[Memory]:
        found: list[Memory] = []
        after: str | None = ""
        while after is not None and (limit is None or len(found) < limit):
            most = _PAGE if limit is None else min(_PAGE, limit - len(found))
            page = self._engine.list(self._where, order="-recorded_at", limit=most, after=after)
            found += page
            after = page.cursor
        return found
