"""One flush for the commits of several threads.

A commit appends to the write-ahead log. With durability "full" it is acknowledged once the log is on the disk.
While one thread flushes, others commit; the next flush covers them all. Each write is its own transaction.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from combray.errors import StoreError

POSSIBLE = hasattr(os, "fdatasync")
"""Where it is not, SQLite flushes with each commit."""


def flush_log(path: str) -> None:
    """Wait until the write-ahead log of a store is on the disk. Raises OSError.

    Closing a file drops all POSIX locks that the process has on it, but SQLite has none on its log.
    """
    try:
        descriptor = os.open(f"{path}-wal", os.O_RDONLY)
    except FileNotFoundError:
        # A checkpoint has flushed what was in it.
        return
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


class SharedFlush:
    """Commits in order, and how many of them are on the disk."""

    def __init__(self, path: str, flush: Callable[[str], None] = flush_log) -> None:
        self._path, self._flush = path, flush
        self._changed = threading.Condition()
        self._committed = 0
        self._flushed = 0
        self._lost: list[tuple[int, int, str]] = []
        """Commits after the first number, up to the second, whose flush failed, and why.

        A later flush says nothing about their pages: the system has dropped them.
        """
        self._busy = False

    def committed(self) -> int:
        """Note a commit. Return its number, for `wait`."""
        with self._changed:
            self._committed += 1
            return self._committed

    def wait(self, number: int) -> None:
        """Return when a commit is on the disk. Raises StoreError if it cannot be flushed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._busy or number <= self._flushed)
                for above, last, why in self._lost:
                    if above < number <= last:
                        raise StoreError(
                            f"{self._path}: flushing to the disk failed ({why}); the last writes are stored, "
                            "but may be lost in a power failure. Check the disk."
                        )
                if number <= self._flushed:
                    return
                self._busy, upto = True, self._committed
            self._lead(upto)

    def _lead(self, upto: int) -> None:
        """Flush for all who wait."""
        why = "it was interrupted"
        try:
            self._flush(self._path)
            why = ""
        except OSError as error:
            why = str(error) or type(error).__name__
        finally:
            with self._changed:
                self._busy = False
                if why:
                    self._lost.append((self._flushed, upto, why))
                # Those that were lost have been decided too.
                self._flushed = upto
                self._changed.notify_all()
