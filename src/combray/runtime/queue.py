"""Protocols of the queue: memories that wait for a model, a vector of an embedder or extraction from turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from combray.records import dataclass

EXTRACTION = "extraction"
"""Name of the jobs of turns that a language model reads for facts. The names of embedders contain a colon."""
OMITTED = "omitted: it may have quoted a memory that was erased"
"""Replaces the error of every failed job after an erasure in its namespace: models quote their input."""


@dataclass(frozen=True, slots=True)
class Job:
    """A memory (by key) that waits for a model: for a vector, or to be read for facts. Times are unix seconds.

    No worker may take it before `next_at`: the next attempt after a failure, or the end of `holder`'s lease.
    `attempts` counts started attempts, including those of killed workers. `failed`: it was given up until a
    manual retry. `error`: the last failure. `done`: when a turn was read, or 0; a turn with a time and no attempt
    is not to be read. A job for a vector is removed instead: the vector is its mark.
    """

    key: int
    model: str
    added: float
    attempts: int = 0
    next_at: float = 0.0
    holder: str = ""
    failed: bool = False
    error: str = ""
    done: float = 0.0


@dataclass(frozen=True, slots=True)
class Backlog:
    """Jobs of one model that are not done: how many wait and were given up, the oldest, the last failure."""

    model: str
    waiting: int
    failed: int
    oldest: float
    error: str = ""


class Queue(Protocol):
    """The jobs of a namespace."""

    def jobs(self, model: str) -> list[Job]:
        """Return all jobs of a model, by key."""

    def backlogs(self) -> list[Backlog]:
        """Return one backlog per model with jobs that are not done, by name."""

    def due(self, model: str, now: float) -> bool:
        """Return whether a job is due."""

    def holders(self, model: str) -> list[str]:
        """Return the holders of jobs, sorted."""

    def held(self, model: str, holder: str) -> list[Job]:
        """Return the jobs that a holder still holds, by key."""

    def given_up(self, model: str, limit: int) -> list[Job]:
        """Return failed jobs, by key, at most `limit`."""

    def orphans(self, model: str) -> list[int]:
        """Return the keys of `pending_embed` memories without a job of the model, ascending."""

    def lacking(self, model: str) -> list[int]:
        """Return the keys of live memories without a vector, or token vectors, of the model, ascending."""

    def unmarked(self, model: str, limit: int) -> list[int]:
        """Return the keys of live episodes without a job of the model, ascending, at most `limit`."""

    def left_behind(self, model: str) -> bool:
        """Return whether a live memory has a vector of another model and none of this one."""


class QueueWriter(Queue, Protocol):
    """`Queue` inside a transaction."""

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        """Queue memories and return how many are new. A queued memory keeps its job.

        Raises NotFoundError for an unknown key.
        """

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        """Lease at most `limit` due jobs, the longest due first. Each counts one more attempt."""

    def update(self, jobs: Sequence[Job]) -> None:
        """Replace jobs that still exist."""

    def release(self, holder: str, at: float) -> int:
        """Release a holder's jobs. Return how many."""

    def retry(self, model: str, at: float) -> int:
        """Make failed jobs due at `at`, with their attempts reset. Return how many."""

    def finish(self, model: str, keys: Sequence[int], *, activates: bool = True) -> None:
        """Remove finished jobs.

        Their `pending_embed` memories become active, without a version row; not if token vectors were made.
        """

    def drop(self, model: str) -> int:
        """Remove all jobs of a model. Return how many."""
