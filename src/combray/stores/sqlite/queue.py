"""The queue of vectors to be made: one table, shared by every worker of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from combray.errors import NotFoundError
from combray.runtime.queue import Backlog, Job
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import Namespace
from combray.stores.sqlite.rows import to_micro
from combray.stores.sqlite.sql import listed

_SECOND = 1_000_000


class SqliteQueue:
    """Implements `runtime.Queue` and, inside a transaction, `runtime.QueueWriter`.

    `revision` is the one that the transaction commits.
    """

    def __init__(self, scope: Namespace, revision: int = -1) -> None:
        self.scope = scope
        self.revision = revision

    def jobs(self, model: str) -> list[Job]:
        return [_job(row) for row in self.scope.rows(sql.queue.jobs, model)]

    def backlogs(self) -> list[Backlog]:
        return [
            Backlog(model, waiting, failed, oldest / _SECOND, error or "")
            for model, waiting, failed, oldest, error in self.scope.rows(sql.queue.backlogs)
        ]

    def due(self, model: str, now: float) -> bool:
        return bool(self._due(model, now, 1))

    def _due(self, model: str, now: float, limit: int) -> list[Job]:
        return [_job(row) for row in self.scope.rows(sql.queue.jobs_due, model, to_micro(now), limit)]

    def holders(self, model: str) -> list[str]:
        return [row[0] for row in self.scope.rows(sql.queue.holders, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        return [_job(row) for row in self.scope.rows(sql.queue.jobs_held, model, holder)]

    def orphans(self, model: str) -> list[int]:
        return [int(row[0]) for row in self.scope.rows(sql.queue.orphans, model)]

    def lacking(self, model: str) -> list[int]:
        return [int(row[0]) for row in self.scope.rows(sql.queue.lacking, model)]

    def left_behind(self, model: str) -> bool:
        return self.scope.row(sql.queue.left_behind, model) is not None

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        known = {row[0] for row in self.scope.rows(sql.memories.known, listed(keys))}
        for key in keys:
            if key not in known:
                raise NotFoundError(f"no memory with key {key} in this namespace")
        return self.scope.write_each(sql.queue.put, [(key, model, to_micro(at)) for key in keys])

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        end = to_micro(until) / _SECOND
        taken = [
            Job(each.key, model, each.added, each.attempts + 1, end, holder, error=each.error)
            for each in self._due(model, now, limit)
        ]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        rows = [
            (
                each.key,
                each.model,
                each.attempts,
                to_micro(each.next_at),
                each.holder,
                int(each.failed),
                each.error,
            )
            for each in jobs
        ]
        self.scope.write_each(sql.queue.update, rows)

    def release(self, holder: str, at: float) -> int:
        return self.scope.write(sql.queue.release, holder, to_micro(at))

    def retry(self, model: str, at: float) -> int:
        return self.scope.write(sql.queue.retry, model, to_micro(at))

    def finish(self, model: str, keys: Sequence[int]) -> None:
        self.scope.write_each(sql.memories.activate, [(self.revision, key) for key in keys])
        self.scope.write_each(sql.queue.remove, [(key, model) for key in keys])

    def drop(self, model: str) -> int:
        return self.scope.write(sql.queue.drop, model)


def _job(row: Sequence[Any]) -> Job:
    key, model, added, attempts, next_at, holder, failed, error = row
    return Job(key, model, added / _SECOND, attempts, next_at / _SECOND, holder, bool(failed), error)
