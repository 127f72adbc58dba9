"""Turns of a conversation as hooks get them: a transcript that grows, one document, and lists of messages.

What a line says is read by `clients.sessions`, as when session files are ingested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from combray.sessions.session import SessionTurn, keyed, moment, said

MOST_BYTES = 64_000_000
"""A transcript is read from this many bytes before its end."""


def from_messages(messages: Iterable[Mapping[str, Any]]) -> list[SessionTurn]:
    """Return the turns in a list of messages, also the results of tools that a hook was called for."""
    found = (_tool(each) or said(each) for each in messages)
    return keyed(each for each in found if each is not None)


def _tool(message: Mapping[str, Any]) -> SessionTurn | None:
    if message.get("role") != "tool" or not isinstance(message.get("content"), str) or not message["content"]:
        return None
    return SessionTurn("tool", message["content"], moment(message), str(message.get("id") or ""))


def read_transcript(path: Path, start: int) -> tuple[list[SessionTurn], int]:
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
