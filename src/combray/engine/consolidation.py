"""Consolidation: run it, list the runs, undo one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from combray.audit.audited import audited
from combray.engine import memories
from combray.engine.namespace import Namespace
from combray.engine.vectors import Vectors
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError, StoreBusyError
from combray.runtime import Lease, Writer
from combray.runtime import Run as Run
from combray.runtime.leases import is_there, new_holder
from combray.types import LIVE_STATUSES, Memory, Step
from combray.values import new_id, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from combray.consolidate.state import Line, Planning
    from combray.consolidate.undo import Undone as Undone
    from combray.pipeline import Pipeline

LEASE = "consolidate"
LEASE_SECONDS = 900.0
"""How long a run may be silent: it renews its lease with every stage and every part it applies."""
MOST = 1000
_MOST_CHANGES = 10_000_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """Two facts that the rules cannot decide: left to the judge, or to a person."""

    first: Memory
    second: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What a run did, or would do (`dry_run`).

    `plan`: a line for every change, in order. `counts`: changes by operation, as applied. `waiting`: pairs in
    doubt. `skipped_because_of_cap`: memories that the cap left to the next run. `resumed`: the run of a killed
    process that was finished first.
    """

    run_id: str
    dry_run: bool
    plan: tuple[Line, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()
    skipped_because_of_cap: int = 0
    resumed: str | None = None
    trace: tuple[Step, ...] = ()
    degraded: tuple[str, ...] = ()


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""


class Consolidation:
    """`engine.consolidation`: run it, list the runs, undo one."""

    def __init__(self, at: Namespace, vectors: Vectors) -> None:
        self._at = at
        self._vectors = vectors

    @audited("consolidate", reads=False)
    def run(
        self,
        *,
        dry_run: bool = False,
        most: int = MOST,
        progress: Progress | None = None,
        steps: Pipeline[Planning] | None = None,
    ) -> ConsolidationReport:
        """Bring the facts up to date: evidence, age, paraphrases, contradictions. Doubtful pairs are listed.

        Nothing is deleted, and `undo` reverts a run. `most` bounds how many memories one run may merge,
        supersede, deprecate or restore. `dry_run` returns the same plan and writes nothing. A run that was
        killed is finished first. `steps` replaces the pipeline `consolidate.nightly.NIGHTLY`.

        Raises InvalidInputError, ReadOnlyStoreError, and StoreBusyError while another process consolidates.
        """
        most = whole("most", most, 0, _MOST_CHANGES)
        if dry_run:
            state = self._plan(new_id(moment(self._at.runtime.clock())), most, progress, steps)
            return self._told(state, dry_run=True, counts=state.counts)
        if not self._at.runtime.store.writable:
            raise ReadOnlyStoreError(
                f"{self._at.runtime.store.location}: opened read-only; a dry run shows what there is to do."
            )
        from combray.consolidate import runs

        with self._alone() as hold:
            store, resumed = self._at.runtime.store, None
            for run in self.runs(limit=_MOST_CHANGES):
                if run.state == "running":
                    resumed = runs.finish(store, self._at.namespace, run, hold, self._at.runtime.clock).id
            state = self._plan(
                new_id(moment(self._at.runtime.clock())), most, self._renewing(hold, progress), steps
            )
            run = Run(state.run, state.now, seen=state.seen)
            runs.record(store, self._at.namespace, run, state.steps, hold, state.fresh)
            applied = None if progress is None else _applying(progress, len(state.steps))
            run = runs.finish(store, self._at.namespace, run, hold, self._at.runtime.clock, applied)
        self._vectors.catch_up(MOST)
        return self._told(state, dry_run=False, counts=run.counts, resumed=resumed)

    def _plan(self, run: str, most: int, progress: Progress | None, steps: Pipeline[Planning] | None) -> Planning:
        from combray.consolidate.nightly import NIGHTLY
        from combray.consolidate.state import Planning

        # Whole microseconds, as a store keeps them: a finished run computes with the same moment.
        now = round(self._at.runtime.clock() * 1_000_000) / 1_000_000
        state = Planning(self._at.namespace, now, run, most, progress=progress)
        usual = NIGHTLY if self._at.settings.get("distil", True) else NIGHTLY.without("DistilFacts")
        return (steps or usual).run(state, self._at.runtime)

    def _told(
        self, state: Planning, *, dry_run: bool, counts: Mapping[str, int], resumed: str | None = None
    ) -> ConsolidationReport:
        waiting = tuple(
            Waiting(state.facts[first], state.facts[second], reason)
            for (first, second), reason in state.waiting()
        )
        return ConsolidationReport(
            run_id=state.run,
            dry_run=dry_run,
            plan=tuple(state.lines),
            counts=dict(sorted(counts.items())),
            waiting=waiting,
            skipped_because_of_cap=state.skipped,
            resumed=resumed,
            trace=tuple(state.trace),
            degraded=tuple(state.degraded),
        )

    def runs(self, limit: int = 20) -> list[Run]:
        """The latest runs, newest first."""
        return self._at.reader.runs(whole("limit", limit, 1, _MOST_CHANGES))

    def waiting(self) -> list[Waiting]:
        """Doubtful pairs of earlier runs: both facts are live and nobody has decided yet."""
        reader = self._at.reader
        found = []
        for doubt in reader.doubts():
            both = [
                memory
                for memory in reader.memories((doubt.first, doubt.second))
                if memory.status in LIVE_STATUSES and not doubt.answer
            ]
            if len(both) == 2:
                found.append(Waiting(both[0], both[1], doubt.reason))
        return found

    @audited("undo", reads=False)
    def undo(self, run_id: str) -> Undone:
        """Undo a whole run: every memory gets its earlier fields back, and a version row.

        Memories changed since the run are left as they are and listed in `refused`, with what the run linked to
        them. The next run does not repeat an undone decision. `run_id` may be a prefix.

        Raises NotFoundError, StoreBusyError, and InvalidInputError for a run that is already undone.
        """
        found = [run for run in self._at.reader.runs(_MOST_CHANGES) if run_id and run.id.startswith(run_id)]
        if len(found) != 1:
            which = "no run" if not found else f"{len(found)} runs"
            raise NotFoundError(
                f"{which} {run_id!r} in namespace {self._at.namespace!r}; list them: combray consolidate --runs"
            )
        if found[0].state == "undone":
            raise InvalidInputError("run_id", f"{found[0].id} is undone already.")
        from combray.consolidate.undo import undo_run

        with self._alone() as hold, self._at.runtime.store.transaction(self._at.namespace) as tx:
            hold(tx)
            return undo_run(tx, found[0], self._at.runtime.clock())

    def undo_merge(self, memory_id: str) -> Memory:
        """Bring one merged fact back; the winner gives back the evidence that came from it alone.

        The two are not merged again. Raises NotFoundError, and InvalidInputError if it is not merged.
        """
        return memories.undo_merge(self._at, memory_id)

    # -- one at a time -------------------------------------------------------------------------------

    @contextmanager
    def _alone(self) -> Iterator[Callable[[Writer], None]]:
        """Hold the lease of consolidation; yields a function that renews it inside a transaction."""
        holder = new_holder()
        store, clock = self._at.runtime.store, self._at.runtime.clock

        def hold(tx: Writer) -> None:
            kept = tx.lease(LEASE)
            if kept is None or kept.holder != holder:
                raise StoreBusyError(f"{store.location}: another consolidation took over; this one stopped.")
            tx.put_lease(LEASE, Lease(holder, clock() + LEASE_SECONDS))

        with store.transaction(self._at.namespace) as tx:
            kept = tx.lease(LEASE)
            if kept is not None and kept.until > clock() and is_there(kept.holder):
                raise StoreBusyError(
                    f"{store.location}: a consolidation of namespace {self._at.namespace!r} is running "
                    f"({kept.holder}); wait for it, at most until {moment(kept.until):%Y-%m-%d %H:%M:%S} UTC."
                )
            tx.put_lease(LEASE, Lease(holder, clock() + LEASE_SECONDS))
        try:
            yield hold
        finally:
            with store.transaction(self._at.namespace) as tx:
                kept = tx.lease(LEASE)
                if kept is not None and kept.holder == holder:
                    tx.put_lease(LEASE, None)

    def _renewing(self, hold: Callable[[Writer], None], progress: Progress | None) -> Progress:
        """Progress that renews the lease now and then: planning reads for minutes in a large store."""
        renewed = [self._at.runtime.clock()]

        def tell(what: str, done: int, total: int) -> None:
            if self._at.runtime.clock() - renewed[0] > LEASE_SECONDS / 10:
                with self._at.runtime.store.transaction(self._at.namespace) as tx:
                    hold(tx)
                renewed[0] = self._at.runtime.clock()
            if progress is not None:
                progress(what, done, total)

        return tell


def _applying(progress: Progress, total: int) -> Callable[[int], None]:
    def tell(done: int) -> None:
        progress("Apply", done, total)

    return tell


def moment(unix: float) -> datetime:
    """The datetime of unix seconds, UTC."""
    return datetime.fromtimestamp(unix, UTC)
