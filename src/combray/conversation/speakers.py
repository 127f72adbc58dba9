"""Who speaks in a conversation, and how far each is trusted."""

from __future__ import annotations

USER = "User"
"""The name of a speaker without one, in facts."""
_USER_NAMES = frozenset(("", "user", "human", "me", "owner", "customer", "用户"))


def speaker(author: str | None) -> str:
    """Return the name that replaces "I"; "User" for an author without name or with the role of a user."""
    name = " ".join((author or "").split())
    return USER if name.casefold() in _USER_NAMES else name
