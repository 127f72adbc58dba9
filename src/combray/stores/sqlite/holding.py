"""Which files this process has open.

POSIX takes away every lock a process has on a file as soon as it closes any descriptor of it. SQLite knows,
and keeps such descriptors; whoever opens and closes the file beside it does not: then another process takes the
log for nobody's, and removes it while it is written to. So a file that is open here is not looked into by other
means, and not opened by another build of SQLite.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from combray.errors import EncryptionError

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
    """Whether a store of this process has the file open. Raises EncryptionError if with a key, or without one."""
    identity = _identity(path)
    with _lock:
        file = _files.get(identity) if identity else None
        if file is not None and file.encrypted is not encrypted:
            how = "with a key" if file.encrypted else "without a key"
            raise EncryptionError(f"{path}: this process has it open {how}; close it there, or open it likewise.")
        return file is not None


def hold(path: str, *, encrypted: bool) -> Identity | None:
    """Note that the file is open now; what comes back is for `release`. None for what is no file."""
    identity = _identity(path)
    if identity is not None:
        with _lock:
            _files.setdefault(identity, _File(encrypted)).count += 1
    return identity


def release(identity: Identity | None) -> None:
    """Note that one store has closed the file."""
    with _lock:
        if identity in _files:
            _files[identity].count -= 1
            if not _files[identity].count:
                del _files[identity]
