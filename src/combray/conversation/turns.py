"""A conversation's turns as episodes: what was said, by whom, when, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from combray.conversation.auto_memory import save_what_is_worth_it
from combray.conversation.stream import Stream, streamed
from combray.errors import InvalidInputError
from combray.language.token_count import TokenCounter, estimate
from combray.prompt.budget import MOST_TURNS, Context, Piece, assemble
from combray.prompt.context import budget_of, pieces, result_pieces, results, turn_piece, with_repeats
from combray.runtime import Filter
from combray.types import Answer, Memory, Remembered
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
        self.saved: tuple[Remembered, ...] = ()
        self._auto = bool(engine.settings.get("auto_memory", False))
        self._stream = Stream(engine)

    def add(
        self,
        text: str,
        *,
        author: str | None = None,
        occurred_at: datetime | str | None = None,
        context: str = "",
        metadata: Mapping[str, Any] | None = None,
        trust: str | None = None,
        auto: bool | None = None,
    ) -> Memory:
        """Store one turn behind the last; `context` is what belongs to it unsaid, such as a picture's caption.

        `trust`: whose word it is, "owner" (None), "agent" or "untrusted" (what a tool or a web page gave).
        `auto` (None: the setting `auto_memory`) also keeps, as facts, what a user says that is worth it: names,
        preferences, decisions, and what is asked to be remembered; what became of those is in `saved` until the
        next turn.
        """
        turn = {
            "content": text,
            "author": author,
            "occurred_at": occurred_at,
            "context": context,
            "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
        }
        if trust is not None:
            turn["trust"] = trust
        added = self.add_many([turn])[0]
        # What may not be shown must not choose what is shown either.
        if added.trust in self.engine.trusts:
            self._stream.see([added])
        self.saved = ()
        if self._auto if auto is None else auto:
            self.saved = save_what_is_worth_it(self.engine, added)
        return added

    def add_many(self, turns: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Store turns in order, in batches; a turn's fields are those of `add`, its text `content` or `text`."""
        items = [{**_fields(turn), "kind": "episode", "session": self.session} for turn in turns]
        written = self.engine.remember_many(items, diff=False)
        reader = self.engine.reader
        keys = reader.keys_of([each.id for each in written])
        return reader.memories(keys[each.id] for each in written)

    def context(
        self,
        budget: int | None = None,
        *,
        counter: TokenCounter | None = None,
        tool_results: Answer | Iterable[Any] = (),
        system: str = "",
    ) -> Context:
        """What belongs in the prompt for the next answer, in at most `budget` tokens (None: `context_budget`).

        The recent turns; `tool_results` (an answer of recall, memories, or texts); facts and episodes prepared in
        the background from earlier turns; `system` text in what room is left. Searches nothing itself: the first
        call starts the preparing, and `Context.state` says how fresh the memories are ("ready", "preparing",
        "stale by one turn", …). Raises InvalidInputError.
        """
        recent = self._recent()
        self._stream.see(recent, start=True)
        counter = counter or estimate
        found = results(tool_results)
        shown = [each for each in found if isinstance(each, Memory)]
        facts, episodes, repeated = streamed(self._stream, recent, shown)
        self.engine.note_read("conversation", [each.id for each in (*recent, *facts, *episodes)])
        made = assemble(
            {
                "recent": [turn_piece(turn) for turn in recent],
                "tools": result_pieces(found),
                "facts": pieces(facts),
                "episodes": pieces(episodes),
                "system": [Piece("system", system)],
            },
            budget=budget_of(self.engine, budget),
            counter=counter,
            state=self._stream.state,
        )
        return with_repeats(made, repeated, counter)

    def settle(self, timeout: float = 10.0) -> bool:
        """Wait until the memories for the next turn are prepared; False when that took longer (seconds)."""
        self._stream.see(self._recent(), start=True)
        return self.engine.background.settle(timeout)

    @property
    def _mine(self) -> Filter:
        return Filter(sessions=(self.session,), kinds=("episode",), trusts=self.engine.trusts)

    def _recent(self) -> list[Memory]:
        reader = self.engine.reader
        mine = replace(self._mine, now=self.engine.clock())
        latest = reader.memories(reader.scan(mine, newest_first=True, limit=MOST_TURNS))
        return sorted(latest, key=lambda each: (each.position or 0, each.id))

    def turns(self) -> list[Memory]:
        """Every turn, in order."""
        reader = self.engine.reader
        memories = reader.memories(reader.scan(self._mine))
        self.engine.note_read("conversation", [each.id for each in memories])
        return sorted(memories, key=lambda each: (each.position or 0, each.id))


def _fields(turn: Any) -> Mapping[str, Any]:
    if not isinstance(turn, Mapping):
        raise InvalidInputError(
            "turn", f"must be a mapping of fields, not {type(turn).__name__}.", "Give content and author."
        )
    return turn
