"""The words stages and stores share about vectors that are still to be made: jobs, and the queue of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

UNTOLD = "not told any more: it may have quoted a memory that was erased"
"""The error of every failed job of a namespace once something is erased there: models quote what they got."""


@dataclass(frozen=True, slots=True)
class Job:
    """A memory, by its key, that is to get a vector of a model. Times are unix seconds.

    Nobody may take it before `next_at`: the next try of one that failed, the end of the lease of one that
    `holder` works at. `attempts` counts the tries that were begun, a killed worker's too. `failed`: it was
    given up and waits to be retried by hand; `error` is why it failed last.
    """

    key: int
    model: str
    added: float
    attempts: int = 0
    next_at: float = 0.0
    holder: str = ""
    failed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Backlog:
    """The jobs of one model: how many wait, how many were given up, when the oldest came, the last failure."""

    model: str
    waiting: int
    failed: int
    oldest: float
    error: str = ""


class Queue(Protocol):
    """Which memories of a namespace wait for a vector, and of which model."""

    def jobs(self, model: str) -> list[Job]:
        """All jobs of a model, by key."""
        ...

    def backlogs(self) -> list[Backlog]:
        """One for each model that has jobs, by name."""
        ...

    def due(self, model: str, now: float) -> bool:
        """Whether there is a job to take."""
        ...

    def holders(self, model: str) -> list[str]:
        """Who has taken jobs, sorted."""
        ...

    def held(self, model: str, holder: str) -> list[Job]:
        """The jobs that a holder has taken and that nobody has taken from it since, by key."""
        ...

    def orphans(self, model: str) -> list[int]:
        """Keys of memories that are `pending_embed` and have no job of the model, ascending."""
        ...

    def lacking(self, model: str) -> list[int]:
        """Keys of live memories without a vector of the model, ascending."""
        ...

    def left_behind(self, model: str) -> bool:
        """Whether a live memory has a vector of another model and none of this one."""
        ...


class QueueWriter(Queue, Protocol):
    """The same inside a transaction."""

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        """Queue memories; one that is queued already keeps its job. How many are new.

        Raises NotFoundError for a key of no memory here.
        """
        ...

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        """Lease at most `limit` due jobs, the longest due first: they count one attempt more."""
        ...

    def update(self, jobs: Sequence[Job]) -> None:
        """Replace jobs; those that are gone stay gone."""
        ...

    def release(self, holder: str, at: float) -> int:
        """Give back what a holder has taken; how many jobs."""
        ...

    def retry(self, model: str, at: float) -> int:
        """Make the jobs that were given up due at `at`, with all attempts before them; how many."""
        ...

    def finish(self, model: str, keys: Sequence[int]) -> None:
        """Remove jobs that are done: memories that were `pending_embed` are active.

        Leaves no version row: that it waited for its vector is nothing a memory says.
        """
        ...

    def drop(self, model: str) -> int:
        """Forget all jobs of a model; how many."""
        ...
