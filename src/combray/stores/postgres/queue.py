"""The embedding queue: one table, shared by every worker of the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from combray.runtime.queue import Backlog, Job
from combray.stores.postgres import sql
from combray.stores.postgres.session import Session
from combray.stores.rows import to_job, to_micro, to_seconds


class PostgresQueue:
    """Implements `runtime.Queue` and `runtime.QueueWriter`; a transaction commits `revision`."""

    def __init__(self, reading: Callable[[], AbstractContextManager[Session]], revision: int = -1) -> None:
        self._reading = reading
        self.revision = revision

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._reading() as session:
            return session.of_rows(statement, *values)

    def _run(self, statement: str, *values: Any) -> int:
        with self._reading() as session:
            return session.of_run(statement, *values)

    def jobs(self, model: str) -> list[Job]:
        return [to_job(row) for row in self._rows(sql.queue.jobs, model)]

    def backlogs(self) -> list[Backlog]:
        return [
            Backlog(model, waiting, failed, to_seconds(oldest), error or "")
            for model, waiting, failed, oldest, error in self._rows(sql.queue.backlogs)
        ]

    def due(self, model: str, now: float) -> bool:
        return bool(self._rows(sql.queue.is_due, model, to_micro(now)))

    def holders(self, model: str) -> list[str]:
        return [row[0] for row in self._rows(sql.queue.holders, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        return [to_job(row) for row in self._rows(sql.queue.jobs_held, model, holder)]

    def orphans(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(sql.queue.orphans, model)]

    def lacking(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(sql.queue.lacking, model)]

    def left_behind(self, model: str) -> bool:
        return bool(self._rows(sql.queue.left_behind, model))

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        with self._reading() as session:
            session.must_know(keys)
            return session.of_run(sql.queue.put, model, to_micro(at), [int(key) for key in keys])

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        return [
            to_job(row)
            for row in self._rows(sql.queue.take, model, to_micro(now), limit, to_micro(until), holder)
        ]

    def update(self, jobs: Sequence[Job]) -> None:
        with self._reading() as session:
            session.of_each_later(
                sql.queue.update,
                [(j.key, j.model, j.attempts, to_micro(j.next_at), j.holder, j.failed, j.error) for j in jobs],
            )

    def release(self, holder: str, at: float) -> int:
        return self._run(sql.queue.release, holder, to_micro(at))

    def retry(self, model: str, at: float) -> int:
        return self._run(sql.queue.retry, model, to_micro(at))

    def finish(self, model: str, keys: Sequence[int]) -> None:
        done = [int(key) for key in keys]
        self._run(sql.memories.activate, self.revision, done)
        self._run(sql.queue.remove, model, done)

    def drop(self, model: str) -> int:
        return self._run(sql.queue.drop, model)
