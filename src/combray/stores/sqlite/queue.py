"""The embedding queue: one table, shared by every worker of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from combray.runtime.queue import Backlog, Job
from combray.stores.rows import to_job, to_micro, to_seconds
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import Namespace


class SqliteQueue:
    """Implements `runtime.Queue` and `runtime.QueueWriter`; a transaction commits `revision`."""

    def __init__(self, scope: Namespace, revision: int = -1) -> None:
        self.scope = scope
        self.revision = revision

    def jobs(self, model: str) -> list[Job]:
        return [to_job(row) for row in self.scope.rows(sql.queue.jobs, model)]

    def backlogs(self) -> list[Backlog]:
        return [
            Backlog(model, waiting, failed, to_seconds(oldest), error or "")
            for model, waiting, failed, oldest, error in self.scope.rows(sql.queue.backlogs)
        ]

    def due(self, model: str, now: float) -> bool:
        return bool(self.scope.rows(sql.queue.jobs_due, model, to_micro(now), 1))

    def holders(self, model: str) -> list[str]:
        return [row[0] for row in self.scope.rows(sql.queue.holders, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        return [to_job(row) for row in self.scope.rows(sql.queue.jobs_held, model, holder)]

    def orphans(self, model: str) -> list[int]:
        return [int(row[0]) for row in self.scope.rows(sql.queue.orphans, model)]

    def lacking(self, model: str) -> list[int]:
        return [int(row[0]) for row in self.scope.rows(sql.queue.lacking, model)]

    def left_behind(self, model: str) -> bool:
        return self.scope.row(sql.queue.left_behind, model) is not None

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        self.scope.must_know(keys)
        return self.scope.write_each(sql.queue.put, [(key, model, to_micro(at)) for key in keys])

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        end = to_seconds(to_micro(until))
        due = map(to_job, self.scope.rows(sql.queue.jobs_due, model, to_micro(now), limit))
        taken = [replace(each, attempts=each.attempts + 1, next_at=end, holder=holder) for each in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        self.scope.write_each(
            sql.queue.update,
            [(j.key, j.model, j.attempts, to_micro(j.next_at), j.holder, int(j.failed), j.error) for j in jobs],
        )

    def release(self, holder: str, at: float) -> int:
        return self.scope.write(sql.queue.release, holder, to_micro(at))

    def retry(self, model: str, at: float) -> int:
        return self.scope.write(sql.queue.retry, model, to_micro(at))

    def finish(self, model: str, keys: Sequence[int]) -> None:
        self.scope.write_each(sql.memories.activate, [(self.revision, key) for key in keys])
        self.scope.write_each(sql.queue.remove, [(key, model) for key in keys])

    def drop(self, model: str) -> int:
        return self.scope.write(sql.queue.drop, model)
