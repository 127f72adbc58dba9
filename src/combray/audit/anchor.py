"""The anchor: a copy of the log's last hash on another disk, which reveals a truncated log."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from combray.audit.chain import Mark

_LENGTH = 160
"""Bytes of the file. More than any mark needs, so that one write replaces the previous one."""


class AnchorFile:
    """Position and hash of the last entry, in a file in `folder`. Raises OSError.

    The file name ends in a digest of the log's full path, so that many stores can share the folder.
    """

    def __init__(self, folder: str, log: str) -> None:
        place = Path(log).absolute()
        mark = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
        self.path = str(Path(folder).expanduser() / f"{place.name}-{mark}")
        self._descriptor = -1
        self._process = os.getpid()

    def read(self) -> Mark | None:
        """Return the last mark, None before the first. A damaged file is a mark that nothing matches."""
        try:
            with Path(self.path).open("rb") as file:
                found = from_text(file.read(_LENGTH).decode("latin-1"))
        except FileNotFoundError:
            return None
        return found[0] if found else Mark(0, "unreadable", 0, 0)

    def write(self, mark: Mark) -> None:
        """Store the end of the log. The caller holds the log's lock."""
        if self._process != os.getpid():
            self.close()
            self._process = os.getpid()
        if self._descriptor < 0:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, to_text(mark, 0).ljust(_LENGTH).encode())

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def to_text(mark: Mark, written: int) -> str:
    """Format a mark for the database, with the number of the last committed write."""
    return f"{mark.seq} {mark.hash} {mark.segment} {mark.end} {written}"


def from_text(text: str) -> tuple[Mark, int] | None:
    """Parse a mark and the last committed write. None for any other text."""
    parts = text.split()
    numbers = [part for place, part in enumerate(parts) if place != 1]
    if len(parts) != 5 or not all(part.isascii() and part.isdigit() for part in numbers):
        return None
    seq, segment, end, written = map(int, numbers)
    return Mark(seq, parts[1], segment, end), written
