"""Passive streaming: prefetch memories for the next turn in the background, from the last two turns.

Only ids are kept between turns, so memories that were forgotten, erased or superseded meanwhile are not shown.
Source: Semantic Fact System design, see docs/explanation/context.md.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from combray.designs.semantic_facts.preset import PASSIVE
from combray.prompt.context import without_repeats
from combray.prompt.excerpt import shortened
from combray.recall.asking import SEARCH_TYPES, Asking
from combray.records import dataclass
from combray.runtime import Filter, Memories
from combray.runtime.background import Background
from combray.types import Memory, RecallOptions

LOG = logging.getLogger(__name__)

TURNS = 2
"""Turns that form the query: N-2 and N-1 for turn N."""
MOST_SHOWN = 5
"""Maximum number of facts, and of episodes, shown."""
CONFIDENCE_ABOVE = 0.5
"""Memories of this confidence or less are not streamed."""
_LOOKED_UP = 15
"""Candidates of each kind; some are recent turns or duplicates."""
_QUERY_CHARACTERS = 2000
"""Characters of a turn that go into the query."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Ids for the turn after the one at `position`, best first."""

    position: int
    facts: tuple[str, ...]
    episodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prefetched:
    """What a stream held at one moment, and how fresh it was: see `Stream.state`."""

    prepared: Prepared | None
    state: str


class Stream:
    """Prefetches one conversation's memories from the first `see(start=True)` on. `state` reports errors."""

    def __init__(self, memories: Memories, background: Background) -> None:
        self._memories = memories
        self._background = background
        self._lock = threading.Lock()
        self._turns: deque[Memory] = deque(maxlen=TURNS)
        self._started = False
        self._prepared: Prepared | None = None
        self._failure = ""

    def see(self, turns: Iterable[Memory], *, start: bool = False) -> None:
        """Register the latest turns, oldest first, and prefetch for the next one if started. Does not block."""
        with self._lock:
            self._started = self._started or start
            latest = self._turns[-1].position or 0 if self._turns else -1
            new = [turn for turn in turns if (turn.position or 0) > latest]
            self._turns.extend(new)
            due = self._started and bool(new or (start and self._prepared is None)) and bool(self._turns)
            about = tuple(self._turns)
        if due:
            self._background.submit(self, lambda: self._prepare(about))

    @property
    def state(self) -> str:
        """How fresh the memories are: "ready", "preparing", "stale by one turn", "failed: …" or "closed"."""
        return self.latest().state

    def latest(self) -> Prefetched:
        """Return what is prepared at this moment. A search that ends later does not change it."""
        with self._lock:
            return Prefetched(self._prepared, self._freshness())

    def memories(self, prefetched: Prefetched) -> tuple[list[Memory], list[Memory]]:
        """Return the facts and episodes of `prefetched` that are still live, best first."""
        prepared = prefetched.prepared
        if prepared is None:
            return [], []
        return self._live(prepared.facts), self._live(prepared.episodes)

    def _freshness(self) -> str:
        if self._background.closed:
            return "closed"
        failed = f"failed: {self._failure}" if self._failure else ""
        if self._prepared is None:
            return failed or ("preparing" if self._started and self._turns else "nothing prepared yet")
        behind = (self._turns[-1].position or 0) - self._prepared.position if self._turns else 0
        stale = "ready" if behind <= 0 else f"stale by {'one turn' if behind == 1 else f'{behind} turns'}"
        return f"{stale}; {failed}" if failed else stale

    def _prepare(self, turns: tuple[Memory, ...]) -> None:
        """Search; runs in the background thread."""
        try:
            about = "\n".join(shortened(turn.content, _QUERY_CHARACTERS) for turn in turns)
            made = Prepared(turns[-1].position or 0, self._found(about, "facts"), self._found(about, "episodes"))
        except Exception as error:
            # A failure must not affect the turn that is being added; `state` reports it.
            LOG.warning("prefetching memories for a conversation failed", exc_info=True)
            with self._lock:
                self._failure = str(error) or type(error).__name__
            return
        with self._lock:
            self._failure = ""
            if self._prepared is None or made.position >= self._prepared.position:
                self._prepared = made

    def _found(self, about: str, search_type: str) -> tuple[str, ...]:
        memories = self._memories
        # Untrusted memories enter a prompt only after an explicit query.
        trusts = tuple(trust for trust in memories.trusts if trust != "untrusted")
        asking = Asking(memories.namespace, memories.runtime, trusts)
        # Not `recall`: streamed memories were not asked for and do not count as accessed.
        options: RecallOptions = {"kinds": SEARCH_TYPES[search_type]}
        answer = asking.answer(about, PASSIVE, PASSIVE.name, limit=_LOOKED_UP, basic=False, options=options)
        return tuple(hit.memory.id for hit in answer)

    def _live(self, ids: tuple[str, ...]) -> list[Memory]:
        """Return the memories of those ids that may be shown now, in order."""
        reader = self._memories.reader
        found = reader.keys_of(ids)
        keys = np.array([found[each] for each in ids if each in found], dtype=np.int64)
        sure = math.nextafter(CONFIDENCE_ABOVE, math.inf)
        trusts = tuple(trust for trust in self._memories.trusts if trust != "untrusted")
        where = Filter(now=self._memories.runtime.clock(), min_confidence=sure, trusts=trusts)
        holds = reader.eligible(keys, where)
        return reader.memories(keys[holds].tolist())


def streamed(
    stream: Stream, prefetched: Prefetched, recent: Sequence[Memory], shown: Sequence[Memory]
) -> tuple[list[Memory], list[Memory], list[Memory]]:
    """Return up to five facts, up to five episodes, and those that duplicate one another, `recent` or `shown`."""
    facts, episodes = stream.memories(prefetched)
    said = {turn.id for turn in (*recent, *shown)}
    new = [memory for memory in (*facts, *episodes) if memory.id not in said]
    kept, repeated = without_repeats([*recent, *shown, *new])
    fresh = {memory.id for memory in kept} - said
    return (
        [fact for fact in facts if fact.id in fresh][:MOST_SHOWN],
        [episode for episode in episodes if episode.id in fresh][:MOST_SHOWN],
        [memory for memory in repeated if memory.id not in said],
    )
