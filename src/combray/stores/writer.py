"""One open write transaction on one namespace: what is the same for every database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from combray.language.indexing import index_entry
from combray.runtime import Arrival, Deeds, Doubt, Lease, Link, Run, Vectors
from combray.stores import indexes
from combray.stores import rows as mapping
from combray.stores.cache import C
from combray.stores.erasing import erase
from combray.stores.indexes import Indexed
from combray.stores.matrix import check_dimensions, encode
from combray.stores.reader import StoredReader
from combray.stores.session import S, missing
from combray.stores.snapshot import Snapshot
from combray.stores.statements import FIELDS
from combray.stores.validity import EMBEDDED, MOST_NAMED, check_changes, check_history, check_memory, must_index
from combray.types import EDGE_TYPES, Memory, Version

Edge = tuple[int, int, int, str]
"""What an edge is known by: source, target, type, subtype."""
Edges = dict[Edge, tuple[float, str | None, str | None]]
"""Edges with weight, reason and maker."""


class StoredWriter(StoredReader[S, C]):
    """Implements `runtime.Writer`, but for the methods that a database supplies. Holds the lock of the namespace.

    `snapshot` is what was committed before the transaction: the cache only ever holds committed rows.
    """

    keeps = False

    def _begin(self, session: S, snapshot: Snapshot, revision: int) -> None:
        """Set the state of the transaction, which commits `revision`."""
        self.session = session
        self.revision_now = revision
        self._snapshot = snapshot
        self._seen = nullcontext((session, snapshot))
        self.queue.revision = revision
        self.erased = False
        self.deeds = Deeds()
        self._touched: dict[int, None] = {}
        self.adds_only = True
        """Whether it has changed no memory, and no vector of one."""
        self._stored_codes: dict[str, dict[int, bytes]] = {}
        """Codes of the vectors that it has stored, by model and key."""
        self._added: dict[int, str] = {}
        """Ids of the memories that this transaction has added, by key."""

    def revision(self) -> int:
        return self.revision_now

    # -- what a database supplies -----------------------------------------------------------------

    @abstractmethod
    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """As `runtime.Writer` has it."""

    @abstractmethod
    def _add_rows(self, ids: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        """Store rows of memories. Return their keys. Raises InvalidInputError for an id that exists."""

    @abstractmethod
    def _add_model(self, name: str, dimensions: int) -> tuple[int, int]:
        """Store a model. Return its number and dimensions."""

    @abstractmethod
    def _hold(self, model: str, keys: Sequence[int]) -> None:
        """Read the vectors of a model as they were committed, before those of some keys change.

        Rows of a transaction that may be rolled back must not get into the matrix.
        """

    @abstractmethod
    def _put_edges(self, edges: Edges, at: int) -> int:
        """Store edges. Return how many are new."""

    # -- reading one's own writes -----------------------------------------------------------------

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        return dict(self.session.of_rows(self.sql.memories.live_with_hash, list(hashes)))

    def next_position(self, session: str) -> int:
        ((last,),) = self.session.of_rows(self.sql.memories.last_position, session)
        return 0 if last is None else int(last) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        until = mapping.END_OF_TIME if before is None else mapping.to_micro(before)
        rows = self.session.of_rows(self.sql.memories.latest, until, source, count)
        return [(int(key), float(moment)) for key, moment in rows]

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        if kinds:
            ((count,),) = self.session.of_rows(self.sql.memories.count_live_of, list(kinds))
        else:
            ((count,),) = self.session.of_rows(self.sql.memories.count_live)
        return int(count)

    def keep(self, name: str, value: str) -> None:
        self.session.of_later(self.sql.namespaces.keep, name, value)

    def _own(self, keys: Iterable[int], snapshot: Snapshot) -> list[int]:
        every = [int(key) for key in keys]
        return super()._own(every, snapshot) + [key for key in every if key in self._added]

    def _must_know(self, keys: Sequence[int]) -> None:
        """Raise NotFoundError unless every key is in the namespace. Asks the database only after an erasure."""
        if self.erased:
            self.session.must_know(keys)
            return
        wanted = {int(key) for key in keys} - self._added.keys()
        if not wanted:
            return
        old = np.array(sorted(wanted), dtype=np.int64)
        for key in old[self._snapshot.slots(old) < 0].tolist():
            raise missing(key, self.namespace)

    # -- what was done ----------------------------------------------------------------------------

    def witnessed(self) -> Deeds:
        """Return the deeds of this transaction so far, with the ids of the first memories it touched."""
        known = set(self.deeds.ids)
        old = [key for key in self._touched if key not in self._added]
        ids: dict[int, str] = dict(self.session.of_rows(self.sql.memories.ids, old)) if old else {}
        ids |= {key: self._added[key] for key in self._touched if key in self._added}
        self.deeds.ids += [memory_id for _, memory_id in sorted(ids.items()) if memory_id not in known]
        return self.deeds

    def _did(self, what: str, keys: Sequence[int], count: int | None = None) -> None:
        """Count a deed and keep the first keys, as many as one audit entry names."""
        self.deeds.add(what, len(keys) if count is None else count)
        if len(self._touched) < MOST_NAMED:
            self._touched.update(dict.fromkeys(int(key) for key in keys[:MOST_NAMED]))

    # -- writing ----------------------------------------------------------------------------------

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        if not arrivals:
            return []
        memories = [each.memory for each in arrivals]
        for memory in memories:
            check_memory(memory)
        ids, entries = [memory.id for memory in memories], [index_entry(memory) for memory in memories]
        number = self.session.number or 0
        rows = [
            mapping.to_row(memory, number, self.revision_now, entry)
            for memory, entry in zip(memories, entries, strict=True)
        ]
        keys = self._add_rows(ids, rows)
        self._index(list(zip(keys, memories, entries, strict=True)))
        self._added |= dict(zip(keys, ids, strict=True))
        self._did("added", keys)
        for model in sorted({name for arrival in arrivals for name in arrival.vectors}):
            given = {key: each.vectors for key, each in zip(keys, arrivals, strict=True) if model in each.vectors}
            self._store_vectors(model, list(given), np.stack([vectors[model] for vectors in given.values()]))
        for model in sorted({name for arrival in arrivals for name in arrival.tokens}):
            rows_of = {key: each.tokens for key, each in zip(keys, arrivals, strict=True) if model in each.tokens}
            self._store_tokens(model, list(rows_of), [tokens[model] for tokens in rows_of.values()])
        return keys

    def _index(self, added: Sequence[Indexed]) -> None:
        indexes.add(self.session, added)

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        self._must_know(keys)
        self.adds_only = False
        self._did("embedded", keys)
        self._hold(model, keys)
        self.session.of_later(self.sql.memories.set_revision, self.revision_now, [int(key) for key in keys])
        self._store_vectors(model, keys, vectors)

    def _store_vectors(self, model: str, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        number, dimensions = self.session.model(model) or self._add_model(model, vectors.shape[1])
        check_dimensions(model, dimensions, vectors.shape[1])
        codes = {int(key): code for key, code in zip(keys, encode(vectors), strict=True)}
        self._stored_codes.setdefault(model, {}).update(codes)
        self.session.of_table_later(self.sql.vectors.put, codes.items(), number)

    def put_tokens(self, model: str, keys: Sequence[int], tokens: Sequence[NDArray[np.int8]]) -> None:
        self._must_know(keys)
        self._did("embedded", keys)
        self._store_tokens(model, keys, tokens)

    def _store_tokens(self, model: str, keys: Sequence[int], tokens: Sequence[NDArray[np.int8]]) -> None:
        if not len(keys):
            return
        number, dimensions = self.session.model(model) or self._add_model(model, tokens[0].shape[1])
        for each in tokens:
            check_dimensions(model, dimensions, each.shape[1])
        codes = zip(map(int, keys), (each.astype(np.int8, copy=False).tobytes() for each in tokens), strict=True)
        self.session.of_table_later(self.sql.tokens.put, codes, number)

    def drop_vectors(self, model: str) -> int:
        self.adds_only = False
        self._hold(model, ())
        count = self.session.of_run(self.sql.vectors.drop_model, model)
        count += self.session.of_run(self.sql.tokens.drop_model, model)
        self.session.of_later(self.sql.namespaces.grow_epoch)
        return count

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        check_changes(changes)
        self.adds_only = False
        session, sql, key = self.session, self.sql, int(key)
        row = session.of_row(sql.memories.whole, [key])
        if row is None:
            raise missing(key, self.namespace)
        names = sorted(changes)
        old = {name: row[1 + FIELDS.index(name)] for name in names}
        if any(changes[name] != old[name] for name in EMBEDDED.intersection(changes)):
            for (model,) in session.of_rows(sql.vectors.models_of, key):
                self._hold(model, [key])
            session.of_later(sql.vectors.drop, key)
            session.of_later(sql.tokens.drop, key)
        session.of_later(sql.versions.add, key, mapping.to_micro(at), actor, operation, mapping.to_json(old))
        assignments = session.numbered(", ".join(f"{name} = ?" for name in [*names, "revision"]), 3)
        values = [mapping.column_value(name, changes[name]) for name in names]
        session.of_later(sql.memories.change.format(assignments=assignments), key, *values, self.revision_now)
        if not {"said_at", "occurred_from", "recorded_at"}.isdisjoint(names):
            session.of_later(sql.memories.set_moment, key)
        before = mapping.to_memory(row, self.namespace)
        if must_index(changes, before):
            self._index_again(key, before)
        elif {"status", "trust"}.intersection(names):
            session.of_later(sql.labels.set_live, key)
            session.of_later(sql.aliases.set_live, key)
        self._did("changed", [key])

    def _index_again(self, key: int, old: Memory) -> None:
        """Replace the terms, the labels and the derived columns of a memory whose texts have changed."""
        (new,) = self.memories([key])
        entry = index_entry(new)
        indexes.remove(self.session, [(key, index_entry(old))])
        indexes.add(self.session, [(key, new, entry)])
        indexes.measure(self.session, [(key, entry)])
        self.session.of_later(self.sql.namespaces.grow_reindexed)

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        self.session.must_know([key])
        check_history(versions, self.session.of_row(self.sql.versions.exists, key))
        rows = []
        for each in versions:
            before = {name: mapping.column_value(name, value) for name, value in each.before.items()}
            at = mapping.microseconds(each.changed_at)
            rows.append((key, each.number, at, each.actor, each.operation, mapping.to_json(before)))
        self.session.of_each_later(self.sql.versions.put, rows)

    def link(self, links: Sequence[Link], at: float) -> int:
        ends = [end for each in links for end in (each.source, each.target)]
        self._must_know(ends)
        edges: Edges = {}
        for each in links:
            maker = None if each.created_by == "combray" else each.created_by
            edge = (int(each.source), int(each.target), EDGE_TYPES.index(each.type), each.subtype)
            weight, reason, made_by = edges.get(edge, (each.weight, each.reason or None, maker))
            edges[edge] = (max(weight, each.weight), reason, made_by)
        new = self._put_edges(edges, mapping.to_micro(at)) if edges else 0
        # Edges of a new memory are reported with it; for edges alone, both ends are reported.
        self._did("linked", ends if "added" not in self.deeds.counts else [], new)
        return new

    def unlink(self, source: int, target: int, type_: str) -> int:
        count = self.session.of_run(self.sql.edges.remove, source, target, EDGE_TYPES.index(type_))
        self.deeds.add("unlinked", count)
        return count

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        rows = [(int(key), times, mapping.to_micro(at)) for key, (times, at) in sorted(accesses.items())]
        self.session.of_each_later(self.sql.memories.touch, rows)

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        moment = mapping.to_micro(at)
        self.session.of_later(self.sql.namespaces.log_operation, moment, operation, memory_id, detail)
        self.deeds.operation = operation
        self.deeds.add("noted")
        if memory_id and memory_id not in self.deeds.ids:
            self.deeds.ids.append(memory_id)

    def erase(self, keys: Sequence[int], at: float) -> None:
        self.adds_only = False
        ids = self._erase([int(key) for key in keys])
        self.erased = True
        self._added = {key: known for key, known in self._added.items() if known not in ids}
        self.deeds.ids += ids[:MOST_NAMED]
        self.deeds.add("erased", len(ids))
        self.note("erase", "", f"{len(ids)} memories", at)

    def _erase(self, keys: Sequence[int]) -> list[str]:
        return erase(self.session, keys)

    # -- runs of consolidation, leases ------------------------------------------------------------

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        ended = None if run.ended is None else mapping.to_micro(run.ended)
        started, counts = mapping.to_micro(run.started), mapping.to_json(dict(run.counts))
        self.session.of_later(self.sql.runs.put, run.id, started, ended, run.state, counts)
        if parts:
            self.session.of_later(self.sql.runs.put_parts, run.id, list(parts))

    def take_part(self, run: str) -> str | None:
        row = self.session.of_row(self.sql.runs.take_part, run)
        return None if row is None else str(row[0])

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        self.session.must_know(key for each in doubts for key in (each.first, each.second))
        rows = [
            (each.first, each.second, each.reason, each.answer, int(each.halved), each.run) for each in doubts
        ]
        self.session.of_each_later(self.sql.runs.put_doubt, rows)

    def drop_doubts(self, run: str) -> int:
        return self.session.of_run(self.sql.runs.drop_doubts, run)

    def lease(self, name: str) -> Lease | None:
        row = self.session.of_row(self.sql.runs.lease, name)
        if row is None:
            return None
        holder, until = row
        mapping.reading("a lease", lambda: mapping.moment_of(until))
        return Lease(holder, mapping.to_seconds(until))

    def put_lease(self, name: str, lease: Lease | None) -> None:
        if lease is None:
            self.session.of_later(self.sql.runs.drop_lease, name)
        else:
            self.session.of_later(self.sql.runs.put_lease, name, lease.holder, mapping.to_micro(lease.until))
