"""One open write transaction on one namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from combray.errors import InvalidInputError
from combray.language.indexing import index_entry
from combray.runtime import Arrival, Deeds, Doubt, Lease, Link, Run, Vectors
from combray.stores import rows as mapping
from combray.stores.derived_rows import Indexed
from combray.stores.matrix import check_dimensions, encode
from combray.stores.postgres import indexes, sql
from combray.stores.postgres.cache import NamespaceCache
from combray.stores.postgres.erasing import erase
from combray.stores.postgres.nearness import Remote
from combray.stores.postgres.queue import PostgresQueue
from combray.stores.postgres.reader import PostgresReader
from combray.stores.postgres.session import Session
from combray.stores.snapshot import Snapshot
from combray.stores.statements import FIELDS
from combray.stores.validity import EMBEDDED, MOST_NAMED, check_changes, check_history, check_memory, must_index
from combray.types import EDGE_TYPES, Memory, Version

Place = tuple[int, int, int, str]
"""What an edge is known by: source, target, type, subtype."""


class PostgresWriter(PostgresReader):
    """Implements `runtime.Writer`. Holds the namespace's row locked, so that nobody else writes to it."""

    _keeps = False

    def __init__(self, cache: NamespaceCache, session: Session) -> None:
        super().__init__(session.name, cache, lambda: nullcontext(session))
        self.session = session
        self.erased = False
        self.new_model = False
        self.deeds = Deeds()
        self._touched: dict[int, None] = {}
        self._added: dict[int, str] = {}
        """Keys and ids of added memories."""
        self._joined: set[Place] = set()
        """Edges of added memories."""
        # Caught up before the first write, so that the cache only ever holds committed rows.
        self._snapshot = cache.catch_up(session, behind=1)
        self.revision_now = session.state.revision if session.state else 0
        self.queue = PostgresQueue(self._reading, self.revision_now)

    @contextmanager
    def _view(self) -> Iterator[tuple[Session, Snapshot]]:
        yield self.session, self._snapshot

    # -- reading one's own writes -----------------------------------------------------------------

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        return dict(self.session.of_rows(sql.memories.live_with_hash, list(hashes)))

    def next_position(self, session: str) -> int:
        ((last,),) = self.session.of_rows(sql.memories.last_position, session)
        return 0 if last is None else int(last) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        until = mapping.END_OF_TIME if before is None else mapping.to_micro(before)
        rows = self.session.of_rows(sql.memories.latest, until, source, count)
        return [(int(key), float(moment)) for key, moment in rows]

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        folded = {entity: entity.casefold() for entity in entities}
        rows = self.session.of_rows(sql.labels.naming, list(dict.fromkeys(folded.values())), per_entity)
        found = {name: (int(count), [int(key) for key in newest]) for name, count, newest in rows}
        return {entity: found[name] for entity, name in folded.items()}

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        if kinds:
            ((count,),) = self.session.of_rows(sql.memories.count_live_of, list(kinds))
        else:
            ((count,),) = self.session.of_rows(sql.memories.count_live)
        return int(count)

    def keep(self, name: str, value: str) -> None:
        self.session.of_later(sql.namespaces.keep, name, value)

    # -- what was done ----------------------------------------------------------------------------

    def witnessed(self) -> Deeds:
        """Return the deeds of this transaction so far, with the ids of the first memories it touched."""
        known = set(self.deeds.ids)
        old = [key for key in self._touched if key not in self._added]
        rows: list[tuple[int, str]] = self.session.of_rows(sql.memories.ids, old) if old else []
        rows += [(key, self._added[key]) for key in self._touched if key in self._added]
        self.deeds.ids += [memory_id for _, memory_id in sorted(rows) if memory_id not in known]
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
        for arrival in arrivals:
            check_memory(arrival.memory)
        ids = [arrival.memory.id for arrival in arrivals]
        known, keys = self.session.of_rows_and_numbers(
            (sql.memories.ids_among, ids), sql.memories.next_keys, len(arrivals)
        )
        self._refuse_known(ids, {str(row[0]) for row in known})
        added: list[Indexed] = []
        rows = []
        number = self.session.number or 0
        for key, arrival in zip(keys, arrivals, strict=True):
            entry = index_entry(arrival.memory)
            rows.append((*mapping.to_row(arrival.memory, number, self.revision_now, entry)[1:], key))
            added.append((key, arrival.memory, entry))
        self.session.of_each_later(sql.memories.add, rows)
        indexes.add(self.session, added)
        self._added |= dict(zip(keys, ids, strict=True))
        self._did("added", keys)
        for model in sorted({name for arrival in arrivals for name in arrival.vectors}):
            given = {key: each.vectors for key, each in zip(keys, arrivals, strict=True) if model in each.vectors}
            self._store_vectors(model, list(given), np.stack([vectors[model] for vectors in given.values()]))
        return keys

    def _refuse_known(self, ids: Sequence[str], taken: set[str]) -> None:
        """Raise InvalidInputError for an id that exists, before the database would end the transaction."""
        for each in ids:
            if each in taken:
                raise InvalidInputError("id", f"{each!r} already exists in namespace {self.namespace!r}.")
            taken.add(each)

    def _must_know(self, keys: Sequence[int]) -> None:
        """Raise NotFoundError unless every key is in the namespace. Asks the server only after an erasure."""
        if self.erased:
            self.session.must_know(keys)
            return
        old = np.array([key for key in keys if key not in self._added], dtype=np.int64)
        for key in old[self._snapshot.slots(old) < 0].tolist():
            raise self._missing(key)

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        self._must_know(keys)
        self._did("embedded", keys)
        self._hold(model, keys)
        self.session.of_later(sql.memories.set_revision, self.revision_now, [int(key) for key in keys])
        self._store_vectors(model, keys, vectors)

    def _hold(self, model: str, keys: Sequence[int]) -> None:
        """Read the vectors of a model as they were committed, before those of some keys change.

        Rows of a transaction that may be rolled back must not get into the matrix; and where the vectors stay on
        the server, its searches are of what was committed too.
        """
        held = self.cache.matrix(self.session, model, self._snapshot)
        if isinstance(held, Remote):
            before = self.session.before.setdefault(held.model, {})
            new = [int(key) for key in keys if int(key) not in before and key not in self._added]
            before.update(self.session.of_rows(sql.vectors.codes, held.model, new))

    def _store_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        codes = encode(vectors)
        known = self.session.model(model)
        if known is None:
            (number,) = self.session.numbers(sql.vectors.next_model)
            self.session.later(sql.vectors.add_model, number, model, vectors.shape[1])
            self.new_model = True
            known = self.session.model(model)
        number, dimensions = known or (0, 0)
        check_dimensions(model, dimensions, vectors.shape[1])
        last = {int(key): code for key, code in zip(keys, codes, strict=True)}
        self.session.of_later(sql.vectors.put, number, list(last), list(last.values()))

    def drop_vectors(self, model: str) -> int:
        self._hold(model, ())
        count = self.session.of_run(sql.vectors.drop_model, model)
        self.session.of_later(sql.namespaces.grow_epoch)
        return count

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        check_changes(changes)
        session = self.session
        row = session.of_row(sql.memories.whole, [int(key)])
        if row is None:
            raise self._missing(key)
        names = sorted(changes)
        old = {name: row[1 + FIELDS.index(name)] for name in names}
        if any(changes[name] != old[name] for name in EMBEDDED.intersection(changes)):
            for (model,) in session.of_rows(sql.vectors.models_of, key):
                self._hold(model, [key])
            session.of_later(sql.vectors.drop, key)
        session.of_later(sql.versions.add, key, mapping.to_micro(at), actor, operation, mapping.to_json(old))
        assignments = ", ".join(f"{name} = ${place}" for place, name in enumerate([*names, "revision"], 3))
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
        self.session.of_later(sql.namespaces.grow_reindexed)

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        self.session.must_know([key])
        check_history(versions, self.session.of_row(sql.versions.exists, key))
        rows = []
        for each in versions:
            before = {name: mapping.column_value(name, value) for name, value in each.before.items()}
            at = mapping.microseconds(each.changed_at)
            rows.append((key, each.number, at, each.actor, each.operation, mapping.to_json(before)))
        self.session.of_each_later(sql.versions.put, rows)

    def link(self, links: Sequence[Link], at: float) -> int:
        self._must_know([end for each in links for end in (each.source, each.target)])
        rows: dict[Place, tuple[float, str | None, str | None]] = {}
        for each in links:
            maker = None if each.created_by == "combray" else each.created_by
            place = (int(each.source), int(each.target), EDGE_TYPES.index(each.type), each.subtype)
            weight, reason, made_by = rows.get(place, (each.weight, each.reason or None, maker))
            rows[place] = (max(weight, each.weight), reason, made_by)
        new = self._put_edges(rows, mapping.to_micro(at)) if rows else 0
        # Edges of a new memory are reported with it; for edges alone, both ends are reported.
        alone = "added" not in self.deeds.counts
        ends = [end for each in links for end in (each.source, each.target)] if alone else []
        self._did("linked", ends, new)
        return new

    def _put_edges(self, rows: Mapping[Place, tuple[float, str | None, str | None]], at: int) -> int:
        """Write edges. Return how many are new; the server is asked unless all of them touch an added memory."""
        columns = [list(column) for column in zip(*(place + rest for place, rest in rows.items()), strict=True)]
        if all(place[0] in self._added or place[1] in self._added for place in rows):
            self.session.of_later(sql.edges.put, *columns, at)
            before, self._joined = len(self._joined), self._joined.union(rows)
            return len(self._joined) - before
        self._joined |= set(rows)
        ((new,),) = self.session.of_rows(sql.edges.put, *columns, at)
        return int(new)

    def unlink(self, source: int, target: int, type_: str) -> int:
        code = EDGE_TYPES.index(type_)
        count = self.session.of_run(sql.edges.remove, source, target, code)
        self._joined = {place for place in self._joined if place[:3] != (source, target, code)}
        self.deeds.add("unlinked", count)
        return count

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        rows = [(int(key), times, mapping.to_micro(at)) for key, (times, at) in sorted(accesses.items())]
        self.session.of_each_later(sql.memories.touch, rows)

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        self.session.of_later(sql.namespaces.log_operation, mapping.to_micro(at), operation, memory_id, detail)
        self.deeds.operation = operation
        self.deeds.add("noted")
        if memory_id and memory_id not in self.deeds.ids:
            self.deeds.ids.append(memory_id)

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        ended = None if run.ended is None else mapping.to_micro(run.ended)
        started, counts = mapping.to_micro(run.started), mapping.to_json(dict(run.counts))
        self.session.of_later(sql.runs.put, run.id, started, ended, run.state, counts, run.seen)
        if parts:
            self.session.of_later(sql.runs.put_parts, run.id, list(parts))

    def take_part(self, run: str) -> str | None:
        row = self.session.of_row(sql.runs.take_part, run)
        return None if row is None else str(row[0])

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        self.session.must_know(key for each in doubts for key in (each.first, each.second))
        rows = [
            (each.first, each.second, each.reason, each.answer, int(each.halved), each.run) for each in doubts
        ]
        self.session.of_each_later(sql.runs.put_doubt, rows)

    def drop_doubts(self, run: str) -> int:
        return self.session.of_run(sql.runs.drop_doubts, run)

    def lease(self, name: str) -> Lease | None:
        row = self.session.of_row(sql.runs.lease, name)
        if row is None:
            return None
        holder, until = row
        mapping.reading("a lease", lambda: mapping.moment_of(until))
        return Lease(holder, mapping.to_seconds(until))

    def put_lease(self, name: str, lease: Lease | None) -> None:
        if lease is None:
            self.session.of_later(sql.runs.drop_lease, name)
        else:
            self.session.of_later(sql.runs.put_lease, name, lease.holder, mapping.to_micro(lease.until))

    def erase(self, keys: Sequence[int], at: float) -> None:
        ids = erase(self.session, keys)
        self.erased = True
        self._added = {key: known for key, known in self._added.items() if known not in ids}
        self.deeds.ids += ids[:MOST_NAMED]
        self.deeds.add("erased", len(ids))
        self.note("erase", "", f"{len(ids)} memories", at)
