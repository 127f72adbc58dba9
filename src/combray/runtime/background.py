"""Work in the background: daemon threads, which never keep a process from ending, and the holders of leases.

`concurrent.futures.ThreadPoolExecutor` does not fit: the interpreter joins its threads at exit, so a peer that
hangs would hold up the shell.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from combray.errors import ModelError
from combray.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_WAITING = 64
"""Jobs that wait for a thread. One more replaces the job that has waited longest."""
CLOSING_SECONDS = 2.0
"""How long `close` waits for jobs under way."""

Job = Callable[[], float | None]
"""A job. If it returns a number, it runs again after that many seconds."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Waiting:
    job: Callable[[], Any]
    due: float = 0.0
    future: Future[Any] | None = None


class Background:
    """Runs jobs in daemon threads, which start when there is work.

    Args:
        name: of the threads.
        threads: how many jobs run at once.
        waiting: how many jobs wait; 0 refuses a job when every thread is busy.
        joins: whether `close` waits for the jobs under way.
    """

    def __init__(
        self, name: str = "combray", *, threads: int = 1, waiting: int = MOST_WAITING, joins: bool = True
    ) -> None:
        self._pool = _Pool(name, threads, waiting, joins)
        # Runs when this object goes, and at the end of the process.
        weakref.finalize(self, self._pool.close)

    def submit(self, owner: Hashable, job: Job) -> bool:
        """Run a job soon, in place of the same owner's waiting job. Return False once closed.

        An exception is logged, and the next job runs.
        """
        return not self._pool.add(owner, _Waiting(job))

    def __call__(self, work: Callable[[], T]) -> Future[T]:
        """Start work and return its future (`runtime.Start`), which holds a ModelError if no thread is free."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        # The key keeps this object, and so its threads, until the work is done.
        refused = self._pool.add((self, future), _Waiting(work, future=future))
        if refused:
            future.set_exception(ModelError(refused))
        return future

    def wait(self, timeout: float) -> bool:
        """Wait until no job waits or runs, at most `timeout` seconds. Return whether that is so."""
        pool = self._pool
        longest = min(timeout, threading.TIMEOUT_MAX)
        with pool.changed:
            return pool.changed.wait_for(lambda: not (pool.waiting or pool.busy), longest)

    @property
    def running(self) -> bool:
        """Whether a thread runs."""
        return any(each.is_alive() for each in self._pool.threads)

    @property
    def closed(self) -> bool:
        """Whether it accepts no more jobs."""
        return self._pool.closed

    def close(self) -> None:
        """Drop waiting jobs and wait up to CLOSING_SECONDS for those under way. May be called again."""
        self._pool.close()


class _Pool:
    """What the threads share with their `Background`, which they must not keep alive."""

    def __init__(self, name: str, most_threads: int, most_waiting: int, joins: bool) -> None:
        self.changed = threading.Condition()
        self.waiting: dict[Hashable, _Waiting] = {}
        self.threads: list[threading.Thread] = []
        self.busy = 0
        self.closed = False
        self._name = name
        self._most_threads = most_threads
        self._most_waiting = most_waiting
        self._joins = joins

    def add(self, owner: Hashable, job: _Waiting) -> str:
        """Put a job in the queue. Return why it was refused, or "" if it was not."""
        with self.changed:
            if self.closed:
                return "background work has been stopped"
            load = len(self.waiting) + self.busy
            if owner not in self.waiting and load >= self._most_threads + self._most_waiting:
                if not self._most_waiting:
                    return f"all {self._most_threads} background threads are busy; try again later"
                del self.waiting[next(iter(self.waiting))]
            if load >= len(self.threads) < self._most_threads:
                thread = threading.Thread(target=_work, args=(self,), name=self._name, daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:
                    return f"a background thread cannot be started: {error}"
                self.threads.append(thread)
            self.waiting[owner] = job
            self.changed.notify_all()
        return ""

    def take(self) -> tuple[Hashable, _Waiting] | None:
        """Wait for the job that has waited longest of those that are due. None once closed."""
        with self.changed:
            while not self.closed:
                now = time.monotonic()
                for owner, entry in self.waiting.items():
                    if entry.due <= now:
                        self.busy += 1
                        return owner, self.waiting.pop(owner)
                due = min((each.due for each in self.waiting.values()), default=None)
                self.changed.wait(None if due is None else due - now)
            return None

    def done(self, owner: Hashable, job: _Waiting, again: Any = None) -> None:
        """Count a thread as free. Queue a job that runs again, unless a newer one of its owner waits."""
        with self.changed:
            self.busy -= 1
            if isinstance(again, float) and job.future is None and not self.closed:
                self.waiting.setdefault(owner, _Waiting(job.job, time.monotonic() + again))
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.closed = True
            for each in self.waiting.values():
                if each.future is not None:
                    each.future.cancel()
            self.waiting.clear()
            self.changed.notify_all()
        for thread in self.threads if self._joins else ():
            if thread is not threading.current_thread():
                thread.join(CLOSING_SECONDS)


def _work(pool: _Pool) -> None:
    while (taken := pool.take()) is not None:
        _run(pool, *taken)
        # A finished job would keep its engine alive while the thread waits.
        del taken


def _run(pool: _Pool, owner: Hashable, entry: _Waiting) -> None:
    """Run a job. Its thread counts as free before its future is done: the caller may start the next at once."""
    try:
        result = entry.job()
    except BaseException as error:
        pool.done(owner, entry)
        if entry.future is None:
            import logging

            logging.getLogger(__name__).error("a job in the background failed", exc_info=error)
        else:
            entry.future.set_exception(error)
    else:
        pool.done(owner, entry, result)
        if entry.future is not None:
            entry.future.set_result(result)


def new_holder() -> str:
    """Return a name for a lease holder: machine, process id, and a random part."""
    return f"{_machine()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def is_there(holder: str) -> bool:
    """Return whether a lease holder may still run. A process of another machine always may."""
    host, _, rest = holder.rpartition(":")[0].rpartition(":")
    if host != _machine() or os.name != "posix" or not rest.isascii() or not rest.isdigit():
        return True
    try:
        os.kill(int(rest), 0)
    except (ProcessLookupError, OverflowError, ValueError):
        # Not a process id: the name is damaged.
        return False
    except PermissionError:
        return True
    return True


def _machine() -> str:
    # Imported here: every shell command imports the engine, and hardly any needs the host name.
    import socket

    return socket.gethostname()
