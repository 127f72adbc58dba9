"""The head of the log, kept elsewhere: on another disk, what is cut off here still shows there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from combray.audit.chain import Mark

_LENGTH = 160
"""Bytes of the file: more than any mark needs, so that one write replaces the last."""


class AnchorFile:
    """Place and hash of the last entry, in a file of its own in `folder`, one a log. Raises OSError.

    The file's name ends in a digest of the log's full path, so that many stores can share the folder.
    """

    def __init__(self, folder: str, log: str) -> None:
        place = Path(log).absolute()
        mark = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
        self.path = str(Path(folder).expanduser() / f"{place.name}-{mark}")
        self._descriptor = -1
        self._process = os.getpid()

    def read(self) -> Mark | None:
        """The end that was written last; None before the first. What is no mark is one that nothing fits."""
        try:
            with Path(self.path).open("rb") as file:
                found = from_text(file.read(_LENGTH).decode("latin-1"))
        except FileNotFoundError:
            return None
        return found[0] if found else Mark(0, "unreadable", 0, 0)

    def write(self, mark: Mark) -> None:
        """Keep the end of the log. The caller holds the log's lock."""
        if self._process != os.getpid():
            self.close()
            self._process = os.getpid()
        if self._descriptor < 0:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, to_text(mark, 0).ljust(_LENGTH).encode())

    def close(self) -> None:
        """Release the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def to_text(mark: Mark, written: int) -> str:
    """A mark as the database keeps it, with the number of the last write that it had committed."""
    return f"{mark.seq} {mark.hash} {mark.segment} {mark.end} {written}"


def from_text(text: str) -> tuple[Mark, int] | None:
    """The mark and the last committed write; None for an empty text or another form."""
    parts = text.split()
    numbers = [part for place, part in enumerate(parts) if place != 1]
    if len(parts) != 5 or not all(part.isascii() and part.isdigit() for part in numbers):
        return None
    seq, segment, end, written = map(int, numbers)
    return Mark(seq, parts[1], segment, end), written
