"""Session transcripts (JSON lines) as text: one line per message of users and assistants.

Tool calls, tool results and system lines are omitted. Every message keeps its line number, so that citations lead
back to the file.
"""

from __future__ import annotations

from typing import Any

import msgspec

from combray.documents.chunks import NumberedLine
from combray.guard.redaction import redact

_SPEAKERS = {"user": "User", "human": "User", "assistant": "Assistant"}


def transcript_lines(text: str) -> list[NumberedLine]:
    """Return numbered lines "User: …" and "Assistant: …", with white space collapsed and secrets redacted.

    A message is an object with `role` and `content`, at the top level or as `message`. Other lines are skipped.
    """
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = _said(line)
        if said is not None:
            found.append((number, said))
    return found


def _said(line: str) -> str | None:
    try:
        entry = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    inner = entry.get("message")
    message = inner if isinstance(inner, dict) else entry
    speaker = _SPEAKERS.get(str(message.get("role", "")).lower())
    # Redacted before the lines are joined, because a private key has several lines.
    words = " ".join(redact(_text(message.get("content"))).split())
    return f"{speaker}: {words}" if speaker and words else None


def _text(content: Any) -> str:
    """Return a message's text: the content itself, or its parts of type "text"."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [each.get("text") for each in content if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str))
