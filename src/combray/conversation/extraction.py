"""Extraction: a language model reads turns for facts, from a durable queue with a mark for every turn.

A turn counts as read only in the transaction that stores what a valid answer says of it. A conversation,
`engine.extract`, the background worker and consolidation share this queue. Jobs are leased as those for vectors
are (`embedding/working.py`).

Source: docs/explanation/consolidation.md.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

from combray.consolidate.runs import by_key
from combray.conversation.extraction_batches import DayBudget, TurnBatch, enter, first_batch, is_read, ledger
from combray.conversation.extraction_facts import LostError, ValidAnswer
from combray.conversation.extraction_prompt import SYSTEM, AnswerParts, UnusableError, ask, prompt, read, repair
from combray.errors import CombrayError, ModelError, StoreError
from combray.forms.remembering import Remembering
from combray.language.model_tokens import estimate
from combray.pipeline import Pipeline
from combray.records import dataclass, field, replace
from combray.runtime import LanguageModel, Reader, Runtime, Writer
from combray.runtime.background import is_there, new_holder
from combray.runtime.calls import step
from combray.runtime.queue import EXTRACTION, Job

MOST_ATTEMPTS = 3
"""Attempts at a turn that a working model gives no valid answer on, before it is set aside."""
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds until the second attempt, and the most until any. Each pause is four times the one before."""
REST = 30.0
"""Seconds that a new turn waits for those that follow it: one call reads them together."""
LEASE_SECONDS = 600.0
_MOST_TAKEN = 64
_MOST_MARKED = 5_000
"""Turns that one transaction marks."""
_MOST_FAILURES = 3
"""Calls in a row without an answer, after which a run ends."""
_TOKENS, _TOKENS_A_LINE = 400, 80
_PROBE = ("This is a test of the connection.", "Answer with OK.")
_MOST_CHARACTERS = 500
_COUNTED = ("read", "known", "superseded", "unsupported", "quarantined", "calls", "tokens")
_DIED = "every process that tried it was killed"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a run did. `left`: turns that wait; `set_aside`: turns given up after three attempts.

    `stopped`: why it ended early, such as a spent budget. `error`: the last failure. `facts`: ids of new facts.
    `turns`: ids of the turns that the call stored. `degraded`: what failed while facts were stored without it.
    """

    turns: tuple[str, ...] = ()
    read: int = 0
    facts: tuple[str, ...] = ()
    known: int = 0
    superseded: int = 0
    unsupported: int = 0
    quarantined: int = 0
    failed: int = 0
    calls: int = 0
    tokens: int = 0
    left: int = 0
    set_aside: int = 0
    stopped: str = ""
    error: str = ""
    degraded: tuple[str, ...] = ()

    def __add__(self, other: Extracted) -> Extracted:
        """Return the sum of both; the later reasons count."""
        names = [each.name for each in fields(self)]
        both = {name: (getattr(self, name), getattr(other, name)) for name in names}
        summed: Any = {
            name: later or earlier if isinstance(later, str) else earlier + later
            for name, (earlier, later) in both.items()
        }
        return Extracted(**summed)


@dataclass(slots=True)
class _Run:
    """A run so far."""

    holder: str
    counts: Counter[str] = field(default_factory=Counter)
    facts: list[str] = field(default_factory=list)
    failed: int = 0
    in_a_row: int = 0
    stopped: str = ""
    error: str = ""
    degraded: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Extractor:
    """Reads the turns of one namespace. `remember` is the pipeline that stores facts."""

    runtime: Runtime
    namespace: str
    remember: Pipeline[Remembering]
    model: LanguageModel
    budget: DayBudget

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""
        return self.runtime.store.reader(self.namespace)

    def work(self, limit: int | None = None, progress: Callable[[int], None] | None = None) -> Extracted:
        """Read what is due, at most `limit` turns; stop when the budget is spent or the model is down.

        `progress` is called with the count done after each call of the model.
        """
        run = _Run(new_holder())
        self._release_dead()
        while limit is None or run.counts["read"] + run.failed < limit:
            left = _MOST_TAKEN if limit is None else min(_MOST_TAKEN, limit - run.counts["read"] - run.failed)
            if not self._batch(run, left):
                break
            if progress is not None:
                progress(run.counts["read"])
        backlog = next((each for each in self.reader.queue.backlogs() if each.model == EXTRACTION), None)
        counts: Any = {name: run.counts[name] for name in _COUNTED}
        return Extracted(
            facts=tuple(run.facts),
            failed=run.failed,
            left=backlog.waiting if backlog else 0,
            set_aside=backlog.failed if backlog else 0,
            stopped=run.stopped,
            error=run.error,
            degraded=tuple(run.degraded),
            **counts,
        )

    def _release_dead(self) -> None:
        dead = [each for each in self.reader.queue.holders(EXTRACTION) if not is_there(each)]
        if dead:
            with self.runtime.store.transaction(self.namespace) as tx:
                for each in dead:
                    tx.queue.release(each, self.runtime.clock())

    def _batch(self, run: _Run, most: int) -> bool:
        """Read one batch. Return whether there may be another."""
        now = self.runtime.clock()
        run.stopped = self.budget.exhausted(ledger(self.reader).on(self._day()))
        # A run without work must not take the write lock.
        if run.stopped or not self.reader.queue.due(EXTRACTION, now + REST):
            return False
        with self.runtime.store.transaction(self.namespace) as tx:
            jobs = _usable(tx, tx.queue.take(EXTRACTION, run.holder, now + REST, now + LEASE_SECONDS, most), now)
        if not jobs:
            return True
        try:
            embedder = self.runtime.embedder
            batch = first_batch(self.reader, jobs, embedder.name if embedder is not None else "")
            if batch is None:
                return True
            chosen = {job.key for job in batch.jobs}
            self._give_back([job for job in jobs if job.key not in chosen])
            return self._read(batch, run)
        except BaseException:
            # An interrupted attempt does not count.
            with suppress(StoreError):
                self._give_back(self.reader.queue.held(EXTRACTION, run.holder))
            raise

    def _give_back(self, jobs: Sequence[Job]) -> None:
        """Make jobs as they were before they were taken: due, and the first in turn."""
        if jobs:
            with self.runtime.store.transaction(self.namespace) as tx:
                tx.queue.update([replace(job, attempts=job.attempts - 1, next_at=0.0, holder="") for job in jobs])

    def _read(self, batch: TurnBatch, run: _Run) -> bool:
        text = prompt(batch.conversations, list(batch.known.values()), self.runtime.clock())
        spent: Counter[str] = Counter()
        run.stopped = self._stop(spent, text)
        if run.stopped:
            self._give_back(batch.jobs)
            return False
        try:
            reading = self._asked(text, batch, spent)
        except ModelError as error:
            return self._failed(batch, error, spent, run)
        answer = ValidAnswer(batch, reading, run.holder, self._day(), spent)
        try:
            outcome = answer.store(self.runtime, self.namespace, self.remember)
        except StoreError as error:
            # The calls were made, and count.
            with self.runtime.store.transaction(self.namespace) as tx:
                enter(tx, self._day(), spent)
            if not isinstance(error, LostError):
                raise
            self._give_back(self.reader.queue.held(EXTRACTION, run.holder))
            return True
        run.in_a_row = 0
        run.counts += outcome.counts
        run.facts += outcome.facts
        run.degraded |= dict.fromkeys(outcome.degraded)
        return True

    def _asked(self, text: str, batch: TurnBatch, spent: Counter[str]) -> AnswerParts:
        """Return what the model answers. One that cannot be read is asked for once more. Raises ModelError."""
        step("ask the language model")
        most = _TOKENS + _TOKENS_A_LINE * (len(batch.turns) + len(batch.known))
        answer = self._answer(SYSTEM, text, most, spent)
        try:
            return read(answer)
        except UnusableError as error:
            again = repair(text, answer, str(error))
            if self._stop(spent, again):
                raise
        return read(self._answer(SYSTEM, again, most, spent))

    def _stop(self, spent: Mapping[str, int], text: str) -> str:
        """Return why this call may not be made, or ""."""
        known = ledger(self.reader).plus(self._day(), spent)
        return self.budget.exhausted(known, estimate(SYSTEM) + estimate(text))

    def _answer(self, system: str, text: str, most: int, spent: Counter[str]) -> str:
        """Make one call and count it. Raises ModelError, also for an exception of a caller's own object."""
        before = _tokens(self.model)
        spent["calls"] += 1
        answer = ""
        try:
            answer = ask(self.model, system, text, most)
        except CombrayError as error:
            spent["failures"] += 1
            raise error if isinstance(error, ModelError) else ModelError(str(error)) from error
        except Exception as error:
            spent["failures"] += 1
            raise ModelError(f"{type(error).__name__}: {error}") from error
        finally:
            reported = _tokens(self.model) - before
            # A model that reports nothing is counted by an estimate of what it was given and gave.
            counted = estimate(system) + estimate(text) + estimate(answer) if answer else 0
            spent["tokens"] += reported or counted
        return answer

    def _failed(self, batch: TurnBatch, error: ModelError, spent: Counter[str], run: _Run) -> bool:
        """Put a batch off. An attempt counts only if the model works. Return whether to go on."""
        works = error.request_only or self._works(spent)
        now, reason = self.runtime.clock(), str(error)[:_MOST_CHARACTERS]
        with self.runtime.store.transaction(self.namespace) as tx:
            held = tx.queue.held(EXTRACTION, run.holder)
            tx.queue.update([_later(job, reason, now, counts=works) for job in held])
            enter(tx, self._day(), spent)
        run.counts += spent
        run.failed += len(batch.jobs)
        run.error = reason
        run.in_a_row += 1
        if not works:
            run.stopped = "the language model does not answer"
        elif run.in_a_row >= _MOST_FAILURES:
            run.stopped = f"{run.in_a_row} calls in a row had no valid answer"
        return not run.stopped

    def _works(self, spent: Counter[str]) -> bool:
        """Return whether the model answers at all."""
        try:
            self._answer(*_PROBE, _TOKENS, spent)
        except ModelError:
            return False
        return True

    def _day(self) -> str:
        return self.runtime.local(self.runtime.clock()).date().isoformat()


