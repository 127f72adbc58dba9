"""The audit log of one open store. Writes are recorded before they commit, reads before they return.

If an entry cannot be written, a write is refused. A read returns its answer, and `problem` gives the reason.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from combray.audit import anchor as anchors
from combray.audit.anchor import AnchorFile
from combray.audit.audited import actor, current, found
from combray.audit.chain import Drafting, FileChain, Mark, MemoryChain, Tail
from combray.audit.entry import GAP, MOST_IDS, Head
from combray.audit.key import AuditKey
from combray.errors import DiskFullError, StoreError
from combray.runtime import Clock, Deeds

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
        kept = anchors.from_text(known)
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
        return anchors.to_text(mark, mark.seq)

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
        return anchors.from_text(self._in_database())

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
        kept = anchors.from_text(known)
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
