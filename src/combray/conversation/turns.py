"""A conversation: its turns stored as episodes, and the context for the next turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from combray.audit.audited import record_read
from combray.conversation.auto_memory import extract_from, mode_of
from combray.conversation.stream import Prefetched, Stream, streamed
from combray.errors import InvalidInputError
from combray.language.model_tokens import TokenCounter, estimate
from combray.prompt.budget import MOST_TURNS, Context, Piece, assemble
from combray.prompt.context import budget_of, notes_on, pieces, result_pieces, results, turn_piece, with_repeats
from combray.runtime import Filter, Memories
from combray.runtime.background import Background
from combray.sessions.messages import says_nothing
from combray.types import Answer, Candidate, Labels, Memory, MemoryItem, Remembered
from combray.values import MAX_LABEL, clean_text


class Conversation:
    """One session. Turns are stored verbatim and never deduplicated or merged."""

    def __init__(
        self,
        memories: Memories,
        session: str,
        background: Background,
        queued: Callable[[], None] | None = None,
    ) -> None:
        self._memories = memories
        self._background = background
        self.session = clean_text("session", session, MAX_LABEL).strip()
        if not self.session:
            raise InvalidInputError(
                "session", f"must not be blank, got {session!r}.", "Pass a name of 1 to 200 characters."
            )
        self.saved: tuple[Remembered, ...] = ()
        self.may_revise: Mapping[str, tuple[Candidate, ...]] = {}
        """What the turns added last may change, by the id of the turn: `Engine.settle` the pairs."""
        self._queued = queued
        self.refused: Mapping[int, str] = {}
        """Why turns given to the last `add_many` were not stored, by their place in it."""
        self._stream = Stream(memories, background)

    def add(
        self,
        text: str,
        *,
        author: str | None = None,
        occurred_at: datetime | str | None = None,
        context: str = "",
        metadata: Mapping[str, Any] | None = None,
        trust: str | None = None,
        tags: Labels | None = None,
        extract: str | None = None,
    ) -> Memory:
        """Store the next turn.

        `context`: accompanying text, such as a picture's caption. `trust`: "owner" (None), "agent" or "untrusted"
        (output of a tool, a web page). `tags`: facts that are derived from the turn inherit its scopes
        (`scope:NAME`). `extract` (None: the setting of that name) is how facts are found in it. "model": the
        language model reads it in the background, with the turns around it. "rules": names, preferences,
        decisions and explicit requests to remember are stored now; their results are in `saved` until the next
        turn. "off": neither, and no model reads it later.
        """
        mode_of(self._memories.settings, extract)
        turn = {
            "content": text,
            "author": author,
            "occurred_at": occurred_at,
            "context": context,
            "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
            "tags": tags,
        }
        if trust is not None:
            turn["trust"] = trust
        added = self._store([turn], atomic=True)[0]
        # A turn that may not be shown must not influence what is shown.
        if added.trust in self._memories.trusts:
            self._stream.see([added])
        self._extract([added], extract)
        return added

    def add_many(
        self, turns: Iterable[str | Mapping[str, Any]], *, atomic: bool = False, extract: str | None = None
    ) -> list[Memory]:
        """Store turns in order, in batches, and return those stored.

        A turn is a text, or a mapping with the fields of `add` and its text as `content` or `text`. Messages of a
        chat, mappings with `role` and `content`, work too: prompts and messages without text are skipped, and the
        others have their role as author. An invalid turn is not stored: `refused` says why. With `atomic` it
        raises InvalidInputError instead, and nothing of its batch is stored. `extract` is that of `add`, for all
        of them.
        """
        mode_of(self._memories.settings, extract)
        added = self._store(turns, atomic=atomic)
        self._extract(added, extract)
        return added

    def _extract(self, added: list[Memory], extract: str | None) -> None:
        self.saved = tuple(extract_from(self._memories, added, extract)) if added else ()
        if self._queued is not None and mode_of(self._memories.settings, extract) == "model":
            self._queued()

    def _store(self, turns: Iterable[str | Mapping[str, Any]], *, atomic: bool) -> list[Memory]:
        said = [(place, turn) for place, turn in enumerate(turns) if not says_nothing(turn)]
        items = [
            {
                **(turn if isinstance(turn, Mapping) else {"content": turn}),
                "kind": "episode",
                "session": self.session,
            }
            for _, turn in said
        ]
        results = self._memories.remember_many(cast(list[MemoryItem], items), diff=False, atomic=atomic)
        self.refused = {
            place: each.reason for (place, _), each in zip(said, results, strict=True) if each.action == "refused"
        }
        written = [each for each in results if each.action != "refused"]
        self.may_revise = {each.id: each.may_revise for each in written if each.may_revise}
        reader = self._memories.reader
        keys = reader.keys_of([each.id for each in written])
        return reader.memories(keys[each.id] for each in written)

    def context(
        self,
        budget: int | None = None,
        *,
        counter: TokenCounter | None = None,
        tool_results: Answer | Iterable[Any] = (),
        system: str = "",
        prefetched: Prefetched | None = None,
        timeout: float = 0.0,
    ) -> Context:
        """Build the context for the next answer, at most `budget` tokens (None: the setting `context_budget`).

        It contains the recent turns, `tool_results` (an answer of recall, memories, or texts), facts and episodes
        that were prefetched in the background, and `system` text if tokens are left. This method does not search:
        the first call starts prefetching, and `Context.state` reports how fresh the memories are ("ready",
        "preparing", "stale by one turn", …). `prefetched`: what `prefetched()` returned before the turn that is
        answered was added; without it, the search about that turn is used if it ends within `timeout` seconds.
        Raises InvalidInputError.
        """
        recent = self._recent()
        self._stream.see(recent, start=True)
        counter = counter or estimate
        found = results(tool_results)
        shown = [each for each in found if isinstance(each, Memory)]
        if prefetched is None and timeout > 0:
            self._background.wait(timeout)
        held = prefetched or self._stream.latest()
        facts, episodes, repeated = streamed(self._stream, held, recent, shown)
        record_read(self._memories, "conversation", [each.id for each in (*recent, *facts, *episodes)])
        noted = notes_on(self._memories, [*shown, *facts, *episodes])
        made = assemble(
            {
                "recent": [turn_piece(turn) for turn in recent],
                "tools": result_pieces(found, noted),
                "facts": pieces(facts, noted),
                "episodes": pieces(episodes, noted),
                "system": [Piece("system", system)],
            },
            budget=budget_of(self._memories, budget),
            counter=counter,
            state=held.state,
        )
        return with_repeats(made, repeated, counter)

    def wait(self, timeout: float = 10.0) -> bool:
        """Wait until the memories for the next turn are ready; False after `timeout` seconds."""
        self._stream.see(self._recent(), start=True)
        return self._background.wait(timeout)

    def prefetched(self, timeout: float = 10.0) -> Prefetched:
        """Wait for the memories for the next turn, and hold them: pass them to `context` once it was added.

        They are about the two turns before it and the same however long its own search takes.
        """
        self.wait(timeout)
        return self._stream.latest()

    @property
    def _mine(self) -> Filter:
        return Filter(sessions=(self.session,), kinds=("episode",), trusts=self._memories.trusts)

    def _recent(self) -> list[Memory]:
        reader = self._memories.reader
        mine = replace(self._mine, now=self._memories.runtime.clock())
        latest = reader.memories(reader.scan(mine, newest_first=True, limit=MOST_TURNS))
        return sorted(latest, key=lambda each: (each.position or 0, each.id))

    def turns(self) -> list[Memory]:
        """Return every turn, in order."""
        reader = self._memories.reader
        memories = reader.memories(reader.scan(self._mine))
        record_read(self._memories, "conversation", [each.id for each in memories])
        return sorted(memories, key=lambda each: (each.position or 0, each.id))
