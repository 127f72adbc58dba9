"""Messages of a chat, as model services take them, to turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from combray.conversation.speakers import SPEAKERS
from combray.errors import InvalidInputError, brief

_PROMPTS = ("system", "developer")
"""Roles of what a program tells the model: nobody said it."""


def turns_of(messages: Iterable[str | Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the fields of `Conversation.add_many` for each message with text.

    A message is a text of the user, or a mapping with `role` and `content`, a text or a list of parts. `name`,
    `occurred_at`, `tags`, `context` and `metadata` are kept. Raises InvalidInputError.
    """
    if isinstance(messages, (str, bytes, Mapping)):
        raise InvalidInputError("messages", f"is one {type(messages).__name__}.", "Give a list of messages.")
    for place, message in enumerate(messages, 1):
        given: Any = {"role": "user", "content": message} if isinstance(message, str) else message
        if not isinstance(given, Mapping):
            raise InvalidInputError(
                "messages", f"item {place} is {brief(message)}.", "Give texts, or mappings with role and content."
            )
        role = str(given.get("role") or "user")
        text = _text(given.get("content"))
        if role in _PROMPTS or not text.strip():
            continue
        kept = {name: given[name] for name in ("occurred_at", "tags", "context") if given.get(name) is not None}
        yield {
            "content": text,
            "author": str(given.get("name") or role),
            "trust": SPEAKERS.get(role, "untrusted"),
            "metadata": {**(given.get("metadata") or {}), "role": role},
            **kept,
        }


def _text(content: Any) -> str:
    """Return the text of a content: a text, or a list of parts of which some have one."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = [each.get("text") for each in parts if isinstance(each, Mapping)]
    return "\n".join(each for each in texts if isinstance(each, str))
