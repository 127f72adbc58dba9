"""One worker thread for what can wait: for each owner only its latest job, errors told to nobody but the log."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Hashable

LOG = logging.getLogger(__name__)

MOST_WAITING = 64
"""Owners with a job waiting; one more takes the place of the one that has waited longest."""
CLOSING_SECONDS = 2.0
"""How long closing waits for a job under way. The thread is a daemon: the process can end without it."""

Job = Callable[[], None]


class _Queue:
    """What the thread and its owner share; the thread must not keep the owner alive."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.waiting: dict[Hashable, Job] = {}
        self.busy = False
        self.closed = False
        self.thread: threading.Thread | None = None

    def take(self) -> Job | None:
        """The job that has waited longest, when there is one; None once closed."""
        with self.changed:
            self.busy = False
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.waiting or self.closed)
            if self.closed:
                return None
            self.busy = True
            return self.waiting.pop(next(iter(self.waiting)))

    def close(self) -> None:
        """Drop what waits, wait for the job under way, but not for long."""
        with self.changed:
            self.closed = True
            self.waiting.clear()
            self.changed.notify_all()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(CLOSING_SECONDS)


class Background:
    """The worker of an engine and of all engines on the same store. Its thread starts with the first job."""

    def __init__(self) -> None:
        self._queue = _Queue()
        # Runs when this object goes, and at the end of the process.
        weakref.finalize(self, self._queue.close)

    def submit(self, owner: Hashable, job: Job) -> bool:
        """Do the job soon, in place of one of the same owner that still waits; False once closed."""
        queue = self._queue
        with queue.changed:
            if queue.closed:
                return False
            if owner not in queue.waiting and len(queue.waiting) >= MOST_WAITING:
                del queue.waiting[next(iter(queue.waiting))]
            queue.waiting[owner] = job
            if queue.thread is None:
                queue.thread = threading.Thread(target=_work, args=(queue,), name="combray", daemon=True)
                queue.thread.start()
            queue.changed.notify_all()
        return True

    def settle(self, timeout: float) -> bool:
        """Wait until nothing is to be done, `timeout` seconds at most; whether that came about."""
        queue = self._queue
        with queue.changed:
            return queue.changed.wait_for(lambda: not (queue.waiting or queue.busy), timeout)

    @property
    def closed(self) -> bool:
        """Whether it takes no more jobs."""
        return self._queue.closed

    def close(self) -> None:
        """Stop, within CLOSING_SECONDS; jobs that wait are dropped. Can be called again."""
        self._queue.close()


def _work(queue: _Queue) -> None:
    while (job := queue.take()) is not None:
        try:
            job()
        except Exception:
            LOG.exception("a job in the background failed")
        # A finished job would keep its engine alive while the thread waits.
        del job
