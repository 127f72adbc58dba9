"""The words stores and the audit share: what a write did, who is told, and what a memory was made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(slots=True)
class Deeds:
    """What a transaction has done so far: how often what, and the ids of the first memories it touched.

    `operation`: what its last line in the operation log is called. `seq`: its entry in the audit, once written.
    """

    counts: dict[str, int] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    operation: str = "write"
    seq: int = 0

    def add(self, what: str, count: int = 1) -> None:
        """Count something done."""
        if count:
            self.counts[what] = self.counts.get(what, 0) + count


class Witness(Protocol):
    """Is told of every transaction before it is committed, and may forbid it."""

    def ask(self, in_database: Callable[[], str]) -> None:
        """Take what reads the text that the store keeps for the witness; "" before the first."""
        ...

    def committing(self, namespace: str, deeds: Deeds, known: str) -> str:
        """The text to keep with this commit; `known` is the one kept so far. Raises StoreError to forbid it."""
        ...

    def rolled_back(self, namespace: str, deeds: Deeds, error: BaseException) -> None:
        """A commit that was announced failed. Never raises."""
        ...


class Audit(Protocol):
    """Where operations that write nothing to the store are written down: reads, refusals, a guard's decisions."""

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
        """Write one entry; its number. Of `query` only a keyed digest is kept; `detail` must quote no memory.

        Never raises when the log cannot be written: gives 0, and `problem` says why.
        """
        ...

    def close(self) -> None:
        """Release its files."""
        ...


@dataclass(frozen=True, slots=True)
class Trace:
    """Bytes that must be nowhere once a memory is erased, and what they are: text, word, entity, vector, …"""

    kind: str
    value: bytes


@runtime_checkable
class Provable(Protocol):
    """A store that can tell what a memory consists of, and what of it is left."""

    def traces(self, namespace: str, keys: Sequence[int]) -> list[Trace]:
        """What only these memories hold, as bytes; empty for memories that are not there."""
        ...

    def rows_left(self, keys: Sequence[int]) -> list[str]:
        """Tables that still name one of the keys."""
        ...

    def shared(self, traces: Sequence[Trace]) -> set[Trace]:
        """Those that other memories hold too."""
        ...

    def rows_holding(
        self, namespace: str, traces: Sequence[Trace], *, everywhere: bool
    ) -> list[tuple[str, Trace]]:
        """Which rows still hold what, as (table, trace): of the keyword index; `everywhere`: of all tables."""
        ...

    def let_go(self) -> bool:
        """Drop everything kept in memory, and have what was erased out of file and write-ahead log.

        False if that has to wait: somebody else reads, or the disk is full.
        """
        ...

    def files(self) -> list[str]:
        """Every file beside the store whose name begins with the store's, sorted; none for one in memory."""
        ...
