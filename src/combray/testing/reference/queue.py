"""The queue of the reference store: a dict of jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from combray.runtime.queue import Backlog, Job
from combray.testing.reference.state import NamespaceRows, Row
from combray.types import LIVE_STATUSES


class ReferenceQueue:
    """Implements `runtime.Queue` and `runtime.QueueWriter`. `space` returns the current namespace."""

    def __init__(self, space: Callable[[], NamespaceRows]) -> None:
        self.space = space

    def jobs(self, model: str) -> list[Job]:
        return [job for (_, name), job in sorted(self.space().jobs.items()) if name == model]

    def backlogs(self) -> list[Backlog]:
        found = []
        for model in sorted({model for (_, model), job in self.space().jobs.items() if not job.done}):
            jobs = [job for job in self.jobs(model) if not job.done]
            failed = sum(job.failed for job in jobs)
            errors = sorted((job.next_at, job.key, job.error) for job in jobs if job.error)
            oldest = min(job.added for job in jobs)
            found.append(Backlog(model, len(jobs) - failed, failed, oldest, errors[-1][2] if errors else ""))
        return found

    def due(self, model: str, now: float) -> bool:
        return any(not job.done and not job.failed and job.next_at <= now for job in self.jobs(model))

    def holders(self, model: str) -> list[str]:
        return sorted({job.holder for job in self.jobs(model) if job.holder})

    def held(self, model: str, holder: str) -> list[Job]:
        return [job for job in self.jobs(model) if job.holder == holder]

    def given_up(self, model: str, limit: int) -> list[Job]:
        return [job for job in self.jobs(model) if job.failed][:limit]

    def orphans(self, model: str) -> list[int]:
        space = self.space()
        pending = [key for key, row in space.rows.items() if row.memory.status == "pending_embed"]
        return [key for key in pending if (key, model) not in space.jobs]

    def lacking(self, model: str) -> list[int]:
        space = self.space()
        live = [key for key, row in space.rows.items() if row.memory.status in LIVE_STATUSES]
        return [key for key in live if not {(model, key)} & (space.vectors.keys() | space.tokens.keys())]

    def unmarked(self, model: str, limit: int) -> list[int]:
        space = self.space()
        turns = [
            key
            for key, row in space.rows.items()
            if row.memory.kind == "episode" and row.memory.status in LIVE_STATUSES
        ]
        return [key for key in sorted(turns) if (key, model) not in space.jobs][:limit]

    def left_behind(self, model: str) -> bool:
        return bool({key for _, key in self.space().vectors}.intersection(self.lacking(model)))

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        space = self.space()
        before = len(space.jobs)
        for key in keys:
            space.row(key)
            space.jobs.setdefault((key, model), Job(key, model, at, next_at=at))
        return len(space.jobs) - before

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        due = [job for job in self.jobs(model) if not job.done and not job.failed and job.next_at <= now]
        due = sorted(due, key=lambda job: (job.next_at, job.key))[:limit]
        taken = [replace(job, attempts=job.attempts + 1, next_at=until, holder=holder) for job in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        known = self.space().jobs
        for job in jobs:
            if (job.key, job.model) in known:
                known[job.key, job.model] = replace(job, added=known[job.key, job.model].added)

    def release(self, holder: str, at: float) -> int:
        held = [job for job in self.space().jobs.values() if job.holder == holder]
        self.update([replace(job, holder="", next_at=at) for job in held])
        return len(held)

    def retry(self, model: str, at: float) -> int:
        failed = [job for job in self.jobs(model) if job.failed]
        self.update([replace(job, failed=False, attempts=0, next_at=at) for job in failed])
        return len(failed)

    def finish(self, model: str, keys: Sequence[int], *, activates: bool = True) -> None:
        space = self.space()
        for key in keys:
            space.jobs.pop((key, model), None)
            if activates and key in space.rows and space.rows[key].memory.status == "pending_embed":
                space.rows[key] = Row(key, msgspec.structs.replace(space.rows[key].memory, status="active"))

    def drop(self, model: str) -> int:
        jobs = self.jobs(model)
        for job in jobs:
            del self.space().jobs[job.key, model]
        return len(jobs)
