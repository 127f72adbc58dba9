"""Everything the reference store knows, in plain dicts; a transaction works on a copy."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.language.indexing import IndexEntry, index_entry
from combray.runtime import Document, Doubt, Lease, Run, Workspace
from combray.runtime.queue import Job
from combray.types import LIVE_STATUSES, Edge, Memory, Version

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def seconds(moment: datetime) -> float:
    """Unix seconds, from whole microseconds."""
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / 1_000_000


def moment_at(unix: float) -> datetime:
    """The datetime of unix seconds, to the microsecond."""
    return _EPOCH + timedelta(microseconds=round(unix * 1_000_000))


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
FilePlace = tuple[str, str, str]
"""Namespace, root, path."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its memory's namespace, the file that has it (None: loose), its place there, its text's hash."""

    namespace: str
    file: FilePlace | None
    position: int
    hash: str


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
    workspaces: dict[tuple[str, str], Workspace] = field(default_factory=dict)
    files: dict[FilePlace, Document] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    runs: dict[tuple[str, str], Run] = field(default_factory=dict)
    parts: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    doubts: dict[tuple[str, int, int], Doubt] = field(default_factory=dict)
    leases: dict[tuple[str, str], Lease] = field(default_factory=dict)
    jobs: dict[tuple[int, str], Job] = field(default_factory=dict)
    last_key: int = 0
    last_operation: int = 0

    def copy(self) -> State:
        """Another state with the same contents."""
        return State(**{each.name: copy(getattr(self, each.name)) for each in fields(self)})

    def rows_of(self, namespace: str) -> list[Row]:
        """All rows of a namespace, ascending by key."""
        return [row for _, row in sorted(self.rows.items()) if row.memory.namespace == namespace]

    def row(self, namespace: str, key: int) -> Row | None:
        """The row with that key, if it is of the namespace."""
        row = self.rows.get(key)
        return row if row is not None and row.memory.namespace == namespace else None
