"""What people and assistants said in the session files of agent clients (JSON lines), and the id of each turn.

Claude Code writes `~/.claude/projects/*/*.jsonl`, Codex `~/.codex/sessions/**/rollout-*.jsonl`, OpenClaw
`~/.openclaw/agents/*/sessions/*.jsonl`, Cursor `~/.cursor/projects/*/agent-transcripts/**/*.jsonl`, Gemini CLI
one document `~/.gemini/tmp/*/chats/session-*.json`. Tool calls and their results, the sessions of subagents,
summaries of a compaction and texts that the client added to a message are omitted. None of the formats has a
specification; unknown lines are skipped.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import msgspec

from combray.sessions.printed import without_printed

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}
_PARTS = ("text", "input_text", "output_text", None)
_IDS = ("uuid", "id", "message_id")
_TIMES = ("timestamp", "created_at", "createdAt", "create_time", "time", "ts")
"""Names under which clients write the time of a message: ISO 8601, or Unix seconds or milliseconds."""
_MILLISECONDS = 1e11
"""From here a number is in milliseconds: as seconds it would be the year 5138."""
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
"""Marks of Claude Code: a subagent's line, a text that the client added, a summary, an error of the service."""

_ADDED = re.compile(r"^[ \t]*<([a-z]+(?:[-_ ][a-z]+)+)>", re.MULTILINE)
"""Opens a block that a client adds, such as `<environment_context>`. HTML has no such names."""
_REST_OF_LINE = re.compile(r"[ \t]*\n?")
_INJECTED = re.compile(r"<(memory-[a-z]{12}|system-reminder|environment_context|user_instructions)>")
"""Opens blocks anywhere in a message: Combray's own fence, so that no memory is captured again, and others."""
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
"""Cursor puts it around what the user wrote."""
_FILE_OF_RULES = "# AGENTS.md instructions"
"""Codex sends the project's rules as a message of the user."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OF_UUID = re.compile(rf"{_UUID.pattern}(?:[:#]\d+)*")
"""A key that follows from a UUID: a further wording of the turn, or a part of it."""
_SPACE = uuid.UUID("6f4d7c0e-2a51-5c8e-9b0a-7d3c1e5f9a24")
"""Name space of the ids of turns (RFC 9562, 5.5)."""
_NOT_SESSIONS = frozenset(("subagents", "tool-results", "workflows"))
"""Folders of Claude Code beside a session; what subagents did is not part of the conversation."""


class SessionTurn(NamedTuple):
    """One turn: `role` is user, assistant or tool, `sent` in UTC if known, `key` names it in its session.

    `copied`: a branch of a conversation says that it copied the turn; the key is that of the turn it copied.
    """

    role: str
    text: str
    sent: datetime | None
    key: str = ""
    copied: bool = False


class Session(NamedTuple):
    """The messages of one session file. `client`: whose file it is, "" if that cannot be seen."""

    id: str
    client: str
    messages: tuple[SessionTurn, ...]
    title: str = ""


def said(entry: Mapping[str, Any]) -> SessionTurn | None:
    """Return what a line of a session file, or a message of a hook, says; None if it is no message.

    The key is "" where the client gives none.
    """
    if any(entry.get(mark) is True for mark in _NOT_SAID):
        return None
    inner = entry.get("payload") if entry.get("type") == "response_item" else entry.get("message")
    message = inner if isinstance(inner, dict) else entry
    named = (message.get("role"), entry.get("role"), entry.get("type"))
    role = next(
        (_ROLES[name.lower()] for name in named if isinstance(name, str) and name.lower() in _ROLES), None
    )
    if role is None or str(message.get("role", role)).lower() not in _ROLES:
        return None
    text = words_of(text_of(message.get("content", message.get("text"))), role)
    if not text:
        return None
    origin = entry.get("forkedFrom")
    copied = str(origin.get("messageUuid") or "") if isinstance(origin, dict) else ""
    key = copied or next((str(each[name]) for each in (entry, message) for name in _IDS if each.get(name)), "")
    return SessionTurn(role, text, moment(entry) or moment(message), key, bool(copied))


def words_of(text: str, role: str) -> str:
    """Return what a person or an assistant said: a message without what clients and Combray's hooks added."""
    text = without_printed(_without_additions(text) if role == "user" else _cut_out(_INJECTED, text))
    return text.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def keyed(
    messages: Iterable[SessionTurn], taken: Callable[[str], bool] = lambda _key: False
) -> list[SessionTurn]:
    """Return the messages with a key each: that of the client, or the hash of role, time and words.

    Clients write rows again, after a compaction: a row with the UUID and the words of another is that turn. With
    other words it is a further turn, so that neither wording is lost. Other repeated keys are numbered, and so
    are the same words of one person at one time. `taken`: whether turns before these have a key; the numbers of
    words without a client's key go on behind it.
    """
    seen: Counter[str] = Counter()
    worded: dict[str, set[str]] = {}
    found = []
    for each in messages:
        key = each.key
        if not key:
            said_at = each.sent.isoformat() if each.sent else ""
            words = "\x1f".join((each.role, said_at, each.text)).encode(errors="replace")
            key = hashlib.sha256(words).hexdigest()[:32]
        if _UUID.fullmatch(key):
            if each.text in worded.setdefault(key, set()):
                continue
            worded[key].add(each.text)
        seen[key] += 1
        while not each.key and taken(f"{key}:{seen[key]}"):
            seen[key] += 1
        numbered = each.key and seen[key] == 1
        found.append(each._replace(key=key if numbered else f"{key}:{seen[key]}"))
    return found


