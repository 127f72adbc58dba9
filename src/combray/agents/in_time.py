"""Whether an answer still reaches the prompt, decided before the store notes that its memories were shown.

A hook that takes too long prints nothing. If its answer were noted as shown all the same, the session would never
see those memories.
"""

from __future__ import annotations

import threading
import time


class TooLateError(Exception):
    """Raised in the thread of an answer that nobody waits for any more."""


class Decision:
    """A race between a caller that gives up and an answer that is noted as shown. One of them wins, once."""

    def __init__(self, until: float | None = None) -> None:
        """`until`: the moment from which on the caller counts as gone, by `time.time`."""
        self._until = until
        self._lock = threading.Lock()
        self.given_up = False
        """Whether nobody waits any more."""
        self._noted = False

    def give_up(self) -> bool:
        """Stop waiting. Return False if the answer is already being noted as shown: it must be printed."""
        with self._lock:
            self.given_up = not self._noted
            return self.given_up

    def step(self, name: str) -> None:
        """Follow the answer's thread (`interruptible`). Raises TooLateError if nobody waits."""
        # Only here, where it is loaded: a hook that asks the resident process loads no engine.
        from combray.prompt.held import SHOWN

        with self._lock:
            if self.given_up or (self._until is not None and not self._noted and time.time() > self._until):
                raise TooLateError
            self._noted = self._noted or name == SHOWN
