"""One process at a time: a lock on an open file, by the means of the platform."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt
    import os
    import time

    _FAR = 1 << 40
    """The byte that stands for the file: locked bytes cannot be read, and no log is that long."""

    @contextmanager
    def locked(descriptor: int) -> Iterator[None]:
        """Hold the file's lock; waits as long as another has it."""
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
        """Hold the file's lock; waits as long as another has it.

        `flock`, not `lockf`: it belongs to the open file, so two engines of one process keep each other out, and
        closing another descriptor of the file does not lose it.
        """
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