def turn_id(client: str, session: str, key: str) -> str:
    """Return the id under which a turn is stored, whether a hook captured it or its file was read later.

    A UUID names a turn in every session: a resumed session copies turns with their UUIDs.
    """
    name = "\x1f".join((client, "" if _OF_UUID.fullmatch(key) else session, key))
    return str(uuid.uuid5(_SPACE, name.encode("utf-8", "replace").decode()))


def session_of(data: bytes, path: PurePath, written: Callable[[], float]) -> Session | None:
    """Return the session in the bytes of a file; None if they are another sort of JSON lines.

    The path only names the session and its client. `written`: Unix seconds of the file's last change.
    """
    name, client, found, known = "", "", [], False
    for entry in _objects(data):
        known = known or _is_sessions(entry)
        name = name or _session_id(entry)
        client = client or _client(entry)
        message = said(entry)
        if message is not None:
            found.append(message)
    if not known:
        return None
    if not client and "agent-transcripts" in path.parts:
        client = "cursor"
    messages = keyed(found)
    if not any(each.sent for each in messages):
        # Cursor writes no times: the file's own is the best there is. The keys are those of messages without one.
        moment_of_file = datetime.fromtimestamp(written(), UTC)
        messages = [each._replace(sent=moment_of_file) for each in messages]
    return Session(name or path.stem, client, tuple(messages))


def _objects(data: bytes) -> Iterator[Mapping[str, Any]]:
    """The objects of the lines; of a document with a list of messages, as Gemini CLI writes, itself and these."""
    if data.lstrip()[:2] in (b"{\n", b"{\r"):
        whole = decoded(data)
        if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
            yield {name: value for name, value in whole.items() if name != "messages"}
            yield from (each for each in whole["messages"] if isinstance(each, dict))
            return
    for _, entry in entries(data):
        yield entry


def entries(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of the lines with their numbers from 1; other lines are skipped."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        entry = decoded(line) if line.strip() else None
        if isinstance(entry, dict):
            yield number, entry


def decoded(data: bytes | str | None) -> Any:
    """Return the value of a JSON text, with or without byte order mark; None for any other text."""
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf") if isinstance(data, bytes) else data or "")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


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
    text = _cut_out(_INJECTED, text)
    query = _QUERY.search(text)
    if query:
        return query[1].strip()
    return "" if text.startswith(_FILE_OF_RULES) else _cut_out(_ADDED, text, lines=True)


def _cut_out(opening: re.Pattern[str], text: str, *, lines: bool = False) -> str:
    """Return the text without the blocks that a pattern opens; with `lines` also without the rest of the line.

    A pattern of whole blocks would read on to the end of the text from every opening that nothing closes.
    """
    kept, at = "", 0
    unclosed: set[str] = set()
    for found in opening.finditer(text):
        if found.start() < at or found[1] in unclosed:
            continue
        end = text.find(closing := f"</{found[1]}>", found.end())
        if end < 0:
            unclosed.add(found[1])
            continue
        kept += text[at : found.start()]
        at = end + len(closing)
        rest = _REST_OF_LINE.match(text, at) if lines else None
        at = rest.end() if rest else at
    return kept + text[at:]


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
        return "gemini-cli" if "projectHash" in entry else "claude-code"
    return "openclaw" if entry.get("type") == "session" else ""


def session_files(folder: Path) -> Iterator[Path]:
    """Yield the session files below a folder, the oldest first."""
    found = []
    # Gemini CLI writes one JSON document a session.
    for path in (*folder.rglob("*.jsonl"), *folder.rglob("chats/session-*.json")):
        inside = path.relative_to(folder).parts
        # Below the folder "projects" Cursor keeps other things beside the transcripts.
        if path.is_file() and not _NOT_SESSIONS.intersection(inside[:-1]):
            found.append((path.stat().st_mtime, path))
    for _, path in sorted(found):
        yield path
