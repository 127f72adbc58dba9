"""The MCP tools that take the turns of a conversation: auto-memory, and the context of the next answer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult

from combray.engine import Engine
from combray.errors import InvalidInputError
from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools, questions, result
from combray.sessions.messages import SPEAKERS
from combray.types import Memory

if TYPE_CHECKING:
    from combray.conversation.turns import Conversation

_MOST_SESSIONS = 64
"""Conversations whose search is kept ready. An older one is read again from the store."""
_SECONDS = 2.0
"""How long at most the search about earlier turns may delay an answer."""


class TurnCalls(Tools):
    """Take turns. Conversations are kept, so that what is searched for at one turn serves the next."""

    def __init__(self, engine: Engine, namespaces: Sequence[str] = (), offered: Sequence[str] = ()) -> None:
        super().__init__(engine, namespaces, offered)
        self._lock = threading.Lock()
        self._talks: OrderedDict[str, Conversation] = OrderedDict()

    def add_turn(
        self, session: str, text: str, author: str = "user", extract: str | None = None
    ) -> CallToolResult:
        """Store one turn of the conversation. Facts that the user states in it are extracted.

        Call it for each turn, in order. Text that looks like prompt injection is quarantined.
        """
        talk = self._conversation(session)
        turn, saved = self._added(talk, text, author, extract)
        said = [f"stored [{turn.id}]", *lines.held_back(turn)] + ([lines.NOTICE] if saved else [])
        said += [
            f"{each['action']} [{each['id']}] {lines.one_line(each['content'], lines.WIDTH)}" for each in saved
        ]
        asked, open_pairs = self._asked(talk)
        shown = {"id": turn.id, "action": _action(turn), "trust": turn.trust, "saved": saved}
        return result([*said, *asked], {**shown, "may_revise": open_pairs})

    def handle_turn(
        self,
        session: str,
        text: str,
        author: str = "user",
        tool_results: Sequence[str] = (),
        system: str = "",
        budget: int | None = None,
        extract: str | None = None,
    ) -> CallToolResult:
        """Store one turn, and return the context of the answer to it within a budget of tokens.

        The context holds the recent turns, tool_results, and facts and episodes found by a search about the two
        turns before. The search for the next turn starts now. Use search_memory for an explicit question.
        """
        talk = self._conversation(session)
        prefetched = talk.prefetched(_SECONDS)
        turn, saved = self._added(talk, text, author, extract)
        made = talk.context(
            budget, tool_results=tool_results, system=system, prefetched=prefetched, timeout=_SECONDS
        )
        sections = [{**asdict(each), "ids": list(each.ids)} for each in made.sections]
        structured: dict[str, Any] = {"id": turn.id, "action": _action(turn), "saved": saved}
        structured |= {"text": made.text, "sections": sections}
        asked, open_pairs = self._asked(talk)
        structured |= {"tokens": made.tokens, "budget": made.budget, "state": made.state}
        structured["may_revise"] = open_pairs
        said = [*lines.held_back(turn), lines.NOTICE, made.text, *asked]
        return result(said, {"notice": lines.NOTICE, **structured})

    def _asked(self, talk: Conversation) -> tuple[list[str], list[dict[str, Any]]]:
        """Return what a turn, and each fact that was saved of it, may change: lines, and the same as data."""
        found = {**talk.may_revise, **{each.id: each.may_revise for each in talk.saved}}
        names = self._short([*found, *(each.id for several in found.values() for each in several)])
        said = [line for new, several in found.items() for line in questions(new, several, names)]
        return said, [{"new": new, **each.as_json()} for new, several in found.items() for each in several]

    def _added(
        self, talk: Conversation, text: str, author: str, extract: str | None
    ) -> tuple[Memory, list[dict[str, str]]]:
        if not text.strip():
            raise InvalidInputError("text", "is empty.", "Give what was said.")
        turn = talk.add(text, author=author, trust=SPEAKERS[author], extract=extract)
        return turn, [
            {"id": each.id, "action": each.action, "content": self._engine.get(each.id).content}
            for each in talk.saved
        ]

    def _conversation(self, session: str) -> Conversation:
        with self._lock:
            talk = self._talks.pop(session, None) or self._engine.conversation(session)
            self._talks[session] = talk
            if len(self._talks) > _MOST_SESSIONS:
                self._talks.popitem(last=False)
        return talk


def _action(turn: Memory) -> str:
    """Return what became of a turn: stored, or "quarantined" or "untrusted" if the guard lowered its trust."""
    return turn.trust if lines.held_back(turn) else "stored"
