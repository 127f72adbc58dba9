"""LlamaIndex: a block of long-term memory for `Memory`. Needs the extra `llama-index`.

Messages that leave the short-term memory are stored as turns of a conversation; what answers the latest message
is recalled into the prompt. https://developers.llamaindex.ai/python/framework/module_guides/deploying/agents/memory/
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from combray.errors import MissingExtraError

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.memory.memory import BaseMemoryBlock
except ImportError as error:
    raise MissingExtraError("The LlamaIndex memory block", "llama-index") from error

__all__ = ["CombrayMemoryBlock"]

_SESSION = "session_id"
_TRUST = {MessageRole.ASSISTANT: "agent", MessageRole.TOOL: "untrusted", MessageRole.FUNCTION: "untrusted"}
_LONGEST_QUERY = 20_000
_CHARACTERS = 3
"""Characters of a token, at least: what is removed is rather too much than too little."""


class CombrayMemoryBlock(BaseMemoryBlock[str]):
    """A memory block over an engine. Its content is a fenced text with numbered memories.

    The memories are those of the engine's namespace: give each user an engine of its own (`engine.within`).
    """

    name: str = Field(default="LongTermMemory", description="The name of the memory block.")
    engine: Any = Field(description="An open combray.Engine.", exclude=True)
    limit: int = Field(default=10, description="Most memories in the prompt.")
    budget: int | None = Field(default=None, description="Most tokens; None: the setting context_budget.")
    session: str = Field(default="llama-index", description="The conversation of messages without a session.")
    only_this_session: bool = Field(default=False, description="Whether other sessions are left out.")

    async def _aget(
        self, messages: list[ChatMessage] | None = None, session_id: str | None = None, **block_kwargs: Any
    ) -> str:
        del block_kwargs
        asked = _latest(messages or [])
        if not asked:
            return ""
        options = {"sessions": session_id or self.session} if self.only_this_session else {}
        held = [each.content for each in messages or [] if each.content]
        found = await asyncio.to_thread(
            self.engine.context, asked, self.budget, limit=self.limit, messages=held, **options
        )
        return str(found.text)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        turns: dict[str, list[dict[str, Any]]] = {}
        for each in messages:
            if each.content and each.content.strip() and each.role != MessageRole.SYSTEM:
                turn = {"content": each.content, "author": each.role.value}
                if trust := _TRUST.get(each.role):
                    turn["trust"] = trust
                turns.setdefault(each.additional_kwargs.get(_SESSION) or self.session, []).append(turn)
        for session, said in turns.items():
            await asyncio.to_thread(self.engine.conversation(session).add_many, said, atomic=True)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Drop the weakest memories, which are the last ones, and keep the fence; None if no memory is left."""
        lines = content.splitlines()
        kept = [place for place, line in enumerate(lines) if line.startswith("[")]
        over = tokens_to_truncate * _CHARACTERS
        while kept and over > 0:
            over -= len(lines.pop(kept.pop()))
        return "\n".join(lines) if kept else None


def _latest(messages: Sequence[ChatMessage]) -> str:
    """Return the text of the latest message of the user, else of the latest message."""
    texts = [each.content or "" for each in messages if each.role == MessageRole.USER]
    texts = texts or [each.content or "" for each in messages]
    return texts[-1].strip()[:_LONGEST_QUERY] if texts else ""
