"""Runs of consolidation, pairs in doubt and leases: small tables next to the memories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from combray.runtime import Doubt, Lease, Run
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import Namespace
from combray.stores.sqlite.rows import moment_of, reading, to_micro

_SECOND = 1_000_000
_counts = msgspec.json.Decoder(dict[str, int]).decode


def latest(scope: Namespace, limit: int) -> list[Run]:
    """Return the latest runs, newest first."""
    found = []
    for run_id, started, ended, state, counts, seen in scope.rows(sql.runs.latest, limit):
        known = reading(f"run {run_id!r}", partial(_counts, counts))
        end = None if ended is None else ended / _SECOND
        found.append(Run(run_id, started / _SECOND, end, state, known, seen))
    return found


def put(scope: Namespace, run: Run, parts: Sequence[str]) -> None:
    """Store or replace a run, and append parts to its plan."""
    ended = None if run.ended is None else to_micro(run.ended)
    counts = msgspec.json.encode(dict(run.counts), order="deterministic").decode()
    scope.write(sql.runs.put, run.id, to_micro(run.started), ended, run.state, counts, run.seen)
    (last,) = scope.row(sql.runs.last_part, run.id)
    scope.write_each(sql.runs.put_part, [(run.id, *part) for part in enumerate(parts, last + 1)])


def take_part(scope: Namespace, run: str) -> str | None:
    """Remove and return the first remaining part."""
    row = scope.row(sql.runs.first_part, run)
    if row is None:
        return None
    scope.write(sql.runs.remove_part, run, row[0])
    return str(row[1])


def doubts(scope: Namespace) -> list[Doubt]:
    """Return all pairs, ordered by keys."""
    return [
        Doubt(first, second, why, answer, bool(halved), run)
        for first, second, why, answer, halved, run in scope.rows(sql.runs.doubts)
    ]


def put_doubts(scope: Namespace, pairs: Sequence[Doubt]) -> None:
    """Store or replace pairs."""
    rows = [(each.first, each.second, each.reason, each.answer, int(each.halved), each.run) for each in pairs]
    scope.write_each(sql.runs.put_doubt, rows)


def lease(scope: Namespace, name: str) -> Lease | None:
    """Return the lease, expired or not. Raises CorruptStoreError for an impossible time."""
    row = scope.row(sql.runs.lease, name)

    def read() -> Lease:
        holder, until = row
        moment_of(until)
        return Lease(holder, until / _SECOND)

    return reading("a lease", read) if row else None


def put_lease(scope: Namespace, name: str, given: Lease | None) -> None:
    """Store a lease, or remove it for None."""
    if given is None:
        scope.write(sql.runs.drop_lease, name)
    else:
        scope.write(sql.runs.put_lease, name, given.holder, to_micro(given.until))
