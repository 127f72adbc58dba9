"""Storage of the audit chain: one growing file after the full ones, or the memory of this process.

Many processes and threads may append to one file. Each reads the end of the chain from the file, under its lock.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from combray.audit.entry import CUT, Head, Mark, head_of, parted, seal
from combray.audit.locking import locked
from combray.records import dataclass

SEGMENT = 64 * 1024 * 1024
"""Size in bytes from which the next entry starts a new file."""
_AT_ONCE = 64 * 1024

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of the chain while it is locked.

    `holds` returns whether an entry is still at its position. `lost`: the end that this process knew, if the file
    is shorter now.
    """

    head: Head
    holds: Callable[[Mark], bool]
    lost: Head | None = None


Drafting = Callable[[Tail], Sequence[Fields]]
"""Returns the fields of new entries, without `seq` and `previous`, for an end of the chain."""


def segments(path: str) -> list[tuple[int, str]]:
    """Return number and path of every full file of the log, in order, without the growing one."""
    place = Path(path)
    found = []
    with suppress(FileNotFoundError):
        for each in place.parent.iterdir():
            number = each.name.removeprefix(place.name + ".")
            if each.name.startswith(place.name + ".") and number.isascii() and number.isdigit():
                found.append((int(number), str(each)))
    return sorted(found)


