"""A background worker for the queue: rounds of work, with pauses between them."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from typing import Protocol

from combray.embedding.working import Worked
from combray.errors import CombrayError
from combray.runtime.background import Background

LOG = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""Pause of a worker that has nothing to do."""
MOST_SECONDS = 60.0
"""The longest pause while the model is down. Each round that only fails doubles the pause."""


class Working(Protocol):
    """The part of `engine.vectors` or `engine.extraction` that a worker calls."""

    def make(self, *, limit: int, batch: int, everywhere: bool) -> Worked:
        """Do what is due."""


def pause_after(worked: Worked, before: float) -> float:
    """Seconds to wait after a round, given the pause before it. 0 while there is work left."""
    if worked.embedded:
        return 0.0
    return min(max(before, POLL_SECONDS) * 2, MOST_SECONDS) if worked.failed else POLL_SECONDS


class EmbeddingWorker:
    """Makes vectors, or reads turns, in a thread until it is stopped, or its engine is garbage-collected."""

    def __init__(self, vectors: Working, batch: int, name: str = "combray-embedding") -> None:
        self._background = Background(name, waiting=1)
        # The thread must not keep the engine alive.
        self._round = _Round(weakref.ref(vectors), batch)
        self.wake()

    def wake(self) -> None:
        """Start the next round now, unless the model is down."""
        self._background.submit("round", self._round)

    def wait(self) -> None:
        """Wait for the batch under way, if there is one. Returns at once in the worker's own thread."""
        with self._round.batch_under_way:
            pass

    @property
    def running(self) -> bool:
        """Whether the thread runs."""
        return self._background.running

    def stop(self) -> None:
        """Stop after the batch under way."""
        self._round.stopped = True
        self._background.close()


class _Round:
    """One batch, so that closing need not wait for the whole queue. Returns the pause before the next."""

    def __init__(self, vectors: weakref.ref[Working], batch: int) -> None:
        self.stopped = False
        self.batch_under_way = threading.RLock()
        self._vectors = vectors
        self._batch = batch
        self._pause = 0.0
        self._not_before = 0.0

    def __call__(self) -> float | None:
        left = self._not_before - time.monotonic()
        if left > 0:
            return left
        vectors = self._vectors()
        if vectors is None:
            return None
        try:
            with self.batch_under_way:
                worked = vectors.make(limit=self._batch, batch=self._batch, everywhere=True)
        except CombrayError as error:
            if self.stopped:
                return None
            LOG.warning("working in the background: %s", error)
            worked = Worked(failed=1)
        except Exception:
            LOG.exception("working in the background failed")
            worked = Worked(failed=1)
        self._pause = pause_after(worked, self._pause)
        # While the model is down, a new memory does not cause another call.
        down = worked.failed and not worked.embedded
        self._not_before = time.monotonic() + self._pause if down else 0.0
        return self._pause
