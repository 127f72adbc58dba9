"""A conversation's turns as episodes: what was said, by whom, when, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from combray.errors import InvalidInputError
from combray.runtime import Filter
from combray.types import Memory
from combray.values import clean_text

if TYPE_CHECKING:
    from combray.engine import Engine


class Conversation:
    """One session. Turns are kept as they are: never merged, never taken for duplicates of one another."""

    def __init__(self, engine: Engine, session: str) -> None:
        self.engine = engine
        self.session = clean_text("session", session, 200).strip()
        if not self.session:
            raise InvalidInputError("session", f"{session!r} is empty.", "Give a name of 1 to 200 characters.")

    def add(
        self,
        text: str,
        *,
        author: str | None = None,
        occurred_at: datetime | str | None = None,
        context: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Store one turn behind the last; `context` is what belongs to it unsaid, such as a picture's caption."""
        turn = {
            "content": text,
            "author": author,
            "occurred_at": occurred_at,
            "context": context,
            "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
        }
        return self.add_many([turn])[0]

    def add_many(self, turns: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Store turns in order, in batches; a turn's fields are those of `add`, its text `content` or `text`."""
        items = [{**_fields(turn), "kind": "episode", "session": self.session} for turn in turns]
        written = self.engine.remember_many(items, diff=False)
        reader = self.engine.reader
        keys = reader.keys_of([each.id for each in written])
        return reader.memories(keys[each.id] for each in written)

    def turns(self) -> list[Memory]:
        """Every turn, in order."""
        reader = self.engine.reader
        memories = reader.memories(reader.scan(Filter(sessions=(self.session,), kinds=("episode",))))
        return sorted(memories, key=lambda each: (each.position or 0, each.id))


def _fields(turn: Any) -> Mapping[str, Any]:
    if not isinstance(turn, Mapping):
        raise InvalidInputError(
            "turn", f"must be a mapping of fields, not {type(turn).__name__}.", "Give content and author."
        )
    return turn
