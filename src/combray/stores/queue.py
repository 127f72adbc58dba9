"""The queue: one table, shared by every worker of the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from combray.runtime.queue import Backlog, Job
from combray.stores.rows import to_job, to_micro, to_seconds
from combray.stores.session import StoreSession, Tables


class StoredQueue(Tables[StoreSession]):
    """Implements `runtime.Queue` and `runtime.QueueWriter`; a transaction commits `revision`."""

    revision = -1
    activates = False
    """Whether it has changed memories."""

    def _run(self, statement: str, *values: Any) -> int:
        with self.open_session() as session:
            return session.of_run(statement, *values)

    def jobs(self, model: str) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.jobs, model)]

    def backlogs(self) -> list[Backlog]:
        return [
            Backlog(model, waiting, failed, to_seconds(oldest), error or "")
            for model, waiting, failed, oldest, error in self._rows(self.sql.queue.backlogs)
        ]

    def due(self, model: str, now: float) -> bool:
        return bool(self._rows(self.sql.queue.jobs_due, model, to_micro(now), 1))

    def holders(self, model: str) -> list[str]:
        return [row[0] for row in self._rows(self.sql.queue.holders, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.jobs_held, model, holder)]

    def given_up(self, model: str, limit: int) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.given_up, model, limit)]

    def orphans(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.orphans, model)]

    def lacking(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.lacking, model)]

    def unmarked(self, model: str, limit: int) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.unmarked, model, limit)]

    def left_behind(self, model: str) -> bool:
        return bool(self._rows(self.sql.queue.left_behind, model))

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        with self.open_session() as session:
            session.must_know(keys)
            return session.of_run(self.sql.queue.put, model, to_micro(at), [int(key) for key in keys])

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        end = to_seconds(to_micro(until))
        due = map(to_job, self._rows(self.sql.queue.jobs_due, model, to_micro(now), limit))
        taken = [replace(each, attempts=each.attempts + 1, next_at=end, holder=holder) for each in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        rows = [
            (j.key, j.model, j.attempts, to_micro(j.next_at), j.holder, j.failed, j.error, to_micro(j.done))
            for j in jobs
        ]
        with self.open_session() as session:
            session.of_each_later(self.sql.queue.update, rows)

    def release(self, holder: str, at: float) -> int:
        return self._run(self.sql.queue.release, holder, to_micro(at))

    def retry(self, model: str, at: float) -> int:
        return self._run(self.sql.queue.retry, model, to_micro(at))

    def finish(self, model: str, keys: Sequence[int], *, activates: bool = True) -> None:
        done = [int(key) for key in keys]
        self.activates |= activates
        with self.open_session() as session:
            if activates:
                session.of_later(self.sql.memories.activate, self.revision, done)
            session.of_later(self.sql.queue.remove, model, done)

    def drop(self, model: str) -> int:
        return self._run(self.sql.queue.drop, model)
