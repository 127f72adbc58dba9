"""Runs of consolidation, pairs in doubt and leases: small tables beside the memories."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from combray.runtime import Doubt, Lease, Run
from combray.stores.sqlite.rows import reading, to_micro

_SECOND = 1_000_000


def runs(connection: sqlite3.Connection, namespace: int | None, limit: int) -> list[Run]:
    """The latest runs, newest first."""
    rows = connection.execute(
        "SELECT id, started, ended, state, counts, seen FROM run WHERE namespace = ? "
        "ORDER BY started DESC, id DESC LIMIT ?",
        (namespace, limit),
    )
    return [
        Run(
            run_id,
            started / _SECOND,
            None if ended is None else ended / _SECOND,
            state,
            _counts(run_id, counts),
            seen,
        )
        for run_id, started, ended, state, counts, seen in rows
    ]


def _counts(run_id: str, text: str) -> dict[str, int]:
    return reading(f"run {run_id!r}", lambda: msgspec.json.decode(text, type=dict[str, int]))


def put_run(connection: sqlite3.Connection, namespace: int, run: Run, parts: Sequence[str]) -> None:
    """Store or replace a run; parts are numbered on."""
    ended = None if run.ended is None else to_micro(run.ended)
    counts = msgspec.json.encode(dict(run.counts), order="deterministic").decode()
    connection.execute(
        "INSERT OR REPLACE INTO run (namespace, id, started, ended, state, counts, seen) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (namespace, run.id, to_micro(run.started), ended, run.state, counts, run.seen),
    )
    (last,) = connection.execute(
        "SELECT coalesce(max(number), 0) FROM run_part WHERE namespace = ? AND run = ?", (namespace, run.id)
    ).fetchone()
    connection.executemany(
        "INSERT INTO run_part (namespace, run, number, steps) VALUES (?, ?, ?, ?)",
        [(namespace, run.id, number, steps) for number, steps in enumerate(parts, last + 1)],
    )


def take_part(connection: sqlite3.Connection, namespace: int, run: str) -> str | None:
    """The first part left, removed."""
    row = connection.execute(
        "SELECT number, steps FROM run_part WHERE namespace = ? AND run = ? ORDER BY number LIMIT 1",
        (namespace, run),
    ).fetchone()
    if row is None:
        return None
    place = (namespace, run, row[0])
    connection.execute("DELETE FROM run_part WHERE namespace = ? AND run = ? AND number = ?", place)
    return str(row[1])


def changed_by(connection: sqlite3.Connection, namespace: int | None, actor: str) -> list[int]:
    """Keys with a version row by the actor."""
    rows = connection.execute(
        "SELECT DISTINCT version.key FROM version JOIN memory USING (key) "
        "WHERE actor = ? AND namespace = ? ORDER BY version.key",
        (actor, namespace),
    )
    return [int(row[0]) for row in rows]


def doubts(connection: sqlite3.Connection, namespace: int | None) -> list[Doubt]:
    """All pairs, ordered by keys."""
    rows = connection.execute(
        "SELECT first, second, reason, answer, halved, run FROM doubt WHERE namespace = ? ORDER BY first, second",
        (namespace,),
    )
    return [
        Doubt(first, second, why, answer, bool(halved), run) for first, second, why, answer, halved, run in rows
    ]


def put_doubts(connection: sqlite3.Connection, namespace: int, pairs: Sequence[Doubt]) -> None:
    """Store or replace pairs."""
    connection.executemany(
        "INSERT OR REPLACE INTO doubt (namespace, first, second, reason, answer, halved, run) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (namespace, each.first, each.second, each.reason, each.answer, int(each.halved), each.run)
            for each in pairs
        ],
    )


def drop_doubts(connection: sqlite3.Connection, namespace: int, run: str) -> int:
    """Remove the pairs that a run wrote last."""
    return connection.execute("DELETE FROM doubt WHERE namespace = ? AND run = ?", (namespace, run)).rowcount


def lease(connection: sqlite3.Connection, namespace: int, name: str) -> Lease | None:
    """Who holds it."""
    row = connection.execute(
        "SELECT holder, until FROM lease WHERE namespace = ? AND name = ?", (namespace, name)
    ).fetchone()
    return reading("a lease", lambda: _lease(*row)) if row else None


def _lease(holder: str, until: int) -> Lease:
    """The lease; raises ValueError for a moment that is none."""
    datetime.fromtimestamp(until / _SECOND, UTC)
    return Lease(holder, until / _SECOND)


def put_lease(connection: sqlite3.Connection, namespace: int, name: str, given: Lease | None) -> None:
    """Give it to somebody, or to nobody."""
    connection.execute("DELETE FROM lease WHERE namespace = ? AND name = ?", (namespace, name))
    if given is not None:
        connection.execute(
            "INSERT INTO lease VALUES (?, ?, ?, ?)", (namespace, name, given.holder, to_micro(given.until))
        )
