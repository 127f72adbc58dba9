"""What people and assistants said in the session files of agent clients (JSON lines).

Claude Code writes `~/.claude/projects/*/*.jsonl`, Codex `~/.codex/sessions/**/rollout-*.jsonl`, OpenClaw
`~/.openclaw/agents/*/sessions/*.jsonl`, Cursor `~/.cursor/projects/*/agent-transcripts/**/*.jsonl`. Tool calls
and their results, the sessions of subagents, summaries of a compaction and texts that the client added to a
message are omitted. None of the formats has a specification; unknown lines are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}
_PARTS = ("text", "input_text", "output_text")
_TIMES = ("timestamp", "created_at", "createdAt", "create_time", "time", "ts")
"""Names under which clients write the time of a message: ISO 8601, or Unix seconds or milliseconds."""
_MILLISECONDS = 1e11
"""From here a number is in milliseconds: as seconds it would be the year 5138."""
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage")
"""Marks of Claude Code: a subagent's line, a text that the client added, a summary, an error of the service."""

_ADDED = re.compile(r"^[ \t]*<([a-z]+(?:[-_ ][a-z]+)+)>.*?</\1>[ \t]*\n?", re.MULTILINE | re.DOTALL)
"""A block that a client adds, such as `<environment_context>` or `<system-reminder>`. HTML has no such names."""
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
"""Cursor puts it around what the user wrote."""
_FILE_OF_RULES = "# AGENTS.md instructions"
"""Codex sends the project's rules as a message of the user."""


class Said(NamedTuple):
    """One message: `role` is user or assistant, `sent` in UTC if the file says it, `id` within the session."""

    role: str
    text: str
    sent: datetime | None
    id: str


class Session(NamedTuple):
    """The messages of one session file. `client`: whose file it is, "" if that cannot be seen."""

    id: str
    client: str
    messages: tuple[Said, ...]
    title: str = ""


def said(entry: Mapping[str, Any], number: int) -> Said | None:
    """Return what a line of a session file says; None if it is no message. `number`: of the line, from 1."""
    if any(entry.get(mark) is True for mark in _NOT_SAID):
        return None
    inner = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    message = inner if isinstance(inner, dict) else entry
    role = _ROLES.get(str(message.get("role") or entry.get("role") or "").lower())
    if role is None:
        return None
    text = text_of(message.get("content"))
    if role == "user":
        text = _without_additions(text)
    if not text.strip():
        return None
    identifier = entry.get("uuid") or entry.get("id") or message.get("id")
    shown = identifier if isinstance(identifier, str) and identifier else f"line-{number}"
    return Said(role, text.strip(), moment(entry) or moment(message), shown)


def read_session(path: Path) -> Session | None:
    """Read a session file. Return None if it is another sort of JSON lines. Raises OSError."""
    name, client, messages, known = "", "", [], False
    for number, entry in entries(path.read_bytes()):
        known = known or _is_sessions(entry)
        name = name or _session_id(entry)
        client = client or _client(entry)
        message = said(entry, number)
        if message is not None:
            messages.append(message)
    if not known:
        return None
    if not client and "agent-transcripts" in path.parts:
        client = "cursor"
    if messages and not any(each.sent for each in messages):
        # Cursor writes no times: the file's own is the best there is.
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        messages = [each._replace(sent=written) for each in messages]
    return Session(name or path.stem, client, tuple(messages))


def entries(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of the lines with their numbers from 1; other lines are skipped."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield number, entry


def text_of(content: Any) -> str:
    """Return a message's text: the content itself, or its parts of text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [each.get("text") for each in content if isinstance(each, dict) and each.get("type") in _PARTS]
    return "\n".join(part for part in parts if isinstance(part, str))


def moment(entry: Mapping[str, Any]) -> datetime | None:
    """Return the time of an entry in UTC; None without a readable one."""
    for name in _TIMES:
        value = entry.get(name)
        try:
            if isinstance(value, str):
                found = datetime.fromisoformat(value)
                return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS else value, UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _without_additions(text: str) -> str:
    query = _QUERY.search(text)
    if query:
        return query[1]
    return "" if text.startswith(_FILE_OF_RULES) else _ADDED.sub("", text)


def _is_sessions(entry: Mapping[str, Any]) -> bool:
    message = entry.get("message")
    return (
        entry.get("type") in ("session_meta", "response_item", "session")
        or "sessionId" in entry
        or (isinstance(message, dict) and "content" in message)
    )


def _session_id(entry: Mapping[str, Any]) -> str:
    payload = entry.get("payload")
    if entry.get("type") == "session_meta" and isinstance(payload, dict):
        found = payload.get("id")
    else:
        found = entry.get("id") if entry.get("type") == "session" else entry.get("sessionId")
    return found if isinstance(found, str) else ""


def _client(entry: Mapping[str, Any]) -> str:
    if entry.get("type") in ("session_meta", "response_item"):
        return "codex"
    if "sessionId" in entry:
        return "claude-code"
    return "openclaw" if entry.get("type") == "session" else ""
