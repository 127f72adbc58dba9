"""What changes in a namespace, as server-sent events.

The source is the operation log of the store, which is written in the transaction of each change and numbered.
Its number is the id of the event, so a client that names the last one it has seen misses nothing, also after a
restart of the server, and sees what other processes write.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import anyio
import msgspec

from combray.engine import Engine

PAUSE = 0.5
"""Seconds between two looks at the revision of a namespace."""
ALIVE = 15.0
"""Seconds after which a comment shows that the connection lives."""
PAGE = 128
"""Lines of the log that are read at once: a client may ask for all, and a log has any length."""

Run = Callable[[Callable[[], Any]], Any]


def latest(engine: Engine) -> int:
    """Return the number of the last operation."""
    found = engine.reader.log(1)
    return int(found[0]["number"]) if found else 0


def as_event(line: dict[str, Any]) -> bytes:
    """Return a line of the log as an event. It names what was done and the memory's id, and holds no text."""
    data = msgspec.json.encode(line).decode()
    return f"id: {line['number']}\nevent: {line['operation']}\ndata: {data}\n\n".encode()


async def events(engine: Engine, last: int, in_thread: Run, stopping: Callable[[], bool]) -> AsyncIterator[bytes]:
    """Yield what happens after an operation until the server stops. The caller ends it when the client leaves."""
    yield b"retry: 2000\n: open\n\n"
    seen, quiet = -1, 0.0
    while not stopping():
        revision = await in_thread(engine.reader.revision)
        if revision != seen:
            page = await in_thread(partial(engine.reader.log, PAGE, after=last))
            for line in page:
                last, quiet = int(line["number"]), 0.0
                yield as_event(line)
            if len(page) == PAGE:
                continue
            seen = revision
        if quiet >= ALIVE:
            quiet = 0.0
            yield b": alive\n\n"
        await anyio.sleep(PAUSE)
        quiet += PAUSE
