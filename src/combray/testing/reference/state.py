"""Everything the reference store knows, in plain dicts; a transaction works on a copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.language.indexing import IndexEntry, index_entry
from combray.runtime.queue import Job
from combray.testing.reference.documents import Shelf
from combray.testing.reference.runs import Ledger
from combray.types import LIVE_STATUSES, Edge, Memory, Version

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def seconds(moment: datetime) -> float:
    """Unix seconds, from whole microseconds."""
    return ((moment - EPOCH) // MICROSECOND) / 1_000_000


def moment_at(unix: float) -> datetime:
    """The datetime of unix seconds, to the microsecond."""
    return EPOCH + timedelta(microseconds=round(unix * 1_000_000))


@dataclass(frozen=True, slots=True)
class Row:
    """A memory with its key and what the keyword index holds of it."""

    key: int
    memory: Memory
    entry: IndexEntry

    @property
    def live(self) -> bool:
        """Whether the memory takes part in what is current."""
        return self.memory.status in LIVE_STATUSES and self.shown

    @property
    def shown(self) -> bool:
        """Whether it is not in quarantine: no arm finds what is, and it weighs nothing for the others."""
        return self.memory.trust != "quarantined"

    @property
    def moment(self) -> float:
        """When it happened, else when it was recorded: unix seconds."""
        return seconds(self.memory.moment)

    @property
    def entities(self) -> set[str]:
        """Casefolded names."""
        return {name.casefold() for name in self.memory.entities}

    @property
    def tags(self) -> set[str]:
        """Casefolded tags."""
        return {tag.casefold() for tag in self.memory.tags}


def row_of(key: int, memory: Memory) -> Row:
    """A row with its index entry."""
    return Row(key, memory, index_entry(memory))


EdgePlace = tuple[int, int, str, str]
"""Source key, target key, type, subtype."""


@dataclass(slots=True)
class State:
    """One state of the whole store. Values are never changed in place, so a shallow copy is a copy."""

    rows: dict[int, Row] = field(default_factory=dict)
    versions: dict[int, tuple[Version, ...]] = field(default_factory=dict)
    edges: dict[EdgePlace, Edge] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    vectors: dict[tuple[str, int], bytes] = field(default_factory=dict)
    operations: dict[int, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    revisions: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    shelf: Shelf = field(default_factory=Shelf)
    jobs: dict[tuple[int, str], Job] = field(default_factory=dict)
    last_key: int = 0
    last_operation: int = 0

    def copy(self) -> State:
        """Another state with the same contents."""
        return State(
            rows=dict(self.rows),
            versions=dict(self.versions),
            edges=dict(self.edges),
            models=dict(self.models),
            vectors=dict(self.vectors),
            operations=dict(self.operations),
            revisions=dict(self.revisions),
            ledger=self.ledger.copy(),
            shelf=self.shelf.copy(),
            jobs=dict(self.jobs),
            last_key=self.last_key,
            last_operation=self.last_operation,
        )

    def rows_of(self, namespace: str) -> list[Row]:
        """All rows of a namespace, ascending by key."""
        return [row for _, row in sorted(self.rows.items()) if row.memory.namespace == namespace]

    def row(self, namespace: str, key: int) -> Row | None:
        """The row with that key, if it is of the namespace."""
        row = self.rows.get(key)
        return row if row is not None and row.memory.namespace == namespace else None