def mark(tx: Writer, keys: Sequence[int], now: float, *, read: bool = True, first: bool = False) -> None:
    """Put turns into the queue, due after a rest, or with `first` at once; with `read` off as not to be read."""
    tx.queue.put(EXTRACTION, keys, now)
    at = 0.0 if first else now + REST
    tx.queue.update([Job(key, EXTRACTION, now, next_at=at, done=0.0 if read else now) for key in keys])


def mark_all(runtime: Runtime, namespace: str) -> None:
    """Put every turn into the queue that has no mark: those stored without a model, and those of imports."""
    reader = runtime.store.reader(namespace)
    while keys := reader.queue.unmarked(EXTRACTION, _MOST_MARKED):
        with runtime.store.transaction(namespace) as tx:
            tx.queue.put(EXTRACTION, keys, runtime.clock())


def _usable(tx: Writer, jobs: Sequence[Job], now: float) -> list[Job]:
    """Return the jobs to read, the longest due first. Mark those that are not to be read, or set them aside."""
    turns = by_key(tx, [job.key for job in jobs])
    kept: list[Job] = []
    rest: list[Job] = []
    for job in jobs:
        if job.key not in turns or not is_read(turns[job.key]):
            rest.append(replace(job, attempts=0, next_at=now, holder="", done=now))
        elif job.attempts > MOST_ATTEMPTS:
            rest.append(replace(job, next_at=now, holder="", failed=True, error=job.error or _DIED))
        else:
            kept.append(job)
    tx.queue.update(rest)
    return kept


def _later(job: Job, reason: str, now: float, *, counts: bool) -> Job:
    """Return the job after a failure: due later, with up to 25% jitter, a hash of the key; or set aside."""
    attempts = job.attempts if counts else job.attempts - 1
    share = int.from_bytes(hashlib.sha256(str(job.key).encode()).digest()[:4]) / 2**32
    pause = min(FIRST_PAUSE * 4.0 ** max(0, attempts - 1), LONGEST_PAUSE) * (1.0 + share / 4.0)
    failed = attempts >= MOST_ATTEMPTS
    return replace(job, attempts=attempts, next_at=now + pause, holder="", failed=failed, error=reason)


def _tokens(model: LanguageModel) -> int:
    """Return the tokens that a model has counted so far; 0 for one that counts none."""
    try:
        return int(model.usage.snapshot()["tokens"])  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001 - a caller's own object
        return 0
