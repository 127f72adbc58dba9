"""Who speaks in a conversation, and how far each is trusted."""

from __future__ import annotations

from collections.abc import Mapping

from combray.types import Trust

USER = "User"
"""The name of a speaker without one, in facts."""
_USER_NAMES = frozenset(("", "user", "human", "me", "owner", "customer", "用户"))
SPEAKERS: Mapping[str, Trust] = {"user": "owner", "assistant": "agent", "tool": "untrusted"}
"""Role -> trust of what it says. What an assistant said is no evidence for itself."""


def speaker(author: str | None) -> str:
    """Return the name that replaces "I"; "User" for an author without name or with the role of a user."""
    name = " ".join((author or "").split())
    return USER if name.casefold() in _USER_NAMES else name
