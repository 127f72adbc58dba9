"""OpenAI Agents SDK: a `Session` over an engine. Needs the extra `openai-agents`.

https://openai.github.io/openai-agents-python/sessions/
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from combray.engine import Engine
from combray.errors import MissingExtraError
from combray.integrations.records import History

try:
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import SessionSettings, coerce_session_settings, resolve_session_limit
except ImportError as error:
    raise MissingExtraError("The OpenAI Agents session", "openai-agents") from error

__all__ = ["CombraySession"]


class CombraySession(SessionABC):
    """The history of one conversation, whose messages recall finds too. Close the engine, not the session.

    Items are stored one by one, exactly, and never merged. Give each user an engine: `engine.within("user-42")`.
    """

    def __init__(
        self,
        session_id: str,
        engine: Engine,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._history = History(engine, "openai", session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        most = resolve_session_limit(limit, self.session_settings)
        if most is not None and most <= 0:
            return []
        return await asyncio.to_thread(self._history.last, most)

    async def add_items(self, items: list[Any]) -> None:
        # A copy in JSON: the caller may change its items later.
        plain = [json.loads(json.dumps(each)) for each in items]
        await asyncio.to_thread(self._history.add, [(each, _text(each), _role(each)) for each in plain])

    async def pop_item(self) -> Any | None:
        return await asyncio.to_thread(self._history.pop)

    async def clear_session(self) -> None:
        await asyncio.to_thread(self._history.clear)


def _role(item: Mapping[str, Any]) -> str:
    return str(item.get("role") or item.get("type") or "")


def _text(item: Mapping[str, Any]) -> str:
    """Return the words of an item: a message's text, a call's arguments, a tool's output."""
    content = item.get("content") or item.get("output") or item.get("arguments") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
