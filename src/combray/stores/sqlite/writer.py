"""One open write transaction on one namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from combray.errors import InvalidInputError, NotFoundError
from combray.language.indexing import index_entry
from combray.runtime import Arrival, Deeds, Doubt, Lease, Link, Run, Vectors
from combray.stores.columns import Snapshot
from combray.stores.matrix import check_dimensions, encode
from combray.stores.sqlite import indexes, runs
from combray.stores.sqlite import rows as mapping
from combray.stores.sqlite.cache import NamespaceCache
from combray.stores.sqlite.changing import Change, apply, put_history
from combray.stores.sqlite.documents import SqliteDocumentsWriter
from combray.stores.sqlite.encryption import errors
from combray.stores.sqlite.erasing import erase
from combray.stores.sqlite.evidence import SqliteEvidence
from combray.stores.sqlite.indexes import Indexed
from combray.stores.sqlite.queue import SqliteQueueWriter
from combray.stores.sqlite.reader import Connection, SqliteReader, chunks, marks
from combray.stores.validity import check_memory
from combray.types import EDGE_TYPES, Version

_MOST_NAMED = 100
"""Memories whose ids are told to the witness of a transaction."""
_LIVE = "status IN ('active', 'pending_embed') AND trust <> 'quarantined'"
"""What takes part in what is current."""
_LINK = """
INSERT INTO edge (source, target, type, subtype, weight, reason, created_by, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight)
"""


class SqliteWriter(SqliteReader):
    """Implements `runtime.Writer`. Reads go over the write connection."""

    def __init__(self, namespace: str, cache: NamespaceCache, connection: Connection) -> None:
        super().__init__(namespace, cache, lambda: nullcontext(connection))
        self.connection = connection
        self.erased = False
        self.deeds = Deeds()
        self._touched: dict[int, None] = {}
        connection.execute("INSERT OR IGNORE INTO namespace (name) VALUES (?)", (namespace,))
        number, revision = connection.execute(
            "SELECT id, revision FROM namespace WHERE name = ?", (namespace,)
        ).fetchone()
        self.number = int(number)
        # Caught up before the first write, so that the cache only ever holds what was committed.
        self._snapshot = cache.catch_up(connection)
        self._last_committed = int(connection.execute("SELECT max(key) FROM memory").fetchone()[0] or 0)
        self.revision_now = int(revision) + 1
        connection.execute("UPDATE namespace SET revision = ? WHERE id = ?", (self.revision_now, self.number))

    @contextmanager
    def _view(self) -> Iterator[tuple[Connection, Snapshot]]:
        yield self.connection, self._snapshot

    def _evidence(self, connection: Connection) -> SqliteEvidence:
        return SqliteEvidence(connection, self.cache, keeps=False)

    # -- reading one's own writes -----------------------------------------------------------------

    def live_with_hash(self, hashes: Sequence[str]) -> dict[str, int]:
        """Keys of live memories with the given content hashes; the oldest where several have it."""
        found: dict[str, int] = {}
        wanted = sorted(set(hashes))
        for start in range(0, len(wanted), 900):
            some = wanted[start : start + 900]
            sql = (
                "SELECT content_hash, min(key) FROM memory "
                f"WHERE namespace = ? AND content_hash IN ({marks(some)}) AND {_LIVE} GROUP BY content_hash"
            )
            found.update(self.connection.execute(sql, (self.number, *some)).fetchall())
        return found

    def next_position(self, session: str) -> int:
        """The position behind the session's last turn; 0 in a new session."""
        sql = "SELECT max(position) FROM memory WHERE namespace = ? AND session = ?"
        last = self.connection.execute(sql, (self.number, session)).fetchone()[0]
        return 0 if last is None else int(last) + 1

    def latest(
        self, count: int, *, source: str | None = None, before: float | None = None
    ) -> list[tuple[int, float]]:
        """(key, moment) of the newest live memories, newest first."""
        sql = f"SELECT key, moment / 1e6 FROM memory WHERE namespace = ? AND {_LIVE}"
        values: list[Any] = [self.number]
        if source is not None:
            sql += " AND source = ?"
            values.append(source)
        if before is not None:
            sql += " AND moment <= ?"
            values.append(mapping.to_micro(before))
        sql += " ORDER BY moment DESC, key DESC LIMIT ?"
        return [(int(key), float(moment)) for key, moment in self.connection.execute(sql, (*values, count))]

    def naming(self, entities: Sequence[str], per_entity: int) -> dict[str, tuple[int, list[int]]]:
        """How many live memories name each entity, and the keys of the newest."""
        found = {}
        for entity in entities:
            place = (self.number, entity.casefold())
            named = "FROM label WHERE namespace = ? AND sort = 'entity' AND name = ? AND live"
            holding = self.connection.execute(f"SELECT count(*) {named}", place).fetchone()[0]
            newest = self.connection.execute(
                f"SELECT key {named} ORDER BY key DESC LIMIT ?", (*place, per_entity)
            ).fetchall()
            found[entity] = (int(holding), [int(row[0]) for row in newest])
        return found

    def count_live(self, kinds: Sequence[str] = ()) -> int:
        """How many live memories there are, of some kinds or of all."""
        among = f" AND kind IN ({marks(kinds)})" if kinds else ""
        sql = f"SELECT count(*) FROM memory WHERE namespace = ? AND {_LIVE}{among}"
        return int(self.connection.execute(sql, (self.number, *kinds)).fetchone()[0])

    # -- what was done ----------------------------------------------------------------------------

    def witnessed(self) -> Deeds:
        """What this transaction has done so far, with the ids of the first memories it touched."""
        known = set(self.deeds.ids)
        sql = f"SELECT id FROM memory WHERE key IN ({marks(list(self._touched))}) ORDER BY key"
        rows = self.connection.execute(sql, list(self._touched)).fetchall()
        self.deeds.ids += [row[0] for row in rows if row[0] not in known]
        return self.deeds

    def _did(self, what: str, keys: Sequence[int], count: int | None = None) -> None:
        """Count it, and keep the first keys: as many as one entry of the audit names."""
        self.deeds.add(what, len(keys) if count is None else count)
        if len(self._touched) < _MOST_NAMED:
            self._touched.update(dict.fromkeys(keys[:_MOST_NAMED]))

    # -- writing ----------------------------------------------------------------------------------

    def insert(self, arrivals: Sequence[Arrival]) -> list[int]:
        """Rows, index terms, labels and vectors of new memories.

        Raises InvalidInputError for an id that is there already and for values out of range.
        """
        added: list[Indexed] = []
        for arrival in arrivals:
            memory = arrival.memory
            check_memory(memory)
            entry = index_entry(memory)
            row = mapping.to_row(memory, self.number, self.revision_now, entry)
            try:
                key = self.connection.execute(mapping.INSERT, row).lastrowid
            except errors("IntegrityError") as error:
                raise InvalidInputError(
                    "id", f"{memory.id!r} is in namespace {self.namespace!r} already."
                ) from error
            added.append((int(key or 0), memory, entry))
        indexes.add(self.connection, self.number, added)
        keys = [key for key, _, _ in added]
        self._did("added", keys)
        for model in sorted({name for arrival in arrivals for name in arrival.vectors}):
            given = [
                (key, arrival.vectors[model])
                for key, arrival in zip(keys, arrivals, strict=True)
                if model in arrival.vectors
            ]
            self._store_vectors(model, [key for key, _ in given], np.stack([vector for _, vector in given]))
        return keys

    def put_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        """Store or replace vectors of memories that are already there.

        Raises NotFoundError for a key of no memory here, InvalidInputError for unusable vectors.
        """
        self._must_know(keys)
        self._did("embedded", keys)
        # The matrix is filled from what was committed before the rows change under it.
        self.cache.matrix(self.connection, model, self._snapshot)
        for some in chunks(keys):
            sql = f"UPDATE memory SET revision = ? WHERE +namespace = ? AND key IN ({marks(some)})"
            self.connection.execute(sql, (self.revision_now, self.number, *some))
        self._store_vectors(model, keys, vectors)

    def _must_know(self, keys: Iterable[int]) -> None:
        for some in chunks(sorted(set(keys))):
            sql = f"SELECT key FROM memory WHERE +namespace = ? AND key IN ({marks(some)})"
            known = {row[0] for row in self.connection.execute(sql, (self.number, *some))}
            for key in some:
                if key not in known:
                    raise NotFoundError(f"no memory with key {key} in namespace {self.namespace!r}")

    def _store_vectors(self, model: str, keys: Sequence[int], vectors: Vectors) -> None:
        self.connection.execute(
            "INSERT OR IGNORE INTO model (name, dimensions) VALUES (?, ?)", (model, vectors.shape[1])
        )
        number, dimensions = self.connection.execute(
            "SELECT id, dimensions FROM model WHERE name = ?", (model,)
        ).fetchone()
        check_dimensions(model, dimensions, vectors.shape[1])
        self.connection.executemany(
            "INSERT OR REPLACE INTO vector (namespace, model, key, code) VALUES (?, ?, ?, ?)",
            [(self.number, number, key, code) for key, code in zip(keys, encode(vectors), strict=True)],
        )

    def drop_vectors(self, model: str) -> int:
        """Destroy all vectors of a model; every cache of the namespace starts afresh."""
        # As in put_vectors: what is rolled back must not have got into the matrix.
        self.cache.matrix(self.connection, model, self._snapshot)
        sql = "DELETE FROM vector WHERE namespace = ? AND model = (SELECT id FROM model WHERE name = ?)"
        count = self.connection.execute(sql, (self.number, model)).rowcount
        self.connection.execute("UPDATE namespace SET epoch = epoch + 1 WHERE id = ?", (self.number,))
        return count

    def change(self, key: int, operation: str, actor: str, at: float, **changes: Any) -> None:
        """Change fields, keeping what they were as a version row."""
        change = Change(operation, actor, at, changes)
        apply(self.connection, self.number, self.namespace, self.revision_now, key, change)
        self._did("changed", [key])

    def put_history(self, key: int, versions: Sequence[Version]) -> None:
        """Store version rows of a memory that has none. Raises NotFoundError, InvalidInputError."""
        self._must_know([key])
        put_history(self.connection, key, versions)

    def link(self, links: Sequence[Link], at: float) -> int:
        """Store edges; how many are new. Raises NotFoundError for a key of no memory here."""
        self._must_know(end for each in links for end in (each.source, each.target))
        moment = mapping.to_micro(at)
        before = self._edge_count(links)
        self.connection.executemany(
            _LINK,
            [
                (
                    each.source,
                    each.target,
                    EDGE_TYPES.index(each.type),
                    each.subtype,
                    each.weight,
                    each.reason or None,
                    None if each.created_by == "combray" else each.created_by,
                    moment,
                )
                for each in links
            ],
        )
        new = len({(each.source, each.target, each.type, each.subtype) for each in links}) - before
        # Edges of a new memory are told with it; of edges alone, both ends.
        alone = "added" not in self.deeds.counts
        ends = [end for each in links for end in (each.source, each.target)] if alone else []
        self._did("linked", ends, new)
        return new

    def _edge_count(self, links: Sequence[Link]) -> int:
        """How many of the edges are already there."""
        wanted = {(each.source, each.target, EDGE_TYPES.index(each.type), each.subtype) for each in links}
        sql = "SELECT count(*) FROM edge WHERE source = ? AND target = ? AND type = ? AND subtype = ?"
        # An edge of a memory written in this transaction cannot be there yet: no need to look.
        old = [each for each in wanted if max(each[0], each[1]) <= self._last_committed]
        return sum(int(self.connection.execute(sql, each).fetchone()[0]) for each in old)

    def unlink(self, source: int, target: int, type_: str) -> int:
        """Remove the edges of a type from one memory to another."""
        sql = (
            "DELETE FROM edge WHERE source = ? AND target = ? AND type = ? "
            "AND EXISTS (SELECT 1 FROM memory WHERE key = edge.source AND namespace = ?)"
        )
        code = EDGE_TYPES.index(type_)
        count = self.connection.execute(sql, (source, target, code, self.number)).rowcount
        self.deeds.add("unlinked", count)
        return count

    def touch(self, accesses: Mapping[int, tuple[int, float]]) -> None:
        """Add to access counts."""
        self.connection.executemany(
            "UPDATE memory SET access_count = access_count + ?, "
            "last_accessed_at = max(coalesce(last_accessed_at, 0), ?) WHERE namespace = ? AND key = ?",
            [(times, mapping.to_micro(at), self.number, key) for key, (times, at) in sorted(accesses.items())],
        )

    def note(self, operation: str, memory_id: str, detail: str, at: float) -> None:
        """A line in the operation log."""
        self.connection.execute(
            "INSERT INTO operation (namespace, at, name, memory_id, detail) VALUES (?, ?, ?, ?, ?)",
            (self.number, mapping.to_micro(at), operation, memory_id, detail),
        )
        self.deeds.operation = operation
        self.deeds.add("noted")
        if memory_id and memory_id not in self.deeds.ids:
            self.deeds.ids.append(memory_id)

    def put_run(self, run: Run, parts: Sequence[str] = ()) -> None:
        """Store a run, or replace it, and parts of its plan."""
        runs.put_run(self.connection, self.number, run, parts)

    def take_part(self, run: str) -> str | None:
        """Remove the first part left of a run's plan and give it."""
        return runs.take_part(self.connection, self.number, run)

    def put_doubts(self, doubts: Sequence[Doubt]) -> None:
        """Store pairs in doubt. Raises NotFoundError for a key of no memory here."""
        self._must_know(key for each in doubts for key in (each.first, each.second))
        runs.put_doubts(self.connection, self.number, doubts)

    def drop_doubts(self, run: str) -> int:
        """Forget the pairs that a run wrote last."""
        return runs.drop_doubts(self.connection, self.number, run)

    def lease(self, name: str) -> Lease | None:
        """Who holds a lease."""
        return runs.lease(self.connection, self.number, name)

    def put_lease(self, name: str, lease: Lease | None) -> None:
        """Give a lease to somebody, or to nobody."""
        runs.put_lease(self.connection, self.number, name, lease)

    @property
    def documents(self) -> SqliteDocumentsWriter:
        """The files it holds, to change them."""
        return SqliteDocumentsWriter(self.reading, self._number)

    @property
    def queue(self) -> SqliteQueueWriter:
        """Which memories wait for a vector, to change that."""
        return SqliteQueueWriter(self.reading, self._number, self.revision_now)

    def erase(self, keys: Sequence[int], at: float) -> None:
        """Destroy memories; the store empties the log file after the commit."""
        for some in chunks(keys[:_MOST_NAMED]):
            sql = f"SELECT id FROM memory WHERE +namespace = ? AND key IN ({marks(some)})"
            self.deeds.ids += [row[0] for row in self.connection.execute(sql, (self.number, *some))]
        count = erase(self.connection, self.number, self.namespace, keys)
        self.erased = True
        self.deeds.add("erased", count)
        self.note("erase", "", f"{count} memories", at)
