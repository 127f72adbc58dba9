"""The lock of the threads that write to one store. It reports whether another thread holds it or waits for it."""

from __future__ import annotations

import threading
from types import TracebackType

from combray.errors import StoreBusyError
from combray.runtime import calls


class WriteLock:
    """A reentrant lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._threads: set[int] = set()
        """Threads that hold it or wait for it."""

    @property
    def busy(self) -> bool:
        """Whether another thread holds it, or waits for it."""
        return not self._threads <= {threading.get_ident()}

    def acquire(self, *, blocking: bool = True) -> bool:
        """As `threading.RLock.acquire`. Who does not wait is not counted."""
        return self._lock.acquire(blocking=blocking)

    def release(self) -> None:
        """As `threading.RLock.release`."""
        self._lock.release()

    def __enter__(self) -> None:
        """Wait for the lock. Within `calls.briefly` raises StoreBusyError after a moment."""
        self._threads.add(threading.get_ident())
        if not self._lock.acquire(timeout=calls.patience(threading.TIMEOUT_MAX)):
            self._threads.discard(threading.get_ident())
            raise StoreBusyError("another thread writes to the store. Try again.")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()
        self._threads.discard(threading.get_ident())
