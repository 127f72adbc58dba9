"""Strands Agents: a `MemoryStore` over an engine. Needs the extra `strands`.

https://strandsagents.com/latest/documentation/docs/user-guide/concepts/agents/memory/
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.sessions.messages import turns_of

try:
    from strands.memory.types import MemoryEntry, MemoryStore
except ImportError as error:
    raise MissingExtraError("The Strands memory store", "strands") from error

__all__ = ["CombrayMemoryStore"]


class CombrayMemoryStore(MemoryStore):
    """A store of `MemoryManager`. Its facts are memories; its messages are turns of a conversation.

    The manager escapes what it puts into a prompt. Give each user an engine: `engine.within("user-42")`.
    `session` names the conversation of `add_messages`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        name: str = "combray",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: Any = None,
        session: str = "strands",
    ) -> None:
        if not name:
            raise InvalidInputError("name", "is empty.", "Give the store a name.")
        if max_search_results is not None and max_search_results < 1:
            raise InvalidInputError("max_search_results", f"must be at least 1, got {max_search_results}.")
        self.name, self.description, self.writable = name, description, writable
        self.max_search_results, self.extraction = max_search_results, extraction
        self._engine, self._session = engine, session

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        limit = (options or {}).get("max_search_results", self.max_search_results)
        limit = 5 if limit is None else limit
        if limit < 1:
            raise InvalidInputError("max_search_results", f"must be at least 1, got {limit}.")
        if not query.strip():
            return []
        answer = await asyncio.to_thread(self._engine.recall, query, limit=limit)
        return [
            MemoryEntry(
                content=hit.memory.content,
                metadata={
                    **hit.memory.metadata,
                    "id": hit.memory.id,
                    "score": hit.score,
                    "trust": hit.memory.trust,
                    "timestamp": hit.memory.moment.isoformat(),
                },
            )
            for hit in answer
        ]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Store a fact. Return its id, or that of the memory that says the same."""
        self._needs_writable()
        done = await asyncio.to_thread(
            self._engine.remember, content, source="strands", trust="agent", metadata=dict(metadata or {})
        )
        return done.id

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> list[str]:
        """Store messages as turns."""
        del context
        self._needs_writable()
        turns = list(turns_of({"role": each["role"], "content": _text(each)} for each in messages))
        stored = await asyncio.to_thread(self._engine.conversation(self._session).add_many, turns)
        return [each.id for each in stored]

    def _needs_writable(self) -> None:
        if not self.writable:
            raise InvalidInputError("writable", f"is false for the store {self.name!r}.")


def _text(message: Mapping[str, Any]) -> str:
    parts = []
    for block in message.get("content") or ():
        if text := block.get("text"):
            parts.append(text)
        elif call := block.get("toolUse"):
            parts.append(f"{call.get('name')}: {json.dumps(call.get('input'), ensure_ascii=False)}")
    return "\n".join(parts).strip()
