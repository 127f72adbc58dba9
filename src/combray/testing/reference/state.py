"""Everything the reference store holds, in plain dicts; a transaction works on a copy."""

from __future__ import annotations

from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from combray.errors import NotFoundError
from combray.language.indexing import IndexEntry, index_entry
from combray.records import dataclass, field, fields
from combray.runtime import Document, Doubt, Lease, Run, Workspace
from combray.runtime.queue import Job
from combray.types import LIVE_STATUSES, Edge, Memory, Version

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def seconds(moment: datetime) -> float:
    """Return unix seconds, from whole microseconds."""
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / 1_000_000


def moment_at(unix: float) -> datetime:
    """Return the datetime of unix seconds, to the microsecond."""
    return _EPOCH + timedelta(microseconds=round(unix * 1_000_000))


class Row:
    """A memory with its key and its entry in the keyword index."""

    def __init__(self, key: int, memory: Memory) -> None:
        self.key = key
        self.memory = memory
        self.entry: IndexEntry = index_entry(memory)
        self.moment = seconds(memory.moment)
        self.shown = memory.trust != "quarantined"
        self.teaches = memory.status != "forgotten" and memory.trust in ("owner", "agent")
        self.live = memory.status in LIVE_STATUSES and self.shown
        self.entities = {name.casefold() for name in memory.entities}
        self.tags = {tag.casefold() for tag in memory.tags}


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk: root and path of its file (None: loose), its place there, the hash of its text."""

    file: tuple[str, str] | None
    position: int
    hash: str


@dataclass
class NamespaceRows:
    """One namespace. Values are replaced and never changed in place, so a shallow copy is a copy."""

    revision: int = 0
    rows: dict[int, Row] = field(default_factory=dict)
    """By key, ascending."""
    versions: dict[int, tuple[Version, ...]] = field(default_factory=dict)
    edges: dict[tuple[int, int, str, str], Edge] = field(default_factory=dict)
    """By source key, target key, type, subtype."""
    vectors: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """By model and key: int8 codes."""
    tokens: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """By model and key: int8 codes of the tokens."""
    operations: list[dict[str, Any]] = field(default_factory=list)
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    files: dict[tuple[str, str], Document] = field(default_factory=dict)
    chunks: dict[int, ChunkRow] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    parts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: dict[tuple[int, int], Doubt] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    jobs: dict[tuple[int, str], Job] = field(default_factory=dict)
    """By key and model."""

    def row(self, key: int) -> Row:
        """Return the row with that key. Raises NotFoundError."""
        if key not in self.rows:
            raise NotFoundError(f"memory key {key} is not in this namespace. Read its key again by its id.")
        return self.rows[key]


@dataclass
class StoreState:
    """The whole store. Keys, operation numbers and the dimensions of a model are shared by all namespaces."""

    spaces: dict[str, NamespaceRows] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    last_key: int = 0
    last_operation: int = 0


T = TypeVar("T", NamespaceRows, StoreState)


def copied(one: T) -> T:
    """Return a copy with dicts of its own."""
    return type(one)(**{each.name: copy(getattr(one, each.name)) for each in fields(one)})
