"""Runs of consolidation, pairs in doubt and leases: small tables beside the memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from combray.runtime import Doubt, Lease, Run
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import Namespace
from combray.stores.sqlite.rows import reading, to_micro

_SECOND = 1_000_000


def latest(scope: Namespace, limit: int) -> list[Run]:
    """The latest runs, newest first."""
    return [
        Run(
            run_id,
            started / _SECOND,
            None if ended is None else ended / _SECOND,
            state,
            _counts(run_id, counts),
            seen,
        )
        for run_id, started, ended, state, counts, seen in scope.rows(sql.runs.latest, limit)
    ]


def _counts(run_id: str, text: str) -> dict[str, int]:
    return reading(f"run {run_id!r}", lambda: msgspec.json.decode(text, type=dict[str, int]))


def put(scope: Namespace, run: Run, parts: Sequence[str]) -> None:
    """Store or replace a run; parts are numbered on."""
    ended = None if run.ended is None else to_micro(run.ended)
    counts = msgspec.json.encode(dict(run.counts), order="deterministic").decode()
    scope.write(sql.runs.put, run.id, to_micro(run.started), ended, run.state, counts, run.seen)
    (last,) = scope.row(sql.runs.last_part, run.id)
    scope.write_each(sql.runs.put_part, [(run.id, *part) for part in enumerate(parts, last + 1)])


def take_part(scope: Namespace, run: str) -> str | None:
    """The first part left, removed."""
    row = scope.row(sql.runs.first_part, run)
    if row is None:
        return None
    scope.write(sql.runs.remove_part, run, row[0])
    return str(row[1])


def doubts(scope: Namespace) -> list[Doubt]:
    """All pairs, ordered by keys."""
    return [
        Doubt(first, second, why, answer, bool(halved), run)
        for first, second, why, answer, halved, run in scope.rows(sql.runs.doubts)
    ]


def put_doubts(scope: Namespace, pairs: Sequence[Doubt]) -> None:
    """Store or replace pairs."""
    rows = [(each.first, each.second, each.reason, each.answer, int(each.halved), each.run) for each in pairs]
    scope.write_each(sql.runs.put_doubt, rows)


def lease(scope: Namespace, name: str) -> Lease | None:
    """Who holds it."""
    row = scope.row(sql.runs.lease, name)
    return reading("a lease", lambda: _lease(*row)) if row else None


def _lease(holder: str, until: int) -> Lease:
    """The lease; raises ValueError for a moment that is none."""
    datetime.fromtimestamp(until / _SECOND, UTC)
    return Lease(holder, until / _SECOND)


def put_lease(scope: Namespace, name: str, given: Lease | None) -> None:
    """Give it to a holder, or free it."""
    if given is None:
        scope.write(sql.runs.drop_lease, name)
    else:
        scope.write(sql.runs.put_lease, name, given.holder, to_micro(given.until))
