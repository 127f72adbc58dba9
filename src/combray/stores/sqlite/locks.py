"""Locks of one process: of the threads that write to one store, and of the files that it has open.

POSIX drops every lock that a process holds on a file when the process closes any descriptor of that file. SQLite
works around this inside one build of its library. Code that opens and closes the file by other means drops the
locks: another process can then remove the write-ahead log while it is in use. So a file that is open here is not
read by other means, and not opened by another build of SQLite (SQLCipher is one).
"""

from __future__ import annotations

import os
import threading
from types import TracebackType

from combray.errors import EncryptionError, StoreBusyError
from combray.records import dataclass
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


Identity = tuple[int, int]
"""Device and inode."""


@dataclass
class _File:
    encrypted: bool
    count: int = 0


_files: dict[Identity, _File] = {}
_lock = threading.Lock()


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - a path as SQLite takes it
    except OSError:
        return None
    return status.st_dev, status.st_ino


def held(path: str, *, encrypted: bool) -> bool:
    """Return whether a store of this process has the file open.

    Raises EncryptionError if that store is encrypted and this one is not, or the reverse.
    """
    identity = _identity(path)
    with _lock:
        file = _files.get(identity) if identity else None
        if file is not None and file.encrypted is not encrypted:
            how = "with a key" if file.encrypted else "without a key"
            raise EncryptionError(f"{path}: this process has it open {how}. Close it there, or open it likewise.")
        return file is not None


def hold(path: str, *, encrypted: bool) -> Identity | None:
    """Register an open file. Return the value for `release`, None if there is no such file."""
    identity = _identity(path)
    if identity is not None:
        with _lock:
            _files.setdefault(identity, _File(encrypted)).count += 1
    return identity


def release(identity: Identity | None) -> None:
    """Unregister one store of the file."""
    with _lock:
        if identity in _files:
            _files[identity].count -= 1
            if not _files[identity].count:
                del _files[identity]
