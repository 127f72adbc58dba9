"""Conversations of the data exports of ChatGPT and Claude: a zip with `conversations.json`, or that file.

ChatGPT: each conversation is a tree of messages, `mapping`; the branch that leads to `current_node` is the one
that the user saw last. Claude: each conversation has a list `chat_messages`. A large export of ChatGPT has its
conversations in several files, `conversations-000.json` and so on.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from combray.sessions.session import Session, SessionTurn, decoded, keyed, moment, text_of

_MEMBER = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_MARKS = re.compile("\ue200.*?\ue201|[\ue200-\ue20f]", re.DOTALL)
"""Citations and widgets in the texts of ChatGPT, between characters for private use."""
_SAID = ("text", "multimodal_text")
"""Types of content of ChatGPT that people and the assistant see; others are code, thoughts and tools."""


def read_chats(data: bytes) -> list[Session] | None:
    """Return the conversations of an export's JSON; None if it is something else."""
    value = decoded(data)
    if isinstance(value, dict):
        value = value.get("conversations", [value])
    if not isinstance(value, list) or not any(_is_chat(each) for each in value):
        return None
    found = []
    for number, each in enumerate(value, 1):
        if _is_chat(each):
            found.append(_chatgpt(each, number) if "mapping" in each else _claude(each, number))
    return found


def read_archive(file: Path | IO[bytes], most: int | None = None) -> Iterator[tuple[str, list[Session] | None]]:
    """Yield the name of each file of conversations in a zip, and its conversations.

    `most`: bytes that they may have together, unpacked. Raises zipfile.BadZipFile, OSError.
    """
    with zipfile.ZipFile(file) as archive:
        found = sorted(name for name in archive.namelist() if _MEMBER.fullmatch(name))
        # No more is unpacked than the archive says, so a small file cannot fill the memory of the process.
        if most is not None and (size := sum(archive.getinfo(name).file_size for name in found)) > most:
            raise zipfile.BadZipFile(f"its conversations have {size} bytes, more than {most}")
        for name in found:
            yield name, read_chats(archive.read(name))


def _is_chat(value: Any) -> bool:
    return isinstance(value, dict) and (
        isinstance(value.get("mapping"), dict) or isinstance(value.get("chat_messages"), list)
    )


def _chatgpt(chat: Mapping[str, Any], number: int) -> Session:
    started = moment(chat)
    messages = []
    for key, message in _branch(chat):
        text = _seen(message)
        if text:
            role = str(message["author"]["role"])
            messages.append(SessionTurn(role, text, moment(message) or started, str(message.get("id") or key)))
    name = chat.get("conversation_id") or chat.get("id") or f"chatgpt-{number}"
    return Session(str(name), "chatgpt", tuple(keyed(messages)), _title(chat.get("title")))


def _branch(chat: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The messages from the root to the current node. Without one, to the newest node without children."""
    nodes = {key: node for key, node in chat["mapping"].items() if isinstance(node, dict)}
    at: Any = chat.get("current_node")
    if not isinstance(at, str) or at not in nodes:
        leaves = [key for key, node in nodes.items() if not node.get("children")]
        at = max(leaves, key=lambda key: (_time(nodes[key]), key), default=None)
    path: list[tuple[str, Mapping[str, Any]]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        message = nodes[at].get("message")
        if isinstance(message, dict):
            path.append((at, message))
        at = nodes[at].get("parent")
    return path[::-1]


def _time(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    found = moment(message) if isinstance(message, dict) else None
    return found.timestamp() if found else 0.0


def _seen(message: Mapping[str, Any]) -> str:
    """The text of a message that a person sees; "" for any other."""
    author, content = message.get("author"), message.get("content")
    metadata = message.get("metadata")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    if not (isinstance(author, dict) and isinstance(content, dict)) or hidden:
        return ""
    if author.get("role") not in ("user", "assistant") or message.get("recipient", "all") not in ("all", None):
        return ""
    if content.get("content_type") not in _SAID or not isinstance(content.get("parts"), list):
        return ""
    # A part of a multimodal message is a text, or an object: a picture, or the transcript of what was spoken.
    parts = [part.get("text") if isinstance(part, dict) else part for part in content["parts"]]
    return _MARKS.sub("", "\n".join(part for part in parts if isinstance(part, str))).strip()


def _claude(chat: Mapping[str, Any], number: int) -> Session:
    started = moment(chat)
    messages = []
    for place, message in enumerate(chat["chat_messages"], 1):
        role = (
            {"human": "user", "assistant": "assistant"}.get(str(message.get("sender")))
            if isinstance(message, dict)
            else None
        )
        if role is None:
            continue
        text = (text_of(message.get("content")) or str(message.get("text") or "")).strip()
        if text:
            messages.append(
                SessionTurn(role, text, moment(message) or started, str(message.get("uuid") or place))
            )
    name = chat.get("uuid") or f"claude-{number}"
    return Session(str(name), "claude", tuple(keyed(messages)), _title(chat.get("name") or chat.get("title")))


def _title(value: Any) -> str:
    return value if isinstance(value, str) else ""
