"""A worker that stands by: rounds of work with pauses between them, in a thread or in the shell's process."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING

from combray.embedding.working import Worked
from combray.errors import CombrayError

if TYPE_CHECKING:
    from combray.engine.vectors import Embedding

LOG = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""How long a worker with nothing to do waits before it looks again."""
MOST_SECONDS = 60.0
"""The longest pause while the model is down: each round that only fails doubles it."""
CLOSING_SECONDS = 2.0
"""How long closing waits for a batch under way. The thread is a daemon: the process can end without it."""


def pause_after(worked: Worked, before: float) -> float:
    """Seconds to wait after a round, given the pause before it: none while there is something to do."""
    if worked.embedded:
        return 0.0
    return min(max(before, POLL_SECONDS) * 2, MOST_SECONDS) if worked.failed else POLL_SECONDS


class Standing:
    """A thread that works for an engine until it is stopped, or the engine is gone."""

    def __init__(self, engine: Embedding, batch: int) -> None:
        self._stop = threading.Event()
        self._wake = threading.Event()
        # The thread must not keep the engine alive.
        place = weakref.ref(engine)
        self._thread = threading.Thread(
            target=_stand, args=(place, batch, self._stop, self._wake), name="combray-embedding", daemon=True
        )
        self._thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._wake.set()

    @property
    def running(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop after the batch under way, within CLOSING_SECONDS."""
        self._stop.set()
        self._wake.set()
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSING_SECONDS)


def _stand(place: weakref.ref[Embedding], batch: int, stop: threading.Event, wake: threading.Event) -> None:
    pause = 0.0
    while not stop.is_set():
        engine = place()
        if engine is None:
            return
        wake.clear()
        try:
            # One batch a round, so that closing need not wait for the whole queue.
            worked = engine.work(limit=batch, batch=batch, everywhere=True)
        except CombrayError as error:
            if stop.is_set():
                return
            LOG.warning("embedding in the background: %s", error)
            worked = Worked(failed=1)
        except Exception:
            LOG.exception("embedding in the background failed")
            worked = Worked(failed=1)
        del engine
        pause = pause_after(worked, pause)
        # While the model is down a new memory is no reason to ask it again.
        (stop if worked.failed and not worked.embedded else wake).wait(pause)
