"""Capture the turns of a session: read them, queue those that are new, and store what is queued.

Hooks get turns in a transcript that grows, in one document, or in lists of messages. What a line says is read by
`sessions.session`, as when session files are ingested.

A turn has an id that follows from its client, session and key, so it is stored once however often it is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from combray.agents.beside import Beside, Turn, TurnQueue
from combray.agents.events import Event
from combray.errors import InvalidInputError
from combray.sessions.messages import SPEAKERS
from combray.sessions.session import SessionTurn, keyed, moment, said, turn_id

if TYPE_CHECKING:
    from combray.engine import Engine

MOST_BYTES = 64_000_000
"""A transcript is read from this many bytes before its end."""
LONGEST = 20_000
"""Characters of a turn; the rest is truncated."""
LONGEST_RESULT = 2_000
"""Characters of a tool's result."""
_BATCH = 64


def from_messages(
    messages: Iterable[Mapping[str, Any]], taken: Callable[[str], bool] = lambda _key: False
) -> list[SessionTurn]:
    """Return the turns in a list of messages, also the results of tools that a hook was called for.

    `taken`: whether a turn before these has a key (`keyed`).
    """
    found = (_tool(each) or said(each) for each in messages)
    return keyed((each for each in found if each is not None), taken)


def _tool(message: Mapping[str, Any]) -> SessionTurn | None:
    if message.get("role") != "tool" or not isinstance(message.get("content"), str) or not message["content"]:
        return None
    return SessionTurn("tool", message["content"], moment(message), str(message.get("id") or ""))


def read_transcript(
    path: Path, start: int, taken: Callable[[str], bool] = lambda _key: False
) -> tuple[list[SessionTurn], int]:
    """Return the turns in whole lines from byte `start` on, and the byte to go on at. Raises OSError.

    `taken`: whether a turn before `start` has a key.
    """
    size = path.stat().st_size
    if size < start:
        # The client wrote the file anew.
        start = 0
    behind = start > 0
    start = max(start, size - MOST_BYTES)
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(size - start)
    if start == 0 and data.lstrip()[:1] in (b"{", b"[") and (whole := _document(data)) is not None:
        # One document, such as Gemini CLI writes, is written anew each time.
        return from_messages(whole), 0
    end = data.rfind(b"\n") + 1
    lines = _objects(data[:end])
    return from_messages(lines, taken) if behind else from_messages(lines), start + end


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


def queue_new(event: Event, beside: Beside) -> int:
    """Queue the turns of a session that were not queued before. Return how many. Raises OSError."""
    progress = beside.progress(event.client, event.session)
    known = set(progress.get("seen", ()))
    found, offset = _said(event, int(progress.get("offset", 0)), lambda key: _short(key) in known)
    new = [each for each in found if _short(each.key) not in known]
    now = datetime.now(UTC).isoformat()
    queue = TurnQueue(beside.queue)
    if new:
        beside.make()
        queue.append([_turn(event, beside.namespace, each, now) for each in new])
    if new or offset != progress.get("offset", 0):
        # Written after the queue: a crash in between queues turns again, under the same ids.
        seen = [*progress.get("seen", ()), *(_short(each.key) for each in new)]
        beside.put_progress(event.client, event.session, progress | {"offset": offset, "seen": seen})
    return len(new)


def _said(event: Event, offset: int, taken: Callable[[str], bool]) -> tuple[list[SessionTurn], int]:
    if event.transcript and event.verb != "tool":
        path = Path(event.transcript).expanduser()
        if path.is_file():
            return read_transcript(path, offset, taken)
    return from_messages(event.messages), offset


def _turn(event: Event, namespace: str, said: SessionTurn, now: str) -> dict[str, Any]:
    longest = LONGEST_RESULT if said.role == "tool" else LONGEST
    return {
        "id": turn_id(event.client, event.session, said.key),
        "namespace": namespace,
        "client": event.client,
        "session": event.session,
        "folder": event.folder,
        "role": said.role,
        "text": said.text if len(said.text) <= longest else f"{said.text[:longest].rstrip()} […]",
        "at": said.sent.isoformat() if said.sent else now,
    }


def _short(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()[:16]


def work_off(engine: Engine, beside: Beside) -> int:
    """Store what is queued, for every namespace. Return how many turns were new. Raises StoreError, OSError."""
    queue, stored = TurnQueue(beside.queue), 0
    with queue.working():
        while turns := queue.take():
            by_session: dict[tuple[str, str], list[Turn]] = {}
            for each in turns:
                place = (str(each.get("namespace") or engine.namespace), str(each.get("session") or ""))
                by_session.setdefault(place, []).append(each)
            for (namespace, session), some in by_session.items():
                try:
                    at = engine if namespace == engine.namespace else engine.within(namespace)
                    for start in range(0, len(some), _BATCH):
                        stored += _store(at, session, some[start : start + _BATCH], beside)
                except InvalidInputError as error:
                    # Of a namespace or session that cannot be: it must not stop what is queued behind it.
                    beside.log(f"capture: {len(some)} turns were refused: {error.field} {error.problem}")
            queue.done()
        queue.done()
    return stored


def _store(engine: Engine, session: str, turns: Sequence[Turn], beside: Beside) -> int:
    """Store the turns that the store does not have. One that is refused is logged and skipped."""
    known = set(engine.store.known([str(each["id"]) for each in turns]))
    new = list({str(each["id"]): each for each in turns if each["id"] not in known}.values())
    if not new:
        return 0
    talk = engine.conversation(session or "hooks")
    stored = talk.add_many(map(_item, new))
    for reason in talk.refused.values():
        # The rest of the reason may quote the turn.
        beside.log(f"capture: a turn was refused: {reason.partition(':')[0]}")
    return len(stored)


def _item(turn: Turn) -> dict[str, Any]:
    role = str(turn.get("role") or "user")
    about = {"client": turn.get("client"), "role": role, "folder": turn.get("folder")}
    return {
        "id": turn["id"],
        "content": str(turn.get("text") or ""),
        "author": role,
        "source": "hook",
        "trust": SPEAKERS.get(role, "untrusted"),
        "occurred_at": _moment(turn.get("at")),
        "metadata": {name: value for name, value in about.items() if value},
    }


def _moment(at: Any) -> str | None:
    """Return a time that can be stored; None, which means now, for any other."""
    try:
        return datetime.fromisoformat(at).isoformat()
    except (TypeError, ValueError):
        return None
