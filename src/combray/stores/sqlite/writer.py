"""One open write transaction on one namespace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from combray.errors import InvalidInputError
from combray.language.indexing import index_entry
from combray.runtime import Arrival, Deeds, Doubt, Lease, Link, Run, Vectors
from combray.stores import rows as mapping
from combray.stores.derived_rows import Indexed
from combray.stores.matrix import check_dimensions, encode
from combray.stores.rows import listed
from combray.stores.snapshot import Snapshot
from combray.stores.sqlite import indexes, sql
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.erasing import erase
from combray.stores.sqlite.namespace import missing
from combray.stores.sqlite.queue import SqliteQueue
from combray.stores.sqlite.reader import SqliteReader
from combray.stores.statements import FIELDS
from combray.stores.validity import EMBEDDED, MOST_NAMED, check_changes, check_history, check_memory, must_index
from combray.types import EDGE_TYPES, Memory, Version

_EDGE_CODES = {name: code for code, name in enumerate(EDGE_TYPES)}


class SqliteWriter(SqliteReader):
    """Implements `runtime.Writer`. Reads use the write connection."""

    _keeps = False

    def __init__(self, namespace: str, cache: NamespaceCache, connection: sqlite3.Connection) -> None:
        super().__init__(namespace, cache, lambda: nullcontext(connection))
        self.connection = connection
        self.erased = False
        self.deeds = Deeds()
        self._touched: dict[int, None] = {}
        self._indexed: list[Indexed] = []
        self._added: dict[int, str] = {}
        """Ids of the memories that this transaction has added, by key."""
        self._rewords = False
        """Whether it has changed the words of a memory."""
        state = connection.execute(sql.namespaces.state, (namespace,)).fetchone()
        if state is None:
            connection.execute(sql.namespaces.add, (namespace,))
            state = connection.execute(sql.namespaces.state, (namespace,)).fetchone()
        number, revision, *_ = state
        self.number = self.scope.known = int(number)
        # Caught up before the first write, so that the cache only ever holds committed rows.
        self._snapshot = cache.catch_up(connection)
        self.revision_now = int(revision) + 1
        self.queue = SqliteQueue(self.scope, self.revision_now)
        connection.execute(sql.namespaces.set_revision, (self.number, self.revision_now))

    @contextmanager
    def _view(self) -> Iterator[tuple[sqlite3.Connection, Snapshot]]:
        yield self.connection, self._snapshot

    def revision(self) -> int:
        return self.revision_now

    def contents(self, keys: Iterable[int]) -> list[str]:
        wanted = list(keys)
        # What is written here may be rolled back, and the key of a new memory given to another one.
        if self.erased or self._rewords or not self._added.keys().isdisjoint(wanted):
            return super().contents(wanted)
        return self._kept(sql.memories.contents, wanted, self.cache.texts, self._snapshot)

    # -- reading one's own writes -----------------------------------------------------------------

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        return dict(self.scope.rows(sql.memories.live_with_hash, listed(hashes)))

    def next_position(self, session: str) -> int:
        (last,) = self.scope.row(sql.memories.last_position, session)
        return 0 if last is None else int(last) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        until = mapping.END_OF_TIME if before is None else mapping.to_micro(before)
        rows = self.scope.rows(sql.memories.latest, until, source, count)
        return [(int(key), float(moment)) for key, moment in rows]

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        found = {}
        for entity in entities:
            name = entity.casefold()
            newest = self.scope.rows(sql.labels.newest_naming, name, per_entity)
            (count,) = self.scope.row(sql.labels.count_naming, name)
            found[entity] = (int(count), [int(row[0]) for row in newest])
        return found

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        if kinds:
            return int(self.scope.row(sql.memories.count_live_of, listed(kinds))[0])
        return int(self.scope.row(sql.memories.count_live)[0])

    def keep(self, name: str, value: str) -> None:
        self.connection.execute(sql.settings.put, (f"{self.number}:{name}", value))

    def _own(self, keys: Iterable[int], snapshot: Snapshot) -> list[int]:
        every = list(keys)
        return super()._own(every, snapshot) + [key for key in every if key in self._added]

    # -- what was done ----------------------------------------------------------------------------

    def witnessed(self) -> Deeds:
        """Return the deeds of this transaction so far, with the ids of the first memories it touched."""
        known = set(self.deeds.ids)
        old = [key for key in self._touched if key not in self._added]
        ids = dict(self.scope.rows(sql.memories.ids, listed(old))) if old else {}
        ids |= {key: self._added[key] for key in self._touched if key in self._added}
        self.deeds.ids += [memory_id for _, memory_id in sorted(ids.items()) if memory_id not in known]
        return self.deeds

    def _did(self, what: str, keys: Sequence[int], count: int | None = None) -> None:
        """Count a deed and keep the first keys, as many as one audit entry names."""
        self.deeds.add(what, len(keys) if count is None else count)
        if len(self._touched) < MOST_NAMED:
            self._touched.update(dict.fromkeys(keys[:MOST_NAMED]))

    def committed(self) -> None:
        """Give the cache what this transaction has added. Called after its commit."""
        with self.cache.lock:
            self.cache.postings.offer({key: entry.fields for key, _, entry in self._indexed})
            if len(self._indexed) == 1:
                # The next writes compare themselves with it.
                self.cache.texts.add({key: memory.content for key, memory, _ in self._indexed})

    # -- writing ----------------------------------------------------------------------------------

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        added: list[Indexed] = []
        for arrival in arrivals:
            memory = arrival.memory
            check_memory(memory)
            entry = index_entry(memory)
            row = mapping.to_row(memory, self.number, self.revision_now, entry)
            try:
                key = self.connection.execute(sql.memories.add, row).lastrowid
            except errors("IntegrityError") as error:
                problem = f"{memory.id!r} already exists in namespace {self.namespace!r}."
                raise InvalidInputError("id", problem) from error
            added.append((int(key or 0), memory, entry))
        indexes.add(self.connection, self.number, added)
        self._indexed += added
        keys = [key for key, _, _ in added]
        self._added |= {key: memory.id for key, memory, _ in added}
        self._did("added", keys)
        for model in sorted({name for arrival in arrivals for name in arrival.vectors}):
            given = {key: each.vectors for key, each in zip(keys, arrivals, strict=True) if model in each.vectors}
            self._store_vectors(model, list(given), np.stack([vectors[model] for vectors in given.values()]))
        return keys

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        self.scope.must_know(keys)
        self._did("embedded", keys)
        # The matrix must be filled from committed rows, before these change.
        self.cache.matrix(self.connection, model, self._snapshot)
        self.scope.write(sql.memories.set_revision, self.revision_now, listed(keys))
        self._store_vectors(model, keys, vectors)

    def _store_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        known = self.connection.execute(sql.vectors.model, (model,)).fetchone()
        if known is None:
            self.connection.execute(sql.vectors.add_model, (model, vectors.shape[1]))
            known = self.connection.execute(sql.vectors.model, (model,)).fetchone()
        number, dimensions = known
        check_dimensions(model, dimensions, vectors.shape[1])
        codes = zip(keys, encode(vectors), strict=True)
        self.scope.write_each(sql.vectors.put, [(number, key, code) for key, code in codes])

    def drop_vectors(self, model: str) -> int:
        # As in put_vectors: rows of a rolled back transaction must not get into the matrix.
        self.cache.matrix(self.connection, model, self._snapshot)
        count = self.scope.write(sql.vectors.drop_model, model)
        self.scope.write(sql.namespaces.grow_epoch)
        return count

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        check_changes(changes)
        row = self.connection.execute(sql.memories.whole, (self.number, listed([key]))).fetchone()
        if row is None:
            raise missing(key, self.namespace)
        names = sorted(changes)
        old = {name: row[1 + FIELDS.index(name)] for name in names}
        if any(changes[name] != old[name] for name in EMBEDDED.intersection(changes)):
            for (model,) in self.scope.rows(sql.vectors.models_of, key):
                # As in put_vectors.
                self.cache.matrix(self.connection, model, self._snapshot)
            self.scope.write(sql.vectors.drop, key)
        version = (key, mapping.to_micro(at), actor, operation, mapping.to_json(old))
        self.connection.execute(sql.versions.add, version)
        assignments = ", ".join(f"{name} = ?" for name in [*names, "revision"])
        values = [mapping.column_value(name, changes[name]) for name in names]
        statement = sql.memories.change.format(assignments=assignments)
        self.connection.execute(statement, (*values, self.revision_now, key))
        if not {"said_at", "occurred_from", "recorded_at"}.isdisjoint(names):
            self.connection.execute(sql.memories.set_moment, (key,))
        before = mapping.to_memory(row, self.namespace)
        if must_index(changes, before):
            self._index_again(key, before)
        elif {"status", "trust"}.intersection(names):
            self.connection.execute(sql.labels.set_live, (key,))
            self.connection.execute(sql.aliases.set_live, (key,))
        self._did("changed", [key])

    def _index_again(self, key: int, old: Memory) -> None:
        """Replace the terms, the labels and the derived columns of a memory whose texts have changed."""
        self._rewords = True
        (new,) = self.memories([key])
        entry = index_entry(new)
        indexes.remove(self.connection, self.number, [(key, index_entry(old))])
        indexes.add(self.connection, self.number, [(key, new, entry)])
        indexes.measure(self.connection, key, entry)
        self.scope.write(sql.namespaces.grow_reindexed)

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        self.scope.must_know([key])
        check_history(versions, self.connection.execute(sql.versions.exists, (key,)).fetchone())
        for each in versions:
            before = {name: mapping.column_value(name, value) for name, value in each.before.items()}
            at = mapping.microseconds(each.changed_at)
            version = (key, each.number, at, each.actor, each.operation, mapping.to_json(before))
            self.connection.execute(sql.versions.put, version)

    def link(self, links: Sequence[Link], at: float) -> int:
        if not links:
            return 0
        self._must_know({end for each in links for end in (each.source, each.target)})
        moment = mapping.to_micro(at)
        rows, places = [], set[tuple[int, int, int, str]]()
        for each in links:
            place = (each.source, each.target, _EDGE_CODES[each.type], each.subtype)
            maker = None if each.created_by == "combray" else each.created_by
            rows.append((*place, each.weight, each.reason or None, maker, moment))
            places.add(place)
        # An edge of a memory of this transaction cannot exist yet: no need to look it up.
        added = self._added
        old = [each for each in places if each[0] not in added and each[1] not in added]
        known = sum(int(self.connection.execute(sql.edges.count_same, each).fetchone()[0]) for each in old)
        self.connection.executemany(sql.edges.put, rows)
        new = len(places) - known
        # Edges of a new memory are reported with it; for edges alone, both ends are reported.
        alone = "added" not in self.deeds.counts
        ends = [end for each in links for end in (each.source, each.target)] if alone else []
        self._did("linked", ends, new)
        return new

    def _must_know(self, keys: set[int]) -> None:
        """As `Namespace.must_know`, but only keys are looked up that are neither new nor in the columns."""
        left = np.array(sorted(keys - self._added.keys()), dtype=np.int64)
        if not self.erased:
            left = left[self._snapshot.slots(left) < 0]
        if len(left):
            self.scope.must_know(left.tolist())

    def unlink(self, source: int, target: int, type_: str) -> int:
        count = self.scope.write(sql.edges.remove, source, target, EDGE_TYPES.index(type_))
        self.deeds.add("unlinked", count)
        return count

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        rows = [(key, times, mapping.to_micro(at)) for key, (times, at) in sorted(accesses.items())]
        self.scope.write_each(sql.memories.touch, rows)

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        self.scope.write(sql.namespaces.log_operation, mapping.to_micro(at), operation, memory_id, detail)
        self.deeds.operation = operation
        self.deeds.add("noted")
        if memory_id and memory_id not in self.deeds.ids:
            self.deeds.ids.append(memory_id)

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        ended = None if run.ended is None else mapping.to_micro(run.ended)
        started, counts = mapping.to_micro(run.started), mapping.to_json(dict(run.counts))
        self.scope.write(sql.runs.put, run.id, started, ended, run.state, counts, run.seen)
        (last,) = self.scope.row(sql.runs.last_part, run.id)
        self.scope.write_each(sql.runs.put_part, [(run.id, *part) for part in enumerate(parts, last + 1)])

    def take_part(self, run: str) -> str | None:
        row = self.scope.row(sql.runs.first_part, run)
        if row is None:
            return None
        self.scope.write(sql.runs.remove_part, run, row[0])
        return str(row[1])

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        self.scope.must_know(key for each in doubts for key in (each.first, each.second))
        rows = [
            (each.first, each.second, each.reason, each.answer, int(each.halved), each.run) for each in doubts
        ]
        self.scope.write_each(sql.runs.put_doubt, rows)

    def drop_doubts(self, run: str) -> int:
        return self.scope.write(sql.runs.drop_doubts, run)

    def lease(self, name: str) -> Lease | None:
        row = self.scope.row(sql.runs.lease, name)
        if row is None:
            return None
        holder, until = row
        mapping.reading("a lease", lambda: mapping.moment_of(until))
        return Lease(holder, mapping.to_seconds(until))

    def put_lease(self, name: str, lease: Lease | None) -> None:
        if lease is None:
            self.scope.write(sql.runs.drop_lease, name)
        else:
            self.scope.write(sql.runs.put_lease, name, lease.holder, mapping.to_micro(lease.until))

    def erase(self, keys: Sequence[int], at: float) -> None:
        ids = erase(self.connection, self.number, self.namespace, keys)
        self.erased = True
        for key in keys:
            self._added.pop(key, None)
        self.deeds.ids += ids[:MOST_NAMED]
        self.deeds.add("erased", len(ids))
        self.note("erase", "", f"{len(ids)} memories", at)
