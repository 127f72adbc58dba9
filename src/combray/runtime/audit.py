"""Protocols between stores and the audit: what a write did, who witnesses it, what a memory consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from combray.records import dataclass, field


@dataclass(slots=True)
class Deeds:
    """What a transaction has done so far: counts by operation, and the ids of the first memories it touched.

    `operation`: the name of its last line in the operation log. `seq`: its audit entry, once written.

    `kept`: bytes of unflushed audit lines that the store keeps; None if it keeps none. `unflushed`: the lines to
    keep with this commit too. "" drops those that are kept, because they are on disk now, and None drops them
    because nothing is kept.
    """

    counts: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    operation: str = "write"
    seq: int = 0
    kept: int | None = None
    unflushed: str | None = None

    def add(self, what: str, count: int = 1) -> None:
        """Add to a count."""
        if count:
            self.counts[what] = self.counts.get(what, 0) + count


class Witness(Protocol):
    """Called once per transaction, before commit. May forbid it."""

    def ask(self, in_database: Callable[[], str], unflushed: Callable[[], str] = str) -> None:
        """Accept functions that read what the store keeps for the witness: its text, and `Deeds.unflushed`."""

    def committing(self, namespace: str, deeds: Deeds, known: str) -> str:
        """Return the text to keep with this commit; `known` is the current one. Raises StoreError to forbid."""

    def rolled_back(self, namespace: str, deeds: Deeds, error: BaseException) -> None:
        """Record that an announced commit failed. Never raises."""


class Audit(Protocol):
    """Records operations that write nothing to the store: reads, refusals, decisions of the guard."""

    problem: str

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
        """Write one entry and return its number.

        Only a keyed digest of `query` is stored. `detail` must not quote a memory. If the log cannot be
        written, returns 0 and sets `problem`.
        """

    def close(self) -> None:
        """Close its files."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Bytes that must not exist after an erasure, and their kind: text, word, entity, vector, …"""

    kind: str
    value: bytes


@runtime_checkable
class Provable(Protocol):
    """A store that can list what a memory consists of, and what is left of it."""

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        """What only these memories hold, as bytes; empty for memories that are not there."""

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        """Tables that still name one of the keys."""

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        """Return the traces that other memories contain too."""

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        """Return (table, trace) for rows of the keyword index, or of all tables if `everywhere`."""

    def let_go(self) -> bool:
        """Clear caches, and remove erased data from the file and the write-ahead log.

        Return False if that is not possible now: another reader is active, or the disk is full.
        """

    def files(self) -> list[str]:
        """Return every file whose name starts with the store's, sorted; none for a store in memory."""
