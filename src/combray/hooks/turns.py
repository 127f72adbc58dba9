"""Turns of a conversation as clients write them down: transcripts in JSON lines or JSON, and lists of messages.

Only what a person or the model said is read. Tool calls and their results, meta lines, summaries of a compaction
and side chains are skipped, and so is the text that hooks added, so that no memory is captured again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}
_PARTS = ("text", "input_text", "output_text", None)
_SKIPPED = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
_IDS = ("uuid", "id", "message_id")
_TIMES = ("timestamp", "created_at", "createdAt", "time")
_ADDED = re.compile(
    r"<memory-([a-z]{12})>.*?</memory-\1>|<(system-reminder|environment_context|user_instructions)>.*?</\2>",
    re.DOTALL,
)
"""Text that a hook or the client itself added to a message."""
_COMMAND = re.compile(r"\s*<(command-(name|message|args)|local-command-[a-z]+|user-prompt-submit-hook)>")
_QUERY = re.compile(r"</?user_query>")
MOST_BYTES = 64_000_000
"""A transcript is read from this many bytes before its end."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: who ("user", "assistant" or "tool"), what, when ("" if unknown), and what identifies it."""

    key: str
    role: str
    text: str
    at: str = ""

    @property
    def everywhere(self) -> bool:
        """Whether the key names the turn in every session: a resumed session copies turns with their UUIDs."""
        return bool(_UUID.fullmatch(self.key))


def from_messages(messages: Iterable[Mapping[str, Any]]) -> list[Said]:
    """Return the turns in a list of messages."""
    found = []
    seen: Counter[str] = Counter()
    for each in messages:
        said = _said(each)
        if said is None:
            continue
        if not said.key:
            # The same words of one person at one time are told apart by their place among themselves.
            same = hashlib.sha256(
                "\x1f".join((said.role, said.at, said.text)).encode(errors="replace")
            ).hexdigest()
            seen[same] += 1
            said = Said(f"{same[:32]}:{seen[same]}", said.role, said.text, said.at)
        found.append(said)
    return found


def read_transcript(path: Path, start: int) -> tuple[list[Said], int]:
    """Return the turns in whole lines from byte `start` on, and the byte to go on at. Raises OSError."""
    size = path.stat().st_size
    if size < start:
        # The client wrote the file anew.
        start = 0
    start = max(start, size - MOST_BYTES)
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(size - start)
    if start == 0 and data.lstrip()[:1] in (b"{", b"[") and (whole := _document(data)) is not None:
        # One document, such as Gemini CLI writes, is written anew each time.
        return from_messages(whole), 0
    end = data.rfind(b"\n") + 1
    return from_messages(_objects(data[:end])), start + end


def _document(data: bytes) -> list[Mapping[str, Any]] | None:
    """Return the messages of a JSON document; None for JSON lines."""
    first = data.split(b"\n", 1)[0]
    if first.strip().endswith(b"}") and data.count(b"\n") > 0 and _loaded(first) is not None:
        return None
    whole = _loaded(data)
    listed = whole.get("messages", [whole]) if isinstance(whole, dict) else whole
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else None


def _objects(data: bytes) -> Iterator[Mapping[str, Any]]:
    for line in data.split(b"\n"):
        entry = _loaded(line) if line.strip() else None
        if isinstance(entry, dict):
            yield entry


def _loaded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _said(entry: Mapping[str, Any]) -> Said | None:
    if any(entry.get(name) for name in _SKIPPED):
        return None
    # Claude Code and Cursor nest under `message`, Codex under `payload`.
    inner: Mapping[str, Any] = next(
        (entry[name] for name in ("message", "payload") if isinstance(entry.get(name), dict)), entry
    )
    if inner is entry.get("payload") and inner.get("type") != "message":
        return None
    named = str(inner.get("role") or entry.get("role") or entry.get("type") or "").lower()
    role = "tool" if named == "tool" and "content" in entry else _ROLES.get(named, "")
    text = _plain(inner.get("content", inner.get("text"))) if role else ""
    if not text:
        return None
    key = next((str(entry[name]) for name in _IDS if entry.get(name)), "")
    at = next((_time(each[name]) for each in (entry, inner) for name in _TIMES if each.get(name)), "")
    return Said(key, role, text, at)


def _plain(content: Any) -> str:
    """Return what was said, without what was added to it; "" for a message without words."""
    if isinstance(content, list):
        parts = [each for each in content if isinstance(each, dict) and each.get("type") in _PARTS]
        content = "\n".join(str(each["text"]) for each in parts if isinstance(each.get("text"), str))
    if not isinstance(content, str) or _COMMAND.match(content):
        return ""
    text = _QUERY.sub("", _ADDED.sub("", content)).replace("\x00", "")
    return text.encode("utf-8", "replace").decode().strip()


def _time(value: Any) -> str:
    """Return a time as ISO 8601; "" if it is none. Numbers are Unix seconds or milliseconds."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(value / 1000 if value >= 1e11 else value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
