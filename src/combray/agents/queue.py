"""A crash-safe queue of turns in one file: JSON lines, appended whole and synchronised to the disk.

A worker renames the file, stores its lines and then deletes it. If it is killed, the next worker finds the
renamed file and begins again; a turn that is stored already has its id in the store. A line that a crash cut
is skipped: it was not acknowledged, and its turn is queued again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from combray.audit.locking import locked

Turn = Mapping[str, Any]


class TurnQueue:
    """The queue in a file. Any number of processes may append; one at a time works."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._taken = path.with_name(f"{path.stem}.taken{path.suffix}")
        self._lock = path.with_name(f"{path.stem}.lock")

    def waiting(self) -> bool:
        """Whether there is anything to store."""
        return any(_size(each) > 0 for each in (self.path, self._taken))

    def append(self, turns: Sequence[Turn]) -> None:
        """Append turns; when this returns, they survive a crash. Raises OSError."""
        lines = "".join(json.dumps(each, ensure_ascii=True) + "\n" for each in turns).encode()
        if not lines:
            return
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                with locked(descriptor):
                    if not self._same(descriptor):
                        # A worker took the file between opening and locking.
                        continue
                    size = os.fstat(descriptor).st_size
                    try:
                        _write(descriptor, _ended(descriptor, size) + lines)
                        os.fsync(descriptor)
                    except OSError:
                        # A part of the lines would be stored, and stored again with the rest.
                        with suppress(OSError):
                            os.ftruncate(descriptor, size)
                        raise
                    return
            finally:
                os.close(descriptor)

    def _same(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Exclude other workers; waits for one that works."""
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with locked(descriptor):
                yield
        finally:
            os.close(descriptor)

    def take(self) -> list[Turn]:
        """Return the turns to store, first those of a worker that did not finish. Call it within `working`."""
        if not self._taken.exists():
            try:
                self.path.replace(self._taken)
            except FileNotFoundError:
                return []
        descriptor = os.open(self._taken, os.O_RDWR)
        try:
            # Whoever opened the file before it was renamed has written to it, or sees that it was.
            with locked(descriptor):
                data = self._taken.read_bytes()
        finally:
            os.close(descriptor)
        return [turn for line in data.split(b"\n") if (turn := _turn(line)) is not None]

    def done(self) -> None:
        """Delete what was taken: it is stored. Call it within `working`."""
        self._taken.unlink(missing_ok=True)


def _size(path: Path) -> int:
    """Return the bytes of a file; 0 without one. A worker may rename or delete it at any time."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _ended(descriptor: int, size: int) -> bytes:
    """Return a line break if the last line has none."""
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == b"\n" else b"\n"


def _turn(line: bytes) -> Turn | None:
    try:
        turn = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return turn if isinstance(turn, dict) and isinstance(turn.get("id"), str) else None
