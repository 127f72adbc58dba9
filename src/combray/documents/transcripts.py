"""Session transcripts (JSON lines): the messages of users and assistants, with their times.

Tool calls, tool results and system lines are omitted. Every message keeps its line number, so that citations lead
back to the file.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from combray.guard.redaction import redact

_SPEAKERS = {"user": "User", "human": "User", "assistant": "Assistant"}


_TIMES = ("timestamp", "created_at", "createdAt", "time", "ts")
"""Names under which session logs write the time of a message: ISO 8601, or Unix seconds or milliseconds."""
_MILLISECONDS = 1e11
"""From here a number is in milliseconds: as seconds it would be the year 5138."""


class Message(NamedTuple):
    """One message: its line in the file, its text, and when it was sent if the file says so."""

    line: int
    text: str
    sent: datetime | None


def messages(text: str) -> list[Message]:
    """Return the messages "User: …" and "Assistant: …", with white space collapsed and secrets redacted.

    A message is an object with `role` and `content`, at the top level or as `message`. Other lines are skipped.
    """
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        entry = _object(line)
        inner = entry.get("message")
        message = inner if isinstance(inner, dict) else entry
        said = _said(message)
        if said is not None:
            found.append(Message(number, said, _sent(entry) or _sent(message)))
    return found


def _object(line: str) -> dict[str, Any]:
    try:
        entry = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _said(message: dict[str, Any]) -> str | None:
    speaker = _SPEAKERS.get(str(message.get("role", "")).lower())
    # Redacted before the lines are joined, because a private key has several lines.
    words = " ".join(redact(_text(message.get("content"))).split())
    return f"{speaker}: {words}" if speaker and words else None


def _sent(entry: dict[str, Any]) -> datetime | None:
    """Return the time of an entry in UTC; None without a readable one."""
    for name in _TIMES:
        value = entry.get(name)
        try:
            if isinstance(value, str):
                moment = datetime.fromisoformat(value)
                return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS else value, UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _text(content: Any) -> str:
    """Return a message's text: the content itself, or its parts of type "text"."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [each.get("text") for each in content if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str))
