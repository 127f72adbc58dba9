"""Conversations in the database of the Cursor desktop app, `globalStorage/state.vscdb` (SQLite, read only).

A table of keys and values holds a document `composerData:ID` for each conversation and a document
`bubbleId:ID:BUBBLE` for each message, `type` 1 from the user and 2 from the assistant. The format has no
specification. Source: the page on the Cursor desktop app of https://github.com/skillsynchq/txcript.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from combray.sessions.session import Session, SessionTurn, decoded, keyed, moment, words_of

_ROLES = {1: "user", 2: "assistant"}
TABLES = frozenset(("cursorDiskKV",))
"""The tables by which the database is recognised."""


def conversations(database: sqlite3.Connection) -> Iterator[Session]:
    """Yield the conversations of a database. Raises sqlite3.Error."""
    for key, chat in _documents(database, "composerData:"):
        name = key.partition(":")[2]
        bubbles = {each.partition(":")[2]: bubble for each, bubble in _documents(database, f"bubbleId:{name}:")}
        bubbles = {each.partition(":")[2]: bubble for each, bubble in bubbles.items()}
        messages, times = [], []
        for bubble in _in_order(chat, bubbles):
            role, text = _ROLES.get(bubble.get("type", 0)), bubble.get("text")
            words = words_of(text, role or "") if isinstance(text, str) else ""
            if role is not None and words:
                # Without id and time, as in Cursor's transcripts: the key is that of a turn that a hook captured.
                messages.append(SessionTurn(role, words, None))
                times.append(moment(bubble) or moment(chat))
        said = (each._replace(sent=sent) for each, sent in zip(keyed(messages), times, strict=True))
        title = chat.get("name")
        yield Session(name, "cursor", tuple(said), title if isinstance(title, str) else "")


def _in_order(chat: Mapping[str, Any], bubbles: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages in the order of the conversation; older versions keep them in its document."""
    inside = chat.get("conversation")
    if isinstance(inside, list) and inside:
        return [each for each in inside if isinstance(each, dict)]
    listed = chat.get("fullConversationHeadersOnly")
    heads = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    order = [str(each.get("bubbleId")) for each in heads]
    return [bubbles[each] for each in order if each in bubbles] or list(bubbles.values())


def _documents(database: sqlite3.Connection, prefix: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The documents whose key begins with a prefix that ends with a colon, in the order they were written."""
    last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    query = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"
    for key, value in database.execute(query, (prefix, last)).fetchall():
        found = decoded(value)
        if isinstance(found, dict):
            yield str(key), found
