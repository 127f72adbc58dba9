"""Single memories by id: get, link, related, forget, restore, erase, history, and what could be let go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from combray.audit.audited import audited
from combray.errors import InvalidInputError, NotFoundError
from combray.language.quality import warnings
from combray.remember.retain import effective_importance, immune, last_used
from combray.runtime import Filter, Link, Reader, Runtime
from combray.types import EDGE_TYPES, STATUSES, Edge, EdgeType, Memory, Version
from combray.values import clean_text, one_of

if TYPE_CHECKING:
    from combray.audit.erasure import Certificate, Derived

_DAY = 86_400.0
_KEEP_ACCESSES = 3


@dataclass(frozen=True, slots=True)
class Related:
    """A memory near another in the graph: how many steps away, and the kind of edge that led there."""

    memory: Memory
    depth: int
    via: str
    weight: float


@dataclass(frozen=True, slots=True)
class GcCandidate:
    """A memory that matters little now. Immune ones are never hidden by themselves."""

    memory: Memory
    effective_importance: float
    days_since_access: float
    edge_count: int
    immune: bool


@dataclass(frozen=True, slots=True)
class Review:
    """A memory whose text shows signs of not keeping, and which."""

    memory: Memory
    warnings: tuple[str, ...]


class Keeping:
    """The engine's verbs on single memories."""

    if TYPE_CHECKING:
        runtime: Runtime
        namespace: str

        @property
        def reader(self) -> Reader: ...  # noqa: D102
        @property
        def trusts(self) -> tuple[str, ...]: ...  # noqa: D102

    def key_of(self, memory_id: str) -> int:
        """The store's key of an id, or of a prefix of at least eight characters. Raises NotFoundError."""
        if not isinstance(memory_id, str):
            raise InvalidInputError("id", f"must be a text, not {memory_id!r}.")
        wanted = memory_id.strip()
        key = self.reader.keys_of([wanted]).get(wanted)
        if key is None:
            raise NotFoundError(
                f"no memory {memory_id!r} in namespace {self.namespace!r}; "
                "give the full id, or at least its first eight characters if only one id starts so"
            )
        return key

    @audited("get")
    def get(self, memory_id: str) -> Memory:
        """The memory of an id. Raises NotFoundError."""
        return self.reader.memories([self.key_of(memory_id)])[0]

    @audited("link", reads=False)
    def link(
        self,
        source: str,
        target: str,
        *,
        type: EdgeType = "semantic",
        weight: float = 0.5,
        subtype: str = "",
        reason: str = "",
    ) -> Edge:
        """Link two memories by hand; causal edges run from cause to effect. Weight is 0-1."""
        kind = one_of("type", type, EDGE_TYPES)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 <= weight <= 1.0:
            raise InvalidInputError("weight", f"{weight!r} is out of range.", "Use 0 to 1.")
        clean_text("reason", reason, 2000)
        clean_text("subtype", subtype, 100)
        here, there = self.key_of(source), self.key_of(target)
        if here == there:
            raise InvalidInputError("target", "is the memory itself.", "Name another one.")
        now = self.runtime.clock()
        with self.runtime.store.transaction(self.namespace) as tx:
            ids = [memory.id for memory in tx.memories([here, there])]
            tx.link([Link(here, there, kind, float(weight), subtype, reason, "user")], now)
            tx.note("link", ids[0], f"{kind} to {ids[1]}", now)
        return Edge(
            source=ids[0],
            target=ids[1],
            type=kind,
            subtype=subtype,
            weight=float(weight),
            reason=reason,
            created_by="user",
            created_at=datetime.fromtimestamp(now, UTC),
        )

    @audited("related")
    def related(self, memory_id: str, *, type: EdgeType | None = None, depth: int = 2) -> list[Related]:
        """Live memories within `depth` steps (1-10) in the graph, nearest first, then by weight."""
        if type is not None:
            one_of("type", type, EDGE_TYPES)
        if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= 10:
            raise InvalidInputError("depth", f"{depth!r} is out of range.", "Use 1 to 10.")
        start = self.key_of(memory_id)
        reader = self.reader
        found: dict[int, tuple[int, str, float]] = {}
        frontier = [start]
        for step in range(1, depth + 1):
            reached: dict[int, tuple[int, str, float]] = {}
            for link in reader.links(frontier, (type,) if type else ()):
                for end in (link.source, link.target):
                    better = reached.get(end, (0, "", -1.0))[2] < link.weight
                    if end != start and end not in found and better:
                        reached[end] = (step, link.type, link.weight)
            found.update(reached)
            frontier = sorted(reached)
        keys = sorted(found, key=lambda key: (found[key][0], -found[key][2], key))
        live = {"active", "pending_embed", "superseded"}
        return [
            Related(memory, *found[key])
            for key, memory in zip(keys, reader.memories(keys), strict=True)
            if memory.status in live and memory.trust in self.trusts
        ]

    @audited("forget", reads=False)
    def forget(self, memory_id: str) -> Memory:
        """Hide a memory from recall; `restore` brings it back, `erase` destroys it."""
        return self._set_status(memory_id, "forget", "forgotten")

    @audited("restore", reads=False)
    def restore(self, memory_id: str) -> Memory:
        """Bring back a forgotten, superseded, merged or deprecated memory, beside what replaced it."""
        return self._set_status(memory_id, "restore", "active")

    def _set_status(self, memory_id: str, operation: str, status: str) -> Memory:
        if status not in STATUSES:
            raise InvalidInputError("status", f"{status!r} is not known.", f"Use one of: {', '.join(STATUSES)}.")
        now = self.runtime.clock()
        key = self.key_of(memory_id)
        with self.runtime.store.transaction(self.namespace) as tx:
            memory = tx.memories([key])[0]
            if memory.status != status:
                changes: dict[str, Any] = {"status": status}
                if status == "active":
                    changes.update(superseded_by=None, merged_into=None)
                    if memory.superseded_by is not None:
                        changes.update(valid_to=_until_superseded(tx.history(key)))
                tx.change(key, operation, "user", now, **changes)
                tx.note(operation, memory.id, "", now)
            return tx.memories([key])[0]

    @audited("derived")
    def derived(self, memory_id: str) -> Derived:
        """What else has to do with a memory: made of its words, resting on it, or quoting it. To look at before
        it is erased; reads the whole namespace. Raises NotFoundError.
        """
        from combray.audit import erasure

        return erasure.derived(self.reader, self.get(memory_id))

    @audited("erase", reads=False)
    def erase(
        self,
        memory_id: str,
        *,
        derived: bool = False,
        prove: bool = False,
        also: Sequence[str | PathLike[str]] = (),
    ) -> Certificate | None:
        """Destroy a memory and every trace of it in the file. Cannot be undone; backups keep what they hold.

        What Combray itself made of its words (consolidation, auto-memory) goes with it; `derived`: what names it
        as evidence too. `prove` searches every file of the store afterwards for what the memory was made of, and
        older copies: those beside it, those the audit knows of, and `also`. It gives a certificate, and writes it
        into the audit. Raises NotFoundError, StoreError.
        """
        from combray.audit import erasure
        from combray.language.caches import forget_texts

        key = self.key_of(memory_id)
        store, reader = self.runtime.store, self.reader
        (memory,) = reader.memories([key])
        telling = erasure.provable(self.runtime).traces if prove else None
        around = erasure.derived(reader, memory) if prove or derived else erasure.Derived()
        resting = list(reader.keys_of([each.id for each in around.resting]).values()) if derived else []
        keys = list(dict.fromkeys((key, *erasure.made_of(reader, memory), *resting)))
        ids = [each.id for each in reader.memories(keys)]
        traces = telling(self.namespace, keys) if telling else []
        with store.transaction(self.namespace) as tx:
            tx.erase(list(dict.fromkeys((*keys, *erasure.made_of(tx, memory)))), self.runtime.clock())
        forget_texts()
        if not prove:
            return None
        quoted_by = [each.id for each in (*around.resting, *around.quoting) if each.id not in ids]
        with_it = [each for each in ids if each != memory.id]
        more = [fspath(each) for each in (*also, around.file) if each]
        erased = erasure.Erased(memory.id, tuple(with_it), tuple(quoted_by), tuple(keys), tuple(traces))
        return erasure.prove(self.runtime, self.namespace, erased, more)

    @audited("history")
    def history(self, memory_id: str) -> list[Version]:
        """Every change of a memory, oldest first: who, when, what, and the fields before."""
        return self.reader.history(self.key_of(memory_id))

    @audited("keep", reads=False)
    def keep(self, memory_id: str) -> Memory:
        """Say that a memory matters: three accesses more, which makes it immune to pruning."""
        now = self.runtime.clock()
        key = self.key_of(memory_id)
        with self.runtime.store.transaction(self.namespace) as tx:
            tx.touch({key: (_KEEP_ACCESSES, now)})
            tx.note("keep", tx.memories([key])[0].id, "", now)
        return self.reader.memories([key])[0]

    @audited("gc")
    def gc(self, *, threshold: float = 0.5, limit: int = 20) -> list[GcCandidate]:
        """Memories whose effective importance is below the threshold, least important first. Hides nothing."""
        reader = self.reader
        now = self.runtime.clock()
        keys = reader.scan(Filter())
        if not len(keys):
            return []
        rows = reader.rows(keys)
        counted = reader.accesses(keys)
        used = last_used(reader, keys, rows, counted)
        every = [int(key) for key in keys]
        degree = dict.fromkeys(every, 0)
        for link in reader.links(every):
            for end in {link.source, link.target} & degree.keys():
                degree[end] += 1
        scored = []
        for at, key in enumerate(every):
            days = (now - float(used[at])) / _DAY
            accesses = float(counted[at])
            value = effective_importance(int(rows.importance[at]), accesses, days, degree[key])
            if value < threshold:
                scored.append((round(value, 6), key, days, immune(int(rows.importance[at]), accesses)))
        chosen = sorted(scored)[:limit]
        memories = reader.memories(key for _, key, _, _ in chosen)
        return [
            GcCandidate(memory, value, round(days, 2), degree[key], safe)
            for memory, (value, key, days, safe) in zip(memories, chosen, strict=True)
        ]

    @audited("review")
    def review(self, limit: int = 20) -> list[Review]:
        """Memories with quality warnings, most warnings first."""
        reader = self.reader
        found = []
        for memory in reader.memories(reader.scan(Filter(kinds=("fact", "insight", "summary")))):
            messages = tuple(warning.message for warning in warnings(memory.content))
            if messages:
                found.append(Review(memory, messages))
        found.sort(key=lambda each: (-len(each.warnings), each.memory.id))
        return found[:limit]


def _until_superseded(versions: list[Version]) -> datetime | None:
    """The end of validity that a memory had before it was superseded, if it had one."""
    ends = [each.before.get("valid_to") for each in versions if each.operation == "supersede"]
    return ends[-1] if ends else None
