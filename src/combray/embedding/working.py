"""A worker: takes jobs in one transaction, embeds without one, and writes the result in another.

Jobs are leased. The next worker takes over the jobs of a dead one, at once if it ran on this machine. A worker
whose lease was taken over writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from combray.embedding.attempts import MOST_ATTEMPTS, Tried, embed_each, pause
from combray.errors import StoreError
from combray.language.indexing import full_text
from combray.remember.embed import search_nearest
from combray.remember.link import LinkSemantic
from combray.remember.state import Draft, Remembering
from combray.runtime import Embedder, Reader, Runtime, Writer
from combray.runtime.leases import is_there, new_holder
from combray.runtime.queue import Job
from combray.types import Memory

LEASE_SECONDS = 600.0
"""How long a batch may take before its worker counts as dead."""
_DIED = "every worker that tried it was killed"


@dataclass(frozen=True, slots=True)
class Worked:
    """Result of a round: memories embedded, failed and still waiting; the last error."""

    embedded: int = 0
    failed: int = 0
    left: int = 0
    error: str = ""

    def __add__(self, other: Worked) -> Worked:
        return Worked(
            self.embedded + other.embedded,
            self.failed + other.failed,
            self.left + other.left,
            other.error or self.error,
        )


@dataclass(frozen=True, slots=True)
class _Done:
    embedded: int
    failed: int
    error: str
    down: bool


@dataclass(frozen=True)
class Worker:
    """Makes the vectors of one model in one namespace. `link` adds semantic edges for new memories."""

    runtime: Runtime
    namespace: str
    embedder: Embedder
    link: LinkSemantic | None = None

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""
        return self.runtime.store.reader(self.namespace)

    def work(self, limit: int | None, batch: int, told: Callable[[int], None] | None = None) -> Worked:
        """Do due jobs, at most `limit`. Stops if the model is down. `told` is called with the count so far."""
        holder = new_holder()
        self._adopt()
        embedded = failed = 0
        error = ""
        while limit is None or embedded + failed < limit:
            size = batch if limit is None else min(batch, limit - embedded - failed)
            done = self._batch(holder, size)
            if done is None:
                break
            embedded, failed, error = embedded + done.embedded, failed + done.failed, done.error or error
            if told is not None:
                told(embedded)
            if done.down:
                break
        left = sum(each.waiting for each in self.reader.queue.backlogs() if each.model == self.embedder.name)
        return Worked(embedded, failed, left, error)

    def _adopt(self) -> None:
        """Queue pending memories without a job (for example, imported ones). Release jobs of dead workers."""
        queue, model = self.reader.queue, self.embedder.name
        orphans = queue.orphans(model)
        dead = [holder for holder in queue.holders(model) if not is_there(holder)]
        if not orphans and not dead:
            return
        now = self.runtime.clock()
        with self.runtime.store.transaction(self.namespace) as tx:
            tx.queue.put(model, orphans, now)
            for holder in dead:
                tx.queue.release(holder, now)

    def _batch(self, holder: str, size: int) -> _Done | None:
        now = self.runtime.clock()
        # Checked first, so that an idle worker takes no write lock.
        if not self.reader.queue.due(self.embedder.name, now):
            return None
        with self.runtime.store.transaction(self.namespace) as tx:
            jobs = tx.queue.take(self.embedder.name, holder, now, now + LEASE_SECONDS, size)
        try:
            return self._do(jobs, holder)
        except BaseException:
            self._give_back(holder)
            raise

    def _give_back(self, holder: str) -> None:
        """Return the jobs as they were before: an interruption is not a failure."""
        with suppress(StoreError), self.runtime.store.transaction(self.namespace) as tx:
            now = self.runtime.clock()
            held = tx.queue.held(self.embedder.name, holder)
            tx.queue.update([replace(job, attempts=job.attempts - 1, holder="", next_at=now) for job in held])

    def _do(self, jobs: Sequence[Job], holder: str) -> _Done:
        reader, model = self.reader, self.embedder.name
        keys = np.array(sorted(job.key for job in jobs), dtype=np.int64)
        known = dict(zip(reader.ids(keys), keys.tolist(), strict=True))
        memories = {known[memory.id]: memory for memory in reader.memories(keys) if memory.id in known}
        _, has = reader.vectors(model, keys)
        there = set(keys[has].tolist())
        hopeless = {job.key for job in jobs if job.attempts > MOST_ATTEMPTS}
        wanted = [key for key in memories if key not in there and key not in hopeless]
        tried = embed_each(self.embedder, [full_text(memories[key]) for key in wanted])
        drafts = [
            Draft(memories[wanted[at]], vector=vector, key=wanted[at])
            for at, vector in sorted(tried.vectors.items())
        ]
        failures = {wanted[at]: error for at, error in tried.errors.items()} | dict.fromkeys(hopeless, _DIED)
        seen = self._look_around(drafts, reader)
        with self.runtime.store.transaction(self.namespace) as tx:
            held = {job.key: job for job in tx.queue.held(model, holder)}
            made = [draft for draft in drafts if draft.key in held]
            self._store(tx, made, [key for key in there if key in held], seen)
            late = [job for key, job in held.items() if key not in there and key not in {d.key for d in made}]
            tx.queue.update([self._later(job, memories, failures.get(job.key), tried) for job in late])
        return _Done(len(made), len(late), tried.down or next(iter(failures.values()), ""), bool(tried.down))

    def _look_around(self, drafts: list[Draft], reader: Reader) -> int:
        """Search neighbours of the new vectors before taking the write lock. Return the revision searched."""
        seen = reader.revision()
        if self.link is not None:
            state = Remembering(self.namespace, [], self.runtime.clock(), drafts=drafts)
            search_nearest(state, reader, self.embedder.name, self.link.minimum)
        return seen

    def _store(self, tx: Writer, made: list[Draft], there: list[int], seen: int) -> None:
        """Write vectors, then edges of new memories, then remove the jobs."""
        now, model = self.runtime.clock(), self.embedder.name
        keys = [draft.key for draft in made if draft.key is not None]
        if keys:
            tx.put_vectors(model, keys, np.stack([draft.vector for draft in made if draft.vector is not None]))
            waited = {memory.id for memory in tx.memories(keys) if memory.status == "pending_embed"}
            new = [draft for draft in made if draft.memory.id in waited and np.any(draft.vector)]
            if self.link is not None and new:
                state = Remembering(self.namespace, [], now, drafts=new, tx=tx)
                # Another writer committed since. The open transaction counts as one revision.
                if tx.revision() - 1 != seen:
                    search_nearest(state, tx, model, self.link.minimum)
                self.link(state, self.runtime)
            tx.note("embed", "", f"{len(keys)} memories with {model}", now)
        tx.queue.finish(model, [*keys, *there])

    def _later(self, job: Job, memories: dict[int, Memory], error: str | None, tried: Tried) -> Job:
        """Return the job after a failure: postponed, or given up unless the model is down."""
        attempts = job.attempts if error else min(job.attempts, MOST_ATTEMPTS - 1)
        wait = pause(attempts, memories[job.key].id if job.key in memories else "")
        return replace(
            job,
            attempts=attempts,
            next_at=self.runtime.clock() + wait,
            holder="",
            failed=attempts >= MOST_ATTEMPTS,
            error=error or tried.down,
        )
