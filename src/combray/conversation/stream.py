"""Passive streaming: memories for the next turn, looked up in the background from the last two turns.

Semantic Fact System, section 2, Mode A. What is kept between turns are ids only: what was forgotten, erased or
replaced meanwhile is not shown.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from combray.presets.semantic_facts import PASSIVE
from combray.prompt.context import without_repeats
from combray.prompt.truncation import shortened
from combray.recall.asking import SEARCH_TYPES, Asking
from combray.runtime import Filter
from combray.types import Memory

if TYPE_CHECKING:
    from combray.engine import Engine

LOG = logging.getLogger(__name__)

TURNS = 2
"""Turns that a search is made from: N-2 and N-1 for turn N."""
MOST_SHOWN = 5
"""Facts, and episodes, shown at most (section 2: 3 to 5 of each)."""
CONFIDENCE_ABOVE = 0.5
"""Less certain memories are not streamed (section 2, symbolic filtering)."""
_LOOKED_UP = 15
"""Of each kind: some episodes are among the recent turns, some memories repeat others."""
_QUERY_CHARACTERS = 2000
"""Taken of a turn: the first and last words of a longer one say what it is about."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Ids found for the turn after the one at `position`, best first."""

    position: int
    facts: tuple[str, ...]
    episodes: tuple[str, ...]


class Stream:
    """Prepares one conversation's memories. Starts with the first call of `start`; errors end in `state`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._turns: deque[Memory] = deque(maxlen=TURNS)
        self._started = False
        self._prepared: Prepared | None = None
        self._failure = ""

    def see(self, turns: Iterable[Memory], *, start: bool = False) -> None:
        """Take note of the latest turns, oldest first, and prepare for the next, if started. Returns at once."""
        with self._lock:
            self._started = self._started or start
            latest = self._turns[-1].position or 0 if self._turns else -1
            new = [turn for turn in turns if (turn.position or 0) > latest]
            self._turns.extend(new)
            due = self._started and bool(new or (start and self._prepared is None)) and bool(self._turns)
            about = tuple(self._turns)
        if due:
            self._engine.background.submit(self, lambda: self._prepare(about))

    @property
    def state(self) -> str:
        """How fresh the memories are: "ready", "preparing", "stale by one turn", what failed, or "closed"."""
        with self._lock:
            if self._engine.background.closed:
                return "closed"
            failed = f"failed: {self._failure}" if self._failure else ""
            if self._prepared is None:
                return failed or ("preparing" if self._started and self._turns else "nothing prepared yet")
            behind = (self._turns[-1].position or 0) - self._prepared.position if self._turns else 0
        stale = "ready" if behind <= 0 else f"stale by {'one turn' if behind == 1 else f'{behind} turns'}"
        return f"{stale}; {failed}" if failed else stale

    def memories(self) -> tuple[list[Memory], list[Memory]]:
        """Facts and episodes prepared last, those that still hold, best first. Reads them, searches nothing."""
        with self._lock:
            prepared = self._prepared
        if prepared is None:
            return [], []
        return self._live(prepared.facts), self._live(prepared.episodes)

    def _prepare(self, turns: tuple[Memory, ...]) -> None:
        """Search; runs in the worker."""
        try:
            about = "\n".join(shortened(turn.content, _QUERY_CHARACTERS) for turn in turns)
            made = Prepared(turns[-1].position or 0, self._found(about, "facts"), self._found(about, "episodes"))
        except Exception as error:
            # Whatever it was must not reach the turn that is being added; `state` tells it.
            LOG.warning("preparing memories for a conversation failed", exc_info=True)
            with self._lock:
                self._failure = str(error) or type(error).__name__
            return
        with self._lock:
            self._failure = ""
            if self._prepared is None or made.position >= self._prepared.position:
                self._prepared = made

    def _found(self, about: str, search_type: str) -> tuple[str, ...]:
        engine = self._engine
        # What is untrusted waits until it is asked for: it never gets into a prompt by itself.
        trusts = tuple(trust for trust in engine.trusts if trust != "untrusted")
        asking = Asking(engine.namespace, engine.reader, engine.runtime, trusts)
        # Not engine.recall: what is streamed was not asked for and does not count as accessed.
        options = {"kinds": SEARCH_TYPES[search_type]}
        answer = asking.answer(about, PASSIVE, PASSIVE.name, limit=_LOOKED_UP, basic=False, options=options)
        return tuple(hit.memory.id for hit in answer)

    def _live(self, ids: tuple[str, ...]) -> list[Memory]:
        """Those of the ids that may be shown now, in order."""
        reader = self._engine.reader
        found = reader.keys_of(ids)
        keys = np.array([found[each] for each in ids if each in found], dtype=np.int64)
        sure = math.nextafter(CONFIDENCE_ABOVE, math.inf)
        trusts = tuple(trust for trust in self._engine.trusts if trust != "untrusted")
        where = Filter(now=self._engine.clock(), min_confidence=sure, trusts=trusts)
        holds = reader.eligible(keys, where)
        return reader.memories(keys[holds].tolist())


def streamed(
    stream: Stream, recent: Sequence[Memory], shown: Sequence[Memory]
) -> tuple[list[Memory], list[Memory], list[Memory]]:
    """Facts, then episodes, at most five of each, and what repeats them, the recent turns or what is `shown`."""
    facts, episodes = stream.memories()
    said = {turn.id for turn in (*recent, *shown)}
    new = [memory for memory in (*facts, *episodes) if memory.id not in said]
    kept, repeated = without_repeats([*recent, *shown, *new])
    fresh = {memory.id for memory in kept} - said
    return (
        [fact for fact in facts if fact.id in fresh][:MOST_SHOWN],
        [episode for episode in episodes if episode.id in fresh][:MOST_SHOWN],
        [memory for memory in repeated if memory.id not in said],
    )
