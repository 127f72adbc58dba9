"""Messages of a chat, as model services take them, to turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from combray.errors import InvalidInputError, brief
from combray.types import Trust

SPEAKERS: Mapping[str, Trust] = {"user": "owner", "assistant": "agent", "tool": "untrusted"}
"""Role -> trust of what it says. What an assistant said is no evidence for itself."""
PROMPTS = ("system", "developer")
"""Roles of what a program tells the model: nobody said it."""
_KEPT = frozenset(
    (
        "author", "category", "confidence", "context", "entities", "evidence", "expires_at", "importance",
        "keep_both", "kind", "occurred_at", "occurred_to", "position", "recorded_at", "session", "slot", "source",
        "supersedes", "tags", "tier", "trust", "valid_from", "valid_to",
    )
)  # fmt: skip
"""Fields of a memory that a message may have beside role and content. Those of a protocol are dropped."""


def says_nothing(item: Any) -> bool:
    """Return whether an item is a message of a chat that nobody said: a prompt, or one without text."""
    if not isinstance(item, Mapping) or "role" not in item:
        return False
    content = item.get("content")
    parts = content is None or isinstance(content, (str, list, tuple))
    return item["role"] in PROMPTS or (parts and not text_of(content).strip())


def item_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat message as an item of `remember_many`: the role or name is the author.

    The content may be a list of parts, of which those with text are kept. An id becomes `metadata.id`.
    Raises InvalidInputError for a role that is not a text, and for a prompt: nobody said it.
    """
    role = message.get("role") or "user"
    if not isinstance(role, str):
        raise InvalidInputError("role", f"must be a text, got {brief(role)}.", 'Write "user" or "assistant".')
    if role in PROMPTS:
        raise InvalidInputError("role", f"{role!r} is a prompt, which nobody said.", "Leave the message out.")
    metadata = message.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise InvalidInputError("metadata", f"must be a mapping, got {brief(metadata)}.")
    named = {"id": message["id"]} if message.get("id") is not None else {}
    kept = {name: value for name, value in message.items() if name in _KEPT and value is not None}
    return {
        "content": text_of(message.get("content")),
        "author": str(message.get("name") or role),
        "trust": SPEAKERS.get(role, "untrusted"),
        "metadata": {**named, **metadata, "role": role},
        **kept,
    }


def read_item(item: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an item of `remember_many` as `Validate` takes it, which refuses a message that cannot be read."""
    if isinstance(item, str):
        return {"content": item}
    if isinstance(item, Mapping) and "role" in item:
        with suppress(InvalidInputError):
            return item_of(item)
    return item


def turns_of(messages: Iterable[str | Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the fields of `Conversation.add_many` for each message with text.

    A message is a text of the user, or a mapping with `role` and `content` (`item_of`). Prompts and messages
    without text are skipped. Raises InvalidInputError.
    """
    if isinstance(messages, (str, bytes, Mapping)):
        raise InvalidInputError("messages", f"is one {type(messages).__name__}.", "Give a list of messages.")
    for place, message in enumerate(messages, 1):
        given: Any = {"role": "user", "content": message} if isinstance(message, str) else message
        if not isinstance(given, Mapping):
            raise InvalidInputError(
                "messages", f"item {place} is {brief(message)}.", "Give texts, or mappings with role and content."
            )
        message = {"role": "user", **given}
        if not says_nothing(message):
            yield item_of(message)


def text_of(content: Any) -> str:
    """Return the text of a content: a text, or a list of parts of which some have one."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = [each.get("text") for each in parts if isinstance(each, Mapping)]
    return "\n".join(each for each in texts if isinstance(each, str))