class FileChain:
    """The chain in files of about `segment` bytes."""

    def __init__(self, path: str, *, segment: int = SEGMENT) -> None:
        self.path = path
        self._most = segment
        self._lock = threading.Lock()
        self._descriptor = -1
        self._file = (0, 0)
        self._process = os.getpid()
        self._number = 1
        self._known = (0, Head())

    def append(self, drafting: Drafting, *, done: Callable[[Mark], None] | None = None) -> Mark:
        """Write the entries of `drafting`, all or none, and return the mark of the last.

        `done` is called with the mark while the file is locked. Raises OSError.
        """
        with self._lock, self._open() as descriptor:
            mark = self._add(descriptor, drafting)
            self._added(descriptor, mark, done)
            return mark

    def append_durably(
        self, drafting: Drafting, known: Mark | None, room: int, *, done: Callable[[Mark], None] | None = None
    ) -> tuple[Mark, str]:
        """Write the entries of `drafting`; return the mark of the last, and all lines after `known`.

        The caller keeps those lines on disk, so they are not flushed here. If they are longer than `room`, cannot
        be kept or tell of an erasure, they are flushed and "" is returned. Raises OSError.
        """
        with self._lock, self._open() as descriptor:
            holds = known is not None and known.segment == self._number and self._holds(descriptor, known)
            mark = self._add(descriptor, drafting)
            lines = ""
            if known is not None and holds and 0 < mark.end - known.end <= room and mark.end < self._most:
                lines = _kept(_read(descriptor, known.end, mark.end - known.end))
            if not lines:
                os.fsync(descriptor)
            self._added(descriptor, mark, done)
            return mark, lines

    def holds(self, mark: Mark) -> bool:
        """Return whether an entry is at its position. True if the file cannot be opened to append."""
        if not os.access(self.path, os.W_OK):
            return Path(self.path).exists()
        with self._lock, self._open() as descriptor:
            return self._holds(descriptor, mark)

    def restore(self, mark: Mark, lines: bytes) -> bool:
        """Append what a power failure took of the last lines, which end at `mark`. Return whether that was done.

        Nothing that can be read is changed: the file must end where a part of these lines ends, zeros aside, and
        the lines must continue its chain up to the mark. Raises OSError.
        """
        start = mark.end - len(lines)
        with self._lock, self._open() as descriptor:
            size = os.fstat(descriptor).st_size
            if mark.segment != self._number or not 0 <= start <= size or self._holds(descriptor, mark):
                return False
            left = _read(descriptor, start, size - start).rstrip(b"\0")
            if not lines.startswith(left) or not self._continues(descriptor, start, mark, lines):
                return False
            os.ftruncate(descriptor, start + len(left))
            self._write(descriptor, lines[len(left) :], start + len(left))
            os.fsync(descriptor)
            self._known = (0, self._known[1])
            return True

    def _continues(self, descriptor: int, start: int, mark: Mark, lines: bytes) -> bool:
        """Return whether lines follow the entry that ends at an offset, one by one, up to the mark."""
        head = (_last(descriptor, start)[0] if start else None) or self._last_of_full()
        for line in lines.splitlines():
            after, parts = head_of(line), parted(line)
            if after is None or parts is None or hashlib.sha256(parts[0]).hexdigest() != after.hash:
                return False
            if (after.seq, after.previous) != (head.seq + 1, head.hash):
                return False
            head = after
        return (head.seq, head.hash) == (mark.seq, mark.hash)

    def _add(self, descriptor: int, drafting: Drafting) -> Mark:
        """Write the entries at the end of the locked file and return the mark of the last."""
        size, head, torn = self._end(descriptor)
        known = self._known[1]
        lost = known if known.seq > head.seq else None
        tail = Tail(head, lambda mark: self._holds(descriptor, mark), lost)
        drafts = drafting(tail)
        data = b""
        if torn:
            shown = {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()}
            closing = {"operation": CUT, "result": "ok", "namespace": "", "detail": shown}
            data = b"\n"
            drafts = [{**drafts[0], **_EMPTY, **closing}, *drafts]
        for fields in drafts:
            line, head = seal(head, fields)
            data += line
        self._write(descriptor, data, size)
        size += len(data)
        self._known = (size, head)
        return Mark(head.seq, head.hash, self._number, size)

    def _added(self, descriptor: int, mark: Mark, done: Callable[[Mark], None] | None) -> None:
        if done is not None:
            done(mark)
        if mark.end >= self._most:
            # A store may rely on lines that are not flushed yet, and can only restore those of the last file.
            os.fsync(descriptor)
            self._begin_segment()

    def measured(self, look: Callable[[], None] = lambda: None) -> list[tuple[str, int]]:
        """Return every file of the log with its size at one moment. `look` is called at that moment."""
        # Without write access there is no lock: a line that is being written looks truncated.
        writable = os.access(self.path, os.W_OK)
        with self._lock, self._open() if writable else nullcontext():
            look()
            paths = [path for _, path in segments(self.path)]
            paths += [self.path] if Path(self.path).exists() else []
            return [(path, Path(path).stat().st_size) for path in paths]

    def close(self) -> None:
        with self._lock:
            self._release()

    # -- the file ------------------------------------------------------------------------------------

    @contextmanager
    def _open(self) -> Iterator[int]:
        """Lock the growing file. Reopen it after a fork, or if another process started a new one."""
        if self._process != os.getpid():
            # Parent and child would share the open file, and so its lock.
            self._release()
            self._process = os.getpid()
        while True:
            if self._descriptor < 0:
                flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
                self._descriptor = os.open(self.path, flags, 0o600)
                opened = os.fstat(self._descriptor)
                self._file = (opened.st_dev, opened.st_ino)
                full = segments(self.path)
                self._number = full[-1][0] + 1 if full else 1
            with locked(self._descriptor):
                if self._is_current():
                    yield self._descriptor
                    return
            self._release()

    def _is_current(self) -> bool:
        try:
            there = os.stat(self.path)  # noqa: PTH116 - once an entry, and Path's takes twice as long
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == self._file

    def _release(self) -> None:
        # The next file at the path may be a different one of the same length.
        self._known = (0, self._known[1])
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, descriptor: int, data: bytes, size: int) -> None:
        try:
            written = os.write(descriptor, data)
            while written < len(data):
                written += os.write(descriptor, data[written:])
        except OSError:
            # A full disk accepts a part. Remove it, or else the next entry closes it.
            with suppress(OSError):
                os.ftruncate(descriptor, size)
            raise

    def _end(self, descriptor: int) -> tuple[int, Head, bytes]:
        """Return the size, the head of the chain, and the unfinished line at the end."""
        size = os.fstat(descriptor).st_size
        if size and size == self._known[0]:
            return size, self._known[1], b""
        head, torn = _last(descriptor, size)
        return size, head or self._last_of_full(), torn

    def _last_of_full(self) -> Head:
        """Return the head at the end of the last full file; that of an empty chain without one."""
        full = segments(self.path)
        if not full:
            return Head()
        with _reading(full[-1][1]) as last:
            return _last(last, os.fstat(last).st_size)[0] or Head()

    def _holds(self, descriptor: int, mark: Mark) -> bool:
        """Return whether the line that ends at the mark has its hash."""
        if mark.segment == self._number:
            return _states(descriptor, mark)
        path = dict(segments(self.path)).get(mark.segment)
        if path is None:
            return False
        with _reading(path) as other:
            return _states(other, mark)

    def _begin_segment(self) -> None:
        full = segments(self.path)
        number = full[-1][0] + 1 if full else 1
        with suppress(PermissionError):
            # Windows refuses while another process has it open: then the file grows on.
            Path(self.path).rename(f"{self.path}.{number:04}")
            # The next append finds another file, or none, at the path, and opens that.
            self._known = (0, self._known[1])


