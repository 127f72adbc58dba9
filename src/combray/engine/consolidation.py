"""Consolidation: run it, list the runs, undo one; what memories of large batches may change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from combray.audit.audited import audited
from combray.engine.namespace import Namespace
from combray.engine.vectors import Vectors
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError, StoreBusyError
from combray.facts.candidates import SuggestRevisions, level_of
from combray.facts.edges import KeepRevisions
from combray.facts.ranker import Level
from combray.facts.waiting import left, put_left
from combray.forms.remembering import Draft, Remembering
from combray.language.scopes import scope_set
from combray.language.tense import claim_of
from combray.pipeline import advise, walk
from combray.records import dataclass, field
from combray.remember.embed import FindNearest
from combray.runtime import Filter, Lease, Writer
from combray.runtime import Run as Run
from combray.runtime.background import is_there, new_holder
from combray.types import LIVE_STATUSES, Memory, Step
from combray.values import new_id, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from combray.consolidate.runs import Undone as Undone
    from combray.consolidate.state import PlanLine, Planning
    from combray.engine.extraction import Extraction
    from combray.pipeline import Pipeline


LEASE = "consolidate"
LEASE_SECONDS = 900.0
"""Seconds until the lease of a run expires. Every stage and every applied part renews it."""
MOST = 1000
MOST_TURNS = 1000
"""Turns that one run lets the language model read; the next one goes on."""
_MOST_CHANGES = 10_000_000
_MOST_LEFT = 2_000
"""Memories of large batches that one run compares, so that a night after an import stays bounded."""
_PART = 50
"""Of these, memories of one transaction: other writers wait some hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Two facts that the rules cannot decide. A language model or a person decides."""

    first: Memory
    second: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """The result of a run, or with `dry_run` its plan.

    `plan`: one line per change, in order. `counts`: applied changes by operation. `waiting`: undecided pairs.
    `skipped_because_of_cap`: memories left to the next run by the cap. `resumed`: the id of a killed run that
    was finished first.
    """

    run_id: str
    dry_run: bool
    plan: tuple[PlanLine, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    waiting: tuple[Waiting, ...] = ()
    skipped_because_of_cap: int = 0
    resumed: str | None = None
    trace: tuple[Step, ...] = ()
    degraded: tuple[str, ...] = ()


Progress = Callable[[str, int, int], None]
"""Called with the name of the step, the count done, and the total."""


class Consolidation:
    """`engine.consolidation`: run it, list the runs, undo one."""

    def __init__(self, at: Namespace, vectors: Vectors, extraction: Callable[[], Extraction]) -> None:
        self._at = at
        self._vectors = vectors
        self._extraction = extraction

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

        First the language model, if there is one, reads turns that wait in the queue of extraction. What it
        stores is no part of the run: a dry run reads nothing, and `undo` leaves it.
        At its end it finds what memories of large batches may change, as `remember` does for single texts.

        Nothing is deleted, and `undo` reverts a run. `most` bounds how many memories one run may merge,
        supersede, deprecate or restore. `dry_run` returns the same plan and writes nothing. A run that was
        killed is finished first. `steps` replaces the pipeline `consolidate.nightly.NIGHTLY`.

        Raises InvalidInputError, ReadOnlyStoreError, and StoreBusyError while another process consolidates.
        """
        most = whole("most", most, 0, _MOST_CHANGES)
        if dry_run:
            state = self._plan(most, progress, steps)
            return self._report(state, dry_run=True, counts=state.counts)
        if not self._at.runtime.store.writable:
            raise ReadOnlyStoreError(
                f"{self._at.runtime.store.location}: is open read-only. Use a dry run to see the plan."
            )
        from combray.consolidate import runs

        waiting = self._extract(progress)
        with self._alone() as hold:
            store, resumed = self._at.runtime.store, None
            for run in self.runs(limit=_MOST_CHANGES):
                if run.state == "running":
                    resumed = runs.finish(store, self._at.namespace, run, hold, self._at.runtime.clock).id
            state = self._plan(most, self._renewing(hold, progress), steps)
            state.degraded += waiting
            run = Run(state.run, state.now)
            runs.record(store, self._at.namespace, run, state.steps, hold)
            total = len(state.steps)
            applied = None if progress is None else lambda done: progress("Apply", done, total)
            run = runs.finish(store, self._at.namespace, run, hold, self._at.runtime.clock, applied)
        self._vectors.catch_up(MOST)
        suggest_left(self._at)
        return self._report(state, dry_run=False, counts=run.counts, resumed=resumed)

    def _extract(self, progress: Progress | None) -> list[str]:
        """Let the language model read turns. Return why some wait."""
        if self._at.runtime.language_model is None or self._at.settings.get("extract", "model") != "model":
            return []
        told = None if progress is None else lambda done: progress("Extract", done, done)
        done = self._extraction().read(limit=MOST_TURNS, progress=told)
        why = " ".join(f"({each})" for each in (done.stopped, done.error) if each)
        return [*done.degraded, *([f"{done.left} turns wait for the language model {why}"] if why else [])]

    def _plan(self, most: int, progress: Progress | None, steps: Pipeline[Planning] | None) -> Planning:
        from combray.consolidate.confidence import FadeFacts
        from combray.consolidate.merge import MergeFacts
        from combray.consolidate.nightly import NIGHTLY
        from combray.consolidate.state import Planning

        run = new_id(moment(self._at.runtime.clock()))
        # Stores keep whole microseconds. A run that is finished later must compute with the same moment.
        now = round(self._at.runtime.clock() * 1_000_000) / 1_000_000
        state = Planning(self._at.namespace, now, run, most, progress=progress)
        usual = NIGHTLY
        if self._at.preset.fades:
            usual = usual.replace("FadeFacts", FadeFacts(stored=True)).replace(
                "MergeFacts", MergeFacts(restated_from=0.90, asks_near=True)
            )
        return (steps or usual).run(state, self._at.runtime)

    def _report(
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
        """Return the latest runs, newest first."""
        return self._at.reader.runs(whole("limit", limit, 1, _MOST_CHANGES))

    def changes(self, run_id: str) -> list[PlanLine]:
        """Return what a run changed, one line a change, in order. `run_id` may be a prefix.

        `detail` names the changed fields. Memories that were erased since are omitted. Raises NotFoundError.
        """
        from combray.consolidate.runs import actor
        from combray.consolidate.state import PlanLine

        who, reader = actor(self._run(run_id).id), self._at.reader
        found = []
        for memory in reader.memories(reader.changed_by(who)):
            (key,) = reader.keys_of([memory.id]).values()
            for each in reader.history(key):
                if each.actor == who and memory.trust in self._at.trusts:
                    fields = ", ".join(sorted(each.before))
                    found.append((each.changed_at, PlanLine(each.operation, memory.id, memory.content, fields)))
        return [line for _, line in sorted(found, key=lambda each: (each[0], each[1].memory_id))]

    def _run(self, run_id: str) -> Run:
        """Return the one run whose id begins like this. Raises NotFoundError."""
        found = [run for run in self._at.reader.runs(_MOST_CHANGES) if run_id and run.id.startswith(run_id)]
        if len(found) != 1:
            which = "no run" if not found else f"{len(found)} runs"
            raise NotFoundError(
                f"{which} {run_id!r} in namespace {self._at.namespace!r}. List runs: combray consolidate --runs."
            )
        return found[0]

    def waiting(self) -> list[Waiting]:
        """Return the undecided pairs of earlier runs whose facts are both live."""
        reader = self._at.reader
        found = []
        for doubt in reader.doubts():
            both = [] if doubt.answer else reader.memories((doubt.first, doubt.second))
            if len(both) == 2 and all(memory.status in LIVE_STATUSES for memory in both):
                found.append(Waiting(both[0], both[1], doubt.reason))
        return found

    @audited("undo", reads=False)
    def undo(self, run_id: str) -> Undone:
        """Undo a whole run: every memory gets its earlier fields back, and a version row.

        Memories changed since the run are left as they are and listed in `refused`, with what the run linked to
        them. The next run does not repeat an undone decision. `run_id` may be a prefix.

        Raises NotFoundError, StoreBusyError, and InvalidInputError for a run that is already undone.
        """
        run = self._run(run_id)
        if run.state == "undone":
            raise InvalidInputError("run_id", f"{run.id} is undone already.")
        from combray.consolidate.runs import undo_run

        with self._alone() as hold, self._at.runtime.store.transaction(self._at.namespace) as tx:
            hold(tx)
            return undo_run(tx, run, self._at.runtime.clock())

    @audited("undo_merge", reads=False)
    def undo_merge(self, memory_id: str) -> Memory:
        """Bring one merged fact back; the winner gives back the evidence that came from it alone.

        The two are not merged again. Raises NotFoundError, and InvalidInputError if it is not merged.
        """
        from combray.consolidate.runs import undo_merge

        with self._at.runtime.store.transaction(self._at.namespace) as tx:
            return undo_merge(tx, self._at.key_of(memory_id, tx), self._at.runtime.clock())

    @contextmanager
    def _alone(self) -> Iterator[Callable[[Writer], None]]:
        """Hold the lease of consolidation; yields a function that renews it inside a transaction."""
        holder = new_holder()
        store, clock = self._at.runtime.store, self._at.runtime.clock

        def hold(tx: Writer) -> None:
            kept = tx.lease(LEASE)
            if kept is None or kept.holder != holder:
                raise StoreBusyError(f"{store.location}: another consolidation took over. This one stopped.")
            tx.put_lease(LEASE, Lease(holder, clock() + LEASE_SECONDS))

        with store.transaction(self._at.namespace) as tx:
            kept = tx.lease(LEASE)
            if kept is not None and kept.until > clock() and is_there(kept.holder):
                raise StoreBusyError(
                    f"{store.location}: a consolidation of namespace {self._at.namespace!r} is running "
                    f"({kept.holder}). Wait for it, at most until {moment(kept.until):%Y-%m-%d %H:%M:%S} UTC."
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
        """Return a progress callback that renews the lease: planning takes minutes in a large store."""
        renewed = [self._at.runtime.clock()]

        def report(what: str, done: int, total: int) -> None:
            if self._at.runtime.clock() - renewed[0] > LEASE_SECONDS / 10:
                with self._at.runtime.store.transaction(self._at.namespace) as tx:
                    hold(tx)
                renewed[0] = self._at.runtime.clock()
            if progress is not None:
                progress(what, done, total)

        return report


def moment(unix: float) -> datetime:
    """Return the UTC datetime of unix seconds."""
    return datetime.fromtimestamp(unix, UTC)


# -- what memories of large batches may change -------------------------------------------------------


def suggest_left(at: Namespace, most: int = _MOST_LEFT) -> int:
    """Find candidates for memories of large batches, at most `most`; return how many were looked at.

    Stores `may_revise` edges and reports nothing. A preset without the stages finds none.
    """
    stages = list(walk(at.preset.remember.stages))
    suggest = next((each for each in stages if isinstance(each, SuggestRevisions)), None)
    keep = next((each for each in stages if isinstance(each, KeepRevisions)), None)
    nearest = next((each for each in stages if isinstance(each, FindNearest)), None)
    done = 0
    if suggest is None or keep is None or nearest is None:
        return done
    while done < most:
        with at.runtime.store.transaction(at.namespace) as tx:
            ranges = left(tx)
            if not ranges:
                break
            first, last = ranges[0]
            end = min(last, first + min(_PART, most - done) - 1)
            for draft in _drafts(at, range(first, end + 1), nearest, tx):
                state = Remembering(at.namespace, [], at.runtime.clock(), trusts=at.trusts, drafts=[draft], tx=tx)
                advise(
                    "SuggestRevisions", partial(_found, suggest, keep, level_of(at.runtime)), state, at.runtime
                )
            put_left(tx, ranges[1:] if end == last else [(end + 1, last), *ranges[1:]])
            done += end + 1 - first
    return done


def _found(suggest: SuggestRevisions, keep: KeepRevisions, level: Level, state: Remembering) -> Remembering:
    (draft,) = state.drafts
    suggest.consider(draft, 0, state, level)
    keep.link(draft, state)
    return state


def _drafts(at: Namespace, keys: Iterable[int], nearest: FindNearest, tx: Writer) -> list[Draft]:
    """Return the live memories as drafts, with their vectors and the memories nearest to them."""
    wanted = np.array(list(keys), dtype=np.int64)
    live = wanted[tx.eligible(wanted, Filter())]
    drafts = [
        Draft(memory, key=int(key), claim=claim_of(memory.content))
        for key, memory in zip(live, tx.memories(live.tolist()), strict=True)
        if memory.status in LIVE_STATUSES
    ]
    if at.runtime.embedder is None or not drafts:
        return drafts
    model = at.runtime.embedder.name
    vectors, there = tx.vectors(model, np.array([draft.key for draft in drafts], dtype=np.int64))
    for draft, vector, has in zip(drafts, vectors, there.tolist(), strict=True):
        if has:
            draft.vector = vector
            scope = scope_set(draft.memory.tags)
            earlier = Filter(within=scope, until=draft.memory.moment.timestamp())
            (draft.nearest,) = tx.nearest(model, vector[None, :], earlier, nearest.limit, nearest.minimum)
    return drafts
