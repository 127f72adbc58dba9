"""Session transcripts (JSON lines): the messages of users and assistants, with their times.

Tool calls, tool results and system lines are omitted. Every message keeps its line number, so that citations lead
back to the file.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from combray.guard.redaction import redact
from combray.sessions.session import entries, said

_SPEAKERS = {"user": "User", "assistant": "Assistant"}


class Message(NamedTuple):
    """One message: its line in the file, its text, and when it was sent if the file says so."""

    line: int
    text: str
    sent: datetime | None


def messages(text: str) -> list[Message]:
    """Return the messages "User: …" and "Assistant: …", with white space collapsed and secrets redacted.

    The formats are those of `clients.sessions`, and lines with `role` and `content`. Other lines are skipped.
    """
    found = []
    for number, entry in entries(text.encode("utf-8", "surrogatepass")):
        message = said(entry)
        if message is None:
            continue
        # Redacted before the lines are joined, because a private key has several lines.
        words = " ".join(redact(message.text).split())
        if words:
            found.append(Message(number, f"{_SPEAKERS[message.role]}: {words}", message.sent))
    return found
