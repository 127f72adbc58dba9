"""The queue of vectors to be made, of the reference store: a dict of jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from combray.errors import NotFoundError
from combray.runtime.queue import Backlog, Job
from combray.types import LIVE_STATUSES

if TYPE_CHECKING:
    from combray.testing.reference.state import State

Place = tuple[int, str]
"""Key of the memory, name of the model."""


class ReferenceQueue:
    """Implements `jobs.Queue` and `jobs.QueueWriter`; `current` is the state as it is now."""

    def __init__(self, namespace: str, current: Callable[[], State]) -> None:
        self.namespace = namespace
        self.current = current

    def _here(self) -> list[Job]:
        """Jobs of the namespace, by key and model."""
        state = self.current()
        return [job for (key, _), job in sorted(state.jobs.items()) if state.row(self.namespace, key)]

    def jobs(self, model: str) -> list[Job]:
        """All jobs of a model, by key."""
        return [job for job in self._here() if job.model == model]

    def backlogs(self) -> list[Backlog]:
        """One for each model that has jobs."""
        found = []
        for model in sorted({job.model for job in self._here()}):
            jobs = self.jobs(model)
            failed = sum(job.failed for job in jobs)
            told = [(job.next_at, job.key, job.error) for job in jobs if job.error]
            oldest = min(job.added for job in jobs)
            found.append(Backlog(model, len(jobs) - failed, failed, oldest, max(told)[2] if told else ""))
        return found

    def due(self, model: str, now: float) -> bool:
        """Whether there is a job to take."""
        return bool(self._due(model, now))

    def _due(self, model: str, now: float) -> list[Job]:
        due = [job for job in self.jobs(model) if not job.failed and job.next_at <= now]
        return sorted(due, key=lambda job: (job.next_at, job.key))

    def holders(self, model: str) -> list[str]:
        """Who has taken jobs."""
        return sorted({job.holder for job in self.jobs(model) if job.holder})

    def held(self, model: str, holder: str) -> list[Job]:
        """The jobs that a holder has taken, by key."""
        return [job for job in self.jobs(model) if job.holder == holder]

    def orphans(self, model: str) -> list[int]:
        """Keys of pending memories without a job of the model."""
        state = self.current()
        pending = [row.key for row in state.rows_of(self.namespace) if row.memory.status == "pending_embed"]
        return [key for key in pending if (key, model) not in state.jobs]

    def lacking(self, model: str) -> list[int]:
        """Keys of live memories without a vector of the model."""
        state = self.current()
        live = [row.key for row in state.rows_of(self.namespace) if row.memory.status in LIVE_STATUSES]
        return [key for key in live if (model, key) not in state.vectors]

    def left_behind(self, model: str) -> bool:
        """Whether a live memory has a vector of another model and none of this one."""
        lacking = set(self.lacking(model))
        return any(key in lacking for _, key in self.current().vectors)

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        """Queue memories; how many are new. Raises NotFoundError for a key of no memory here."""
        state = self.current()
        before = len(state.jobs)
        for key in keys:
            if state.row(self.namespace, key) is None:
                raise NotFoundError(f"no memory with key {key} in this namespace")
        for key in keys:
            state.jobs.setdefault((key, model), Job(key, model, at, next_at=at))
        return len(state.jobs) - before

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        """Lease at most `limit` due jobs, the longest due first."""
        due = self._due(model, now)[:limit]
        taken = [replace(job, attempts=job.attempts + 1, next_at=until, holder=holder) for job in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        """Replace jobs; those that are gone stay gone."""
        here = {(job.key, job.model): job for job in self._here()}
        for job in jobs:
            if (job.key, job.model) in here:
                kept = replace(job, added=here[job.key, job.model].added)
                self.current().jobs[job.key, job.model] = kept

    def release(self, holder: str, at: float) -> int:
        """Give back what a holder has taken."""
        held = [job for job in self._here() if job.holder == holder]
        self.update([replace(job, holder="", next_at=at) for job in held])
        return len(held)

    def retry(self, model: str, at: float) -> int:
        """Make the jobs that were given up due again."""
        given_up = [job for job in self.jobs(model) if job.failed]
        self.update([replace(job, failed=False, attempts=0, next_at=at) for job in given_up])
        return len(given_up)

    def finish(self, model: str, keys: Sequence[int]) -> None:
        """Remove jobs that are done; pending memories become active."""
        state = self.current()
        for key in keys:
            row = state.row(self.namespace, key)
            if row is None:
                continue
            state.jobs.pop((key, model), None)
            if row.memory.status == "pending_embed":
                state.rows[key] = replace(row, memory=msgspec.structs.replace(row.memory, status="active"))

    def drop(self, model: str) -> int:
        """Forget all jobs of a model."""
        gone = self.jobs(model)
        for job in gone:
            del self.current().jobs[job.key, model]
        return len(gone)
