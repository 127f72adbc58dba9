"""The SQLite databases in which Cursor and opencode keep their conversations; opened read-only.

Neither format has a specification. Sources: the page on the Cursor desktop app of
https://github.com/skillsynchq/txcript, and `packages/opencode/src/session/session.sql.ts` of
https://github.com/anomalyco/opencode.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from combray.sessions.session import Session, SessionTurn, decoded, keyed, moment, said, words_of

_SIGNATURE = b"SQLite format 3\x00"
_ROLES = {1: "user", 2: "assistant"}
"""Types of Cursor's messages."""


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(_SIGNATURE)) == _SIGNATURE


def read_database(path: Path) -> list[Session] | None:
    """Return the conversations of a client's database; None if it is another one's.

    Raises OSError if it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for needed, conversations in _CLIENTS:
                if tables >= needed:
                    return list(conversations(database))
    except sqlite3.Error as error:
        raise OSError(None, f"cannot be read as SQLite: {error}", str(path)) from error
    return None


def _documents(rows: sqlite3.Cursor) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and document of each row that has a JSON object."""
    for name, data in rows.fetchall():
        found = decoded(data) if isinstance(data, (bytes, str)) else None
        if isinstance(found, dict):
            yield str(name), found


# -- the Cursor desktop app, `globalStorage/state.vscdb` ------------------------------------------


def _of_cursor(database: sqlite3.Connection) -> Iterator[Session]:
    """Yield the conversations of Cursor.

    A table of keys and values holds a document `composerData:ID` for each conversation and a document
    `bubbleId:ID:BUBBLE` for each message.
    """
    for key, chat in _keyed_documents(database, "composerData:"):
        name = key.partition(":")[2]
        named = _keyed_documents(database, f"bubbleId:{name}:")
        bubbles = {each.split(":", 2)[2]: bubble for each, bubble in named}
        messages, times = [], []
        for bubble in _in_order(chat, bubbles):
            kind, text = bubble.get("type"), bubble.get("text")
            role = _ROLES.get(kind) if isinstance(kind, int) else None
            words = words_of(text, role or "") if isinstance(text, str) else ""
            if role is not None and words:
                # Without id and time, as in Cursor's transcripts: the key is that of a turn that a hook captured.
                messages.append(SessionTurn(role, words, None))
                times.append(moment(bubble) or moment(chat))
        dated = (each._replace(sent=sent) for each, sent in zip(keyed(messages), times, strict=True))
        title = chat.get("name")
        yield Session(name, "cursor", tuple(dated), title if isinstance(title, str) else "")


def _in_order(chat: Mapping[str, Any], bubbles: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages in the order of the conversation; older versions keep them in its document."""
    inside = chat.get("conversation")
    if isinstance(inside, list) and inside:
        return [each for each in inside if isinstance(each, dict)]
    listed = chat.get("fullConversationHeadersOnly")
    heads = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    order = [str(each.get("bubbleId")) for each in heads]
    return [bubbles[each] for each in order if each in bubbles] or list(bubbles.values())


def _keyed_documents(database: sqlite3.Connection, prefix: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The documents whose key begins with a prefix that ends with a colon, in the order they were written."""
    last = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    query = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"
    return _documents(database.execute(query, (prefix, last)))


# -- opencode, `~/.local/share/opencode/opencode.db` ----------------------------------------------


def _of_opencode(database: sqlite3.Connection) -> Iterator[Session]:
    """Yield the conversations of people, not those of subagents, the oldest first.

    A row of `session` has a title and, for a subagent, a parent; a row of `message` a document with role and
    time; a row of `part` a document with a piece of a message.
    """
    sessions = "SELECT id, title FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
    for name, title in database.execute(sessions).fetchall():
        texts: dict[str, list[str]] = defaultdict(list)
        for message, part in _of_session(database, "message_id", "part", name):
            if part.get("type") == "text" and not part.get("synthetic") and isinstance(part.get("text"), str):
                texts[message].append(part["text"])
        messages = []
        for message, document in _of_session(database, "id", "message", name):
            if document.get("summary") is True:
                continue
            when = document.get("time")
            # In the form of the plugin that `combray setup` writes, so that the key of the turn is the same.
            entry = {
                "role": document.get("role"),
                "content": "\n".join(texts[message]),
                "timestamp": when.get("created") if isinstance(when, dict) else None,
            }
            found = said(entry)
            if found is not None:
                messages.append(found)
        yield Session(str(name), "opencode", tuple(keyed(messages)), title if isinstance(title, str) else "")


def _of_session(
    database: sqlite3.Connection, key: str, table: str, session: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    query = f"SELECT {key}, data FROM {table} WHERE session_id = ? ORDER BY time_created, id"
    return _documents(database.execute(query, (session,)))


_CLIENTS: tuple[tuple[set[str], Callable[[sqlite3.Connection], Iterator[Session]]], ...] = (
    ({"cursorDiskKV"}, _of_cursor),
    ({"session", "message", "part"}, _of_opencode),
)
"""The tables by which a client's database is recognised, and what reads it."""
