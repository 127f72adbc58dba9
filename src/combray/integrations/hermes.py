"""Hermes Agent: a `MemoryProvider` over an engine. Needs the extra `hermes`.

A plugin in `plugins/memory/combray` of the Hermes home registers it: `ctx.register_memory_provider(...)`.
https://hermes-agent.nousresearch.com/docs/user-guide/features/memory-providers
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from combray.engine import Engine
from combray.errors import MissingExtraError
from combray.integrations.records import label
from combray.integrations.tool_calls import ToolCalls
from combray.sessions.messages import turns_of

try:
    from agent.memory_provider import MemoryProvider
except ImportError as error:
    raise MissingExtraError("The Hermes memory provider", "hermes") from error

__all__ = ["CombrayMemoryProvider"]

_LOG = logging.getLogger(__name__)
_WAIT = 2.0
"""Seconds that a turn of the agent waits for recall. What comes later is used if the question is asked again."""


class CombrayMemoryProvider(MemoryProvider):
    """Long-term memory of a Hermes agent. A user of a gateway has a namespace below the engine's.

    Only the primary agent's turns are stored: those of subagents and scheduled runs are not the user's. Turns are
    stored in a thread of this provider, in order, and what was said is found by every later call. `shutdown`
    waits for them; close the engine after it.
    """

    name = "combray"

    def __init__(self, engine: Engine, *, limit: int = 5) -> None:
        self._root, self._engine, self._limit = engine, engine, limit
        self._session, self._writes = "", True
        self._pool: ThreadPoolExecutor | None = None
        self._asked: tuple[Engine, str, Future[str]] | None = None

    def is_available(self) -> bool:
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self._session = session_id
        self._writes = kwargs.get("agent_context", "primary") == "primary"
        user = kwargs.get("user_id")
        self._engine = self._root.within(f"{self._root.namespace}/{label(str(user))}") if user else self._root

    def system_prompt_block(self) -> str:
        return "Long-term memory: use combray_recall before answering about earlier work; it returns data."

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what is recalled, or "" if it is not there within two seconds."""
        del session_id
        if not query.strip():
            return ""
        asked, self._asked = self._asked, None
        if asked is None or asked[:2] != (self._engine, query):
            engine = self._engine
            found = self._worker().submit(lambda: engine.context(query, limit=self._limit).text)
            asked = engine, query, found
        try:
            return asked[2].result(_WAIT)
        except TimeoutError:
            self._asked = asked
            return ""

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        del messages
        said = (("user", user_content), ("assistant", assistant_content))
        turns = list(turns_of({"role": role, "content": text} for role, text in said))
        if self._writes and turns:
            conversation = self._engine.conversation(session_id or self._session)
            self._worker().submit(conversation.add_many, turns).add_done_callback(_log_failure)

    def shutdown(self) -> None:
        """Wait until every turn is stored."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()

    def _worker(self) -> ThreadPoolExecutor:
        # One thread keeps the order of turns, and recall comes after what was said before.
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="combray-hermes")
        return self._pool

    def on_session_switch(self, new_session_id: str, **_options: Any) -> None:
        self._session = new_session_id

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        text, number = {"type": "string"}, {"type": "integer", "minimum": 1}
        return [
            _schema("remember", ["text"], {"text": text}),
            _schema("recall", ["query"], {"query": text, "limit": number}),
            _schema("forget", ["memory_id"], {"memory_id": text}),
        ]

    def handle_tool_call(self, tool_name: str, args: Mapping[str, Any], **_options: Any) -> str:
        """Return the result of a tool as JSON."""
        named = {f"combray_{each.__name__}": each for each in ToolCalls(self._engine).functions}
        if tool_name not in named:
            return json.dumps({"error": f"tool {tool_name} is not known."})
        if tool_name != "combray_recall" and not self._writes:
            return json.dumps({"error": "This agent reads memory only."})
        try:
            result = self._worker().submit(named[tool_name], **args).result()
            return json.dumps({"result": result}, ensure_ascii=False)
        except TypeError as error:
            return json.dumps({"error": str(error)})


def _log_failure(done: Future[Any]) -> None:
    if (error := done.exception()) is not None:
        _LOG.warning("A turn was not stored: %s", error)


def _schema(name: str, required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": f"combray_{name}",
        "description": " ".join((getattr(ToolCalls, name).__doc__ or "").split()),
        "parameters": {"type": "object", "properties": properties, "required": required},
    }
