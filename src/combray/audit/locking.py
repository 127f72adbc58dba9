"""An exclusive lock on an open file, for each platform."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt
    import os
    import time

    _FAR = 1 << 40
    """The byte that is locked: locked bytes cannot be read, and no log is this long."""

    @contextmanager
    def locked(descriptor: int) -> Iterator[None]:
        """Hold the file's lock. Waits while another process holds it."""
        while True:
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                break
            except OSError:
                time.sleep(0.001)
        try:
            yield
        finally:
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def locked(descriptor: int) -> Iterator[None]:
        """Hold the file's lock. Waits while another process holds it.

        `flock`, not `lockf`: the lock belongs to the open file, so it excludes a second engine of this process,
        and closing another descriptor does not release it.
        """
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
