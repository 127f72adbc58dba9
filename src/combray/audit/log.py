"""The audit log of one open store. Writes are recorded before they commit, reads before they return.

If an entry cannot be written, a write is refused. A read returns its answer, and `problem` gives the reason.

The key: the log holds a keyed digest of each query instead of its text, because a plain hash of a short one could
be guessed. The anchor: a copy of the last hash on another disk, which reveals a truncated log.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from combray.audit.audited import actor, current, found
from combray.audit.chain import Drafting, FileChain, MemoryChain, Tail
from combray.audit.entry import GAP, MOST_IDS, Head, Mark, mark_of, mark_to_text
from combray.audit.locking import locked
from combray.errors import DiskFullError, StoreError
from combray.runtime import Clock, Deeds

_BYTES = 32
_MOST_BYTES = 65_536
"""Read of a key file that was written by hand."""
_DIGEST = 32
"""Hexadecimal digits of a digest: 128 bits."""
_BINARY = getattr(os, "O_BINARY", 0)


def digest(key: bytes, text: str) -> str:
    """Return the first 128 bits of the HMAC-SHA-256 of a text, as hexadecimal digits."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]


class AuditKey:
    """A random key in a file that only its owner may read, or in memory for a store in memory.

    The file is created atomically. If several processes create it at once, all use the same key.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._place = Path(str(path))
        self._value = os.urandom(_BYTES) if path is None else b""
        self._keyed: hmac.HMAC | None = None

    def digest(self, text: str) -> str:
        """Return the keyed digest of a text, "" if the key can be neither read nor created."""
        if not self._value:
            try:
                self._value = self._read() or self._make()
            except OSError:
                return ""
        if self._keyed is None:
            # Creating the HMAC object takes longer than the digest itself.
            self._keyed = hmac.new(self._value, digestmod="sha256")
        keyed = self._keyed.copy()
        keyed.update(text.encode("utf-8", "surrogatepass"))
        return keyed.hexdigest()[:_DIGEST]

    def _read(self) -> bytes:
        """Return the key, "" if the file is missing or too short."""
        try:
            descriptor = os.open(self._place, os.O_RDONLY | _BINARY)
        except FileNotFoundError:
            return b""
        try:
            # One read: a second one could append the end of what another process writes in between.
            value = os.read(descriptor, _MOST_BYTES)
        finally:
            os.close(descriptor)
        return value if len(value) >= _BYTES else b""

    def _make(self) -> bytes:
        """Write a key to a draft and link it to its name, unless another process was first. Raises OSError."""
        draft = self._place.with_name(f"{self._place.name}.{os.urandom(8).hex()}")
        value = os.urandom(_BYTES)
        try:
            # Flushed before the link: a power cut must not leave an empty key file.
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
            try:
                if os.write(descriptor, value) != len(value):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(draft))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            try:
                os.link(draft, self._place)
            except OSError:
                # The name exists, or the file system has no hard links.
                self._fill(value)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        # Another process may have won.
        value = self._read()
        if not value:
            raise OSError(f"{self.path}: no key could be written")
        return value

    def _fill(self, value: bytes) -> None:
        """Write the key under the file's lock, unless the file holds one. A full disk leaves an empty file."""
        descriptor = os.open(self._place, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
        try:
            with locked(descriptor):
                if not self._read():
                    os.lseek(descriptor, 0, os.SEEK_SET)
                    os.write(descriptor, value)
                    os.fsync(descriptor)
        finally:
            os.close(descriptor)


_LENGTH = 160
"""Bytes of the file. More than any mark needs, so that one write replaces the previous one."""


class AnchorFile:
    """Position and hash of the last entry, in a file in `folder`. Raises OSError.

    The file name ends in a digest of the log's full path, so that many stores can share the folder.
    """

    def __init__(self, folder: str, log: str) -> None:
        place = Path(log).absolute()
        mark = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
        self.path = str(Path(folder).expanduser().absolute() / f"{place.name}-{mark}")
        self._descriptor = -1
        self._process = os.getpid()

    def read(self) -> Mark | None:
        """Return the last mark, None before the first. A damaged file is a mark that nothing matches."""
        try:
            with Path(self.path).open("rb") as file:
                found = mark_of(file.read(_LENGTH).decode("latin-1"))
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
        os.write(self._descriptor, mark_to_text(mark, 0).ljust(_LENGTH).encode())

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


MOST_UNFLUSHED = 256 * 1024
"""Bytes of lines that a store keeps before the log is flushed and they are dropped."""


class AuditLog:
    """Implements `runtime.Audit` and `runtime.Witness`.

    With `durable` (durability "full") a committed write keeps its entry after a power failure. The store commits
    the unflushed lines with the write, and the log gets back what it lost when it is opened
    (docs/decisions/0022-one-flush.md). So a write waits for the disk once.
    """

    def __init__(
        self,
        chain: FileChain | MemoryChain,
        *,
        clock: Clock,
        key: AuditKey,
        anchor: AnchorFile | None = None,
        durable: bool = False,
    ) -> None:
        self.chain = chain
        self.anchor = anchor
        self.key = key
        self.problem = ""
        self._clock = clock
        self._durable = durable
        self._in_database: Callable[[], str] = str

    def record(
        self,
        operation: str,
        namespace: str,
        *,
        result: str = "ok",
        ids: Iterable[str] = (),
        counts: Mapping[str, int] | None = None,
        preset: str = "",
        tier: str = "",
        query: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> int:
        inner, outer = current()
        fields = self._fields(operation, outer or inner, namespace, ids, counts or {})
        fields |= {"result": result, "preset": preset, "tier": tier, "detail": dict(detail or {})}
        if query is not None:
            fields["query"] = self.key.digest(query)
        try:
            mark = self.chain.append(lambda tail: [*self._gaps(tail, ""), fields], done=self._keep)
        except OSError as error:
            self.problem = f"{self.chain.path}: cannot be written ({error.strerror or error})"
            return 0
        self.problem = ""
        return mark.seq

    def ask(self, in_database: Callable[[], str], unflushed: Callable[[], str] = str) -> None:
        self._in_database = in_database
        kept = self.in_database()
        if kept is None:
            return
        try:
            if not self.chain.holds(kept[0]) and (lines := unflushed()):
                self.chain.restore(kept[0], lines.encode())
        except OSError as error:
            self.problem = f"{self.chain.path}: cannot be written ({error.strerror or error})"

    def committing(self, namespace: str, deeds: Deeds, known: str) -> str:
        kept = mark_of(known)
        written = kept[1] if kept else 0
        if not deeds.counts:
            return known
        inner, outer = current()
        fields = self._fields(inner or deeds.operation, outer, namespace, deeds.ids, deeds.counts)
        now = found()
        fields |= {"result": "ok", "after": written, "tier": now.tier, "detail": dict(now.detail)}
        try:
            mark = self._append(lambda tail: [*self._gaps(tail, known), fields], deeds, kept and kept[0])
        except OSError as error:
            kind = DiskFullError if error.errno == errno.ENOSPC else StoreError
            raise kind(
                f"{self.chain.path or 'audit'}: the audit cannot be written ({error.strerror or error}), so "
                "nothing was written to the store. Free some space or grant write access, or set "
                "COMBRAY_AUDIT=false to disable the audit."
            ) from error
        deeds.seq = mark.seq
        return mark_to_text(mark, mark.seq)

    def _append(self, drafting: Drafting, deeds: Deeds, known: Mark | None) -> Mark:
        if not self._durable:
            return self.chain.append(drafting, done=self._keep)
        room = -1 if deeds.kept is None or "erased" in deeds.counts else MOST_UNFLUSHED - deeds.kept
        mark, lines = self.chain.append_durably(drafting, known, room, done=self._keep)
        deeds.unflushed = lines
        return mark

    def rolled_back(self, namespace: str, deeds: Deeds, error: BaseException) -> None:
        detail = {"entry": deeds.seq, "error": type(error).__name__}
        self.record(current()[0] or deeds.operation, namespace, result="undone", detail=detail)

    def in_database(self) -> tuple[Mark, int] | None:
        """Return the mark that the database keeps, and the number of the last write that it committed."""
        return mark_of(self._in_database())

    def close(self) -> None:
        self.chain.close()
        if self.anchor is not None:
            self.anchor.close()

    def _fields(
        self, operation: str, within: str, namespace: str, ids: Iterable[str], counts: Mapping[str, int]
    ) -> dict[str, Any]:
        return {
            "at": self._now(),
            "operation": operation,
            "within": within if within != operation else "",
            "namespace": namespace,
            "actor": actor(),
            "ids": tuple(islice(ids, MOST_IDS)),
            "counts": dict(counts),
        }

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="microseconds")

    def _keep(self, mark: Mark) -> None:
        if self.anchor is not None:
            self.anchor.write(mark)

    def _gaps(self, tail: Tail, known: str) -> Sequence[dict[str, Any]]:
        """Return entries that name missing entries: the next head would hide that they are gone."""
        kept = mark_of(known)
        missing: list[tuple[str, Head | Mark]] = []
        if tail.lost is not None:
            missing.append(("this process", tail.lost))
        if kept is not None and not tail.holds(kept[0]):
            missing.append(("the database", kept[0]))
        there = None if self.anchor is None else self.anchor.read()
        if there is not None and not tail.holds(there):
            missing.append(("the anchor", there))
        if not missing:
            return ()
        shown = {"operation": GAP, "namespace": "", "actor": actor(), "result": "failed", "at": self._now()}
        return [
            {**shown, "detail": {"known_to": who, "seq": head.seq, "hash": head.hash}} for who, head in missing
        ]