def _kept(lines: bytes) -> str:
    """Return lines as a store can keep them; "" for those it must not: broken ones, those of an erasure."""
    try:
        return "" if b'"operation":"erase' in lines or b"\0" in lines else lines.decode()
    except UnicodeDecodeError:
        return ""


class MemoryChain:
    """The same for a store in memory: it ends with the process."""

    path = ""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: list[bytes] = []
        self._head = Head()

    def append(self, drafting: Drafting, *, done: Callable[[Mark], None] | None = None) -> Mark:
        with self._lock:
            for fields in drafting(Tail(self._head, lambda _: True)):
                line, self._head = seal(self._head, fields)
                self._lines.append(line)
            mark = Mark(self._head.seq, self._head.hash, 1, 0)
            if done is not None:
                done(mark)
            return mark

    def append_durably(
        self, drafting: Drafting, known: Mark | None, room: int, *, done: Callable[[Mark], None] | None = None
    ) -> tuple[Mark, str]:
        del known, room
        return self.append(drafting, done=done), ""

    def holds(self, mark: Mark) -> bool:
        """Return True: nothing is lost while the process runs."""
        return bool(mark)

    def restore(self, mark: Mark, lines: bytes) -> bool:
        """Do nothing: there are no files."""
        return not (mark and lines)

    def lines(self) -> list[bytes]:
        """Return every line without its newline."""
        with self._lock:
            return [line.rstrip(b"\n") for line in self._lines]

    def close(self) -> None:
        """Do nothing: there are no files."""


_EMPTY: Fields = {"within": "", "ids": (), "counts": {}, "preset": "", "tier": "", "query": "", "after": None}


def _last(descriptor: int, size: int) -> tuple[Head | None, bytes]:
    """Return the head of the last readable line, and the bytes after the last newline.

    Unreadable lines after it count as one entry each: the chain continues, and verification reports them.
    """
    length = min(size, _AT_ONCE)
    while True:
        *lines, torn = _read(descriptor, size - length, length).split(b"\n")
        # The first of them may start before the block.
        for skipped, line in enumerate(reversed(lines if length == size else lines[1:])):
            head = head_of(line)
            if head is not None:
                if not skipped:
                    return head, torn
                return Head(head.seq + skipped, hashlib.sha256(lines[-1]).hexdigest()), torn
        if length == size:
            return (Head(len(lines), hashlib.sha256(lines[-1]).hexdigest()) if lines else None), torn
        length = min(size, 4 * length)


@contextmanager
def _reading(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read(descriptor: int, start: int, length: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    found = b""
    while len(found) < length and (some := os.read(descriptor, length - len(found))):
        found += some
    return found


def _states(descriptor: int, mark: Mark) -> bool:
    # Including the quotation mark: a suffix of a hash must not match.
    wanted = b'"' + mark.hash.encode() + b'"}\n'
    if not len(wanted) <= mark.end <= os.fstat(descriptor).st_size:
        return False
    return _read(descriptor, mark.end - len(wanted), len(wanted)) == wanted
