"""Strands Agents: a `MemoryStore` over an engine. Needs the extra `strands`.

https://strandsagents.com/latest/documentation/docs/user-guide/concepts/agents/memory/
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.integrations.records import record_id
from combray.sessions.messages import turns_of
from combray.types import Remembered

try:
    from strands.memory.types import MemoryEntry, MemoryStore
except ImportError as error:
    raise MissingExtraError("The Strands memory store", "strands") from error

__all__ = ["CombrayMemoryStore"]

_LIMIT = 10
"""The default of the frameworks' own stores."""


class CombrayMemoryStore(MemoryStore):
    """A store of `MemoryManager`. Its facts are memories; its messages are turns of a conversation.

    The manager escapes what it puts into a prompt. Give each user an engine: `engine.within("user-42")`.
    `session` names the conversation of `add_messages`. Give each agent that runs at the same time its own store:
    the sequence numbers of messages are compared within a store.
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
        if not name.strip():
            raise InvalidInputError("name", "is empty.", "Give the store a name.")
        if max_search_results is not None and max_search_results < 1:
            raise InvalidInputError("max_search_results", f"must be at least 1, got {max_search_results}.")
        self.name, self.description, self.writable = name, description, writable
        self.max_search_results, self.extraction = max_search_results, extraction
        self._engine, self._session = engine, session
        self._lock = threading.Lock()
        self._stored: dict[int, tuple[str, list[str]]] = {}
        """Sequence number -> a digest of its message in this run, and the ids of its turns: one, or none."""

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        limit = (options or {}).get("max_search_results", self.max_search_results)
        limit = _LIMIT if limit is None else limit
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

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> Remembered:
        """Store a fact. The `id` of the result is that of the memory, or of the one that says the same."""
        self._needs_writable()
        return await asyncio.to_thread(
            self._engine.remember, content, source="strands", trust="agent", metadata=dict(metadata or {})
        )

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> list[str]:
        """Store messages as turns, and return their ids. A batch that is sent again is stored once."""
        self._needs_writable()
        said = [(str(each["role"]), _text(each)) for each in messages]
        numbers = getattr(context, "sequence_numbers", None)
        if numbers is None:
            return await asyncio.to_thread(self._turns, said)
        return await asyncio.to_thread(self._numbered, dict(zip(numbers, said, strict=True)))

    def _numbered(self, said: dict[int, tuple[str, str]]) -> list[str]:
        with self._lock:
            names = {number: record_id(*each) for number, each in said.items()}
            # Numbers start at 0 in each run. One that names another message belongs to a new run.
            if any(self._stored.get(number, (name,))[0] != name for number, name in names.items()):
                self._stored.clear()
            for number, each in said.items():
                # Each turn is noted as soon as it is stored: a later one may fail.
                if number not in self._stored:
                    self._stored[number] = (names[number], self._turns([each]))
            return [each for number in said for each in self._stored[number][1]]

    def _turns(self, said: Sequence[tuple[str, str]]) -> list[str]:
        turns = list(turns_of({"role": role, "content": text} for role, text in said))
        return [each.id for each in self._engine.conversation(self._session).add_many(turns)]

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
