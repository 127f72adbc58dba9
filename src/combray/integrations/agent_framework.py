"""Microsoft Agent Framework: a context provider and a history provider. Needs the extra `agent-framework`.

https://learn.microsoft.com/en-us/agent-framework/user-guide/agents/agent-memory
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from combray.engine import Engine
from combray.errors import MissingExtraError
from combray.integrations.records import History
from combray.sessions.messages import turns_of

try:
    from agent_framework import ContextProvider, HistoryProvider, Message
except ImportError as error:
    raise MissingExtraError("The Agent Framework providers", "agent-framework") from error

__all__ = ["CombrayContextProvider", "CombrayHistoryProvider"]


class CombrayContextProvider(ContextProvider):
    """Puts what recall finds before each model call, and stores the user's and the agent's messages after it.

    The memories come as a user message, marked as data. Give each user an engine: `engine.within("user-42")`.
    """

    def __init__(
        self, engine: Engine, *, source_id: str = "combray", limit: int = 5, store: bool = True, **options: Any
    ) -> None:
        super().__init__(source_id)
        self._engine, self._limit, self._store, self._options = engine, limit, store, options

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        del agent, session, state
        query = "\n".join(each.text for each in context.input_messages if each.text).strip()
        if query:
            found = await asyncio.to_thread(self._engine.context, query, limit=self._limit, **self._options)
            if found.text:
                context.extend_messages(self, [Message("user", [found.text])])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        del agent, session, state
        if not self._store:
            return
        said = [*context.input_messages, *(context.response.messages if context.response else ())]
        turns = list(turns_of({"role": str(each.role), "content": each.text} for each in said))
        if turns:
            conversation = self._engine.conversation(context.session_id or self.source_id)
            await asyncio.to_thread(conversation.add_many, turns)


class CombrayHistoryProvider(HistoryProvider):
    """Stores the messages of each session exactly, and gives them back in order."""

    def __init__(self, engine: Engine, *, source_id: str = "combray-history", **options: Any) -> None:
        super().__init__(source_id, **options)
        self._engine = engine
        self._histories: dict[str, History] = {}

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        del state, kwargs
        found = await asyncio.to_thread(self._of(session_id).last)
        return [Message.from_dict(each) for each in found]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        del state, kwargs
        listed = [(each.to_dict(), each.text, str(each.role)) for each in messages]
        await asyncio.to_thread(self._of(session_id).add, listed)

    def _of(self, session_id: str | None) -> History:
        # A run without a session has a history of its own, of this provider's name.
        name = session_id or self.source_id
        return self._histories.setdefault(name, History(self._engine, self.source_id.replace(".", "-"), name))
