"""Google ADK: a `BaseMemoryService` over an engine. Needs the extra `google-adk`.

Each user of each app has a namespace below the engine's. https://google.github.io/adk-docs/sessions/memory/
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.integrations.records import label, put, record_id, stored_ids
from combray.types import STATUSES

try:
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types
except ImportError as error:
    raise MissingExtraError("The Google ADK memory service", "google-adk") from error

__all__ = ["CombrayMemoryService"]

_KEPT = "adk"


class CombrayMemoryService(BaseMemoryService):
    """A memory service of a `Runner`. An event that is added again is stored once. Close the engine yourself."""

    def __init__(self, engine: Engine, *, limit: int = 10) -> None:
        self._engine, self._limit = engine, limit

    async def add_session_to_memory(self, session: Any) -> None:
        await self._add(session.app_name, session.user_id, session.events, session.id, {})

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        await self._add(app_name, user_id, events, session_id, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[Any],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        engine = self._of(app_name, user_id)
        for entry in memories:
            if text := _text(entry.content):
                about = {**(custom_metadata or {}), **entry.custom_metadata}
                await asyncio.to_thread(
                    engine.remember,
                    text,
                    author=entry.author,
                    source=_KEPT,
                    trust="agent",
                    occurred_at=entry.timestamp,
                    metadata={_KEPT: {"custom": about}},
                )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        answer = await asyncio.to_thread(self._of(app_name, user_id).recall, query, limit=self._limit)
        return SearchMemoryResponse(memories=[_entry(hit.memory) for hit in answer])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase one memory of a user. An event stays erased if its session is added again.

        Raises InvalidInputError without an id, and NotFoundError.
        """
        if memory_id is None:
            raise InvalidInputError("memory_id", "is None.", "Give the id that search_memory returned.")
        await asyncio.to_thread(_erase, self._of(app_name, user_id), memory_id)

    def _of(self, app_name: str, user_id: str) -> Engine:
        return self._engine.within("/".join((self._engine.namespace, label(app_name), label(user_id))))

    async def _add(
        self,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None,
        about: Mapping[str, object] | None,
    ) -> None:
        engine = self._of(app_name, user_id)
        records = {
            record_id(engine.namespace, _KEPT, session_id or "", event.id): {
                "content": text,
                "author": event.author,
                "source": _KEPT,
                "session": session_id,
                "trust": "owner" if event.author == "user" else "agent",
                "recorded_at": datetime.fromtimestamp(event.timestamp, UTC),
                "metadata": {_KEPT: {"event": event.id, "custom": dict(about or {})}},
            }
            for event in events
            if (text := _text(event.content))
        }
        await asyncio.to_thread(_put_new, engine, records)


def _put_new(engine: Engine, records: dict[str, dict[str, Any]]) -> None:
    """Store the events that are not stored, and were not: an event does not change."""
    there = stored_ids(engine, list(records), STATUSES)
    put(engine, {each: fields for each, fields in records.items() if each not in there})


def _erase(engine: Engine, memory_id: str) -> None:
    event = engine.get(memory_id).metadata.get(_KEPT, {}).get("event")
    engine.erase(memory_id)
    if event is not None:
        # The id stays taken, so that the event does not come back with its session.
        put(engine, {memory_id: {"content": f"erased event {event}", "source": _KEPT, "trust": "agent"}})
        engine.forget(memory_id)


def _text(content: Any) -> str:
    parts = (content.parts if content else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _entry(memory: Any) -> MemoryEntry:
    role = "user" if memory.author == "user" else "model"
    return MemoryEntry(
        id=memory.id,
        content=types.Content(role=role, parts=[types.Part(text=memory.content)]),
        author=memory.author,
        timestamp=memory.moment.isoformat(),
        custom_metadata=memory.metadata.get(_KEPT, {}).get("custom", {}),
    )
