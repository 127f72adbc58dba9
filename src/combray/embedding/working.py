"""An embedding worker: takes jobs in one transaction, embeds outside of any, and writes in another.

Jobs are leased. The jobs of a dead worker go to the next one, at once if it ran on this machine. A worker whose
lease was taken over writes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError, StoreError
from combray.forms.remembering import Draft, Remembering
from combray.language.indexing import full_text
from combray.records import dataclass, field, replace
from combray.remember.embed import search_nearest
from combray.remember.link import LinkSemantic
from combray.runtime import Embedder, Reader, Runtime, TokenEmbedder, Writer
from combray.runtime.background import is_there, new_holder
from combray.runtime.queue import Job
from combray.types import Memory

Embed = Callable[[Sequence[str]], Sequence[NDArray[Any]]]
"""Returns the vector, or the token vectors, of each text."""
MOST_ATTEMPTS = 16
"""Attempts at a text that a working model refuses, before it is given up: about five hours."""
LONGEST_PAUSE = 3600.0
"""Maximum seconds between two attempts, before up to 25% jitter."""
_PROBE = "hello"
_MOST_CHARACTERS = 500


def pause(attempts: int, memory_id: str) -> float:
    """Return the seconds until the next attempt: 2^attempts up to LONGEST_PAUSE, plus up to 25% jitter.

    The jitter is a hash of the memory's id, so it spreads retries and is the same in every run.
    """
    share = int.from_bytes(hashlib.sha256(memory_id.encode()).digest()[:4]) / 2**32
    return float(min(2.0**attempts, LONGEST_PAUSE) * (1.0 + share / 4.0))


@dataclass(slots=True)
class Tried:
    """The result for some texts: vectors and errors by position, or why the model is down."""

    vectors: dict[int, NDArray[Any]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    down: str = ""


def embed_each(name: str, embed: Embed, texts: Sequence[str]) -> Tried:
    """Embed all texts at once with the model of that name. If that fails, embed each half, down to single texts.

    After each failure the model embeds one plain word. If that fails too, the model is down and the attempt ends.
    """
    tried = Tried()
    waiting = [list(range(len(texts)))] if texts else []
    while waiting:
        part = waiting.pop()
        try:
            rows = embed([texts[at] for at in part])
            if not all(np.isfinite(row).all() for row in rows):
                raise ModelError(f"{name}: returned a vector with NaN or infinite components")
        except ModelError as error:
            reason = str(error)[:_MOST_CHARACTERS]
            if not _answers(embed):
                tried.down = reason
                return tried
            if len(part) == 1:
                tried.errors[part[0]] = reason
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
            continue
        tried.vectors.update(zip(part, rows, strict=True))
    return tried


def _answers(embed: Embed) -> bool:
    try:
        embed([_PROBE])
    except ModelError:
        return False
    return True


LEASE_SECONDS = 600.0
"""Seconds that a batch may take before other workers take its jobs over."""
_DIED = "every worker that tried it was killed"


@dataclass(frozen=True, slots=True)
class Worked:
    """Counts of memories that got a vector, that failed and that still wait; the last error."""

    embedded: int = 0
    failed: int = 0
    left: int = 0
    error: str = ""

    def __add__(self, other: Worked) -> Worked:
        """Return the sum of both; the later error counts."""
        return Worked(
            self.embedded + other.embedded,
            self.failed + other.failed,
            self.left + other.left,
            other.error or self.error,
        )


@dataclass(frozen=True)
class Worker:
    """Makes the vectors of one model in one namespace. `link` makes the semantic edges of new memories."""

    runtime: Runtime
    namespace: str
    embedder: Embedder | TokenEmbedder
    link: LinkSemantic | None = None

    def embed(self, texts: Sequence[str]) -> Sequence[NDArray[Any]]:
        """Return the vectors of texts."""
        return list(cast(Embedder, self.embedder).embed(texts))

    def has(self, reader: Reader, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of the keys have what is made."""
        return reader.vectors(self.embedder.name, keys)[1]

    @property
    def reader(self) -> Reader:
        """A reader of the namespace."""
        return self.runtime.store.reader(self.namespace)

    def orphans(self) -> list[int]:
        """Return the keys of pending memories without a job, which come from imports."""
        return self.reader.queue.orphans(self.embedder.name)

    def work(self, limit: int | None, batch: int, progress: Callable[[int], None] | None = None) -> Worked:
        """Do what is due now, at most `limit` jobs; stop when the model is down.

        `progress` is called with the count done after each batch.
        """
        holder = new_holder()
        queue, model = self.reader.queue, self.embedder.name
        orphans = self.orphans()
        dead = [each for each in queue.holders(model) if not is_there(each)]
        if orphans or dead:
            now = self.runtime.clock()
            with self.runtime.store.transaction(self.namespace) as tx:
                tx.queue.put(model, orphans, now)
                for each in dead:
                    tx.queue.release(each, now)
        worked = Worked()
        while limit is None or worked.embedded + worked.failed < limit:
            size = batch if limit is None else min(batch, limit - worked.embedded - worked.failed)
            done = self._batch(holder, size)
            if done is None:
                break
            worked += done[0]
            if progress is not None:
                progress(worked.embedded)
            if done[1]:
                break
        left = sum(each.waiting for each in self.reader.queue.backlogs() if each.model == model)
        return replace(worked, left=left)

    def _batch(self, holder: str, size: int) -> tuple[Worked, bool] | None:
        """Embed a batch; return what was done and whether the model is down. None if nothing is due."""
        now = self.runtime.clock()
        # An idle worker must not take the write lock.
        if not self.reader.queue.due(self.embedder.name, now):
            return None
        with self.runtime.store.transaction(self.namespace) as tx:
            jobs = tx.queue.take(self.embedder.name, holder, now, now + LEASE_SECONDS, size)
        try:
            return self._do(jobs, holder)
        except BaseException:
            # An interrupted attempt does not count: the jobs become as they were.
            with suppress(StoreError), self.runtime.store.transaction(self.namespace) as tx:
                now = self.runtime.clock()
                held = tx.queue.held(self.embedder.name, holder)
                tx.queue.update([replace(job, attempts=job.attempts - 1, holder="", next_at=now) for job in held])
            raise

    def _do(self, jobs: Sequence[Job], holder: str) -> tuple[Worked, bool]:
        reader = self.reader
        keys = np.array(sorted(job.key for job in jobs), dtype=np.int64)
        known = dict(zip(reader.ids(keys), keys.tolist(), strict=True))
        memories = {known[memory.id]: memory for memory in reader.memories(keys) if memory.id in known}
        there = set(keys[self.has(reader, keys)].tolist())
        hopeless = {job.key for job in jobs if job.attempts > MOST_ATTEMPTS}
        wanted = [key for key in memories if key not in there and key not in hopeless]
        tried = embed_each(self.embedder.name, self.embed, [full_text(memories[key]) for key in wanted])
        drafts = [
            Draft(memories[wanted[at]], vector=vector, key=wanted[at])
            for at, vector in sorted(tried.vectors.items())
        ]
        failures = {wanted[at]: error for at, error in tried.errors.items()} | dict.fromkeys(hopeless, _DIED)
        # The neighbours are searched before the write lock is taken, and again if somebody wrote meanwhile.
        seen = reader.revision()
        if self.link is not None:
            state = Remembering(self.namespace, [], self.runtime.clock(), drafts=drafts)
            search_nearest(state, reader, self.embedder.name, self.link.minimum)
        with self.runtime.store.transaction(self.namespace) as tx:
            mine = {job.key: job for job in tx.queue.held(self.embedder.name, holder)}
            changed, done = self._meanwhile(tx, mine, memories)
            made = [draft for draft in drafts if draft.key in mine and draft.key not in changed | done]
            self._store(tx, made, sorted(done), seen)
            late = [job for key, job in mine.items() if key not in changed | done | {d.key for d in made}]
            tx.queue.update([self._later(job, memories, failures.get(job.key), tried) for job in late])
            now = self.runtime.clock()
            tx.queue.update([replace(mine[key], attempts=0, holder="", next_at=now) for key in sorted(changed)])
        error = tried.down or next(iter(failures.values()), "")
        return Worked(len(made), len(late), error=error), bool(tried.down)

    def _meanwhile(
        self, tx: Writer, mine: Mapping[int, Job], memories: Mapping[int, Memory]
    ) -> tuple[set[int], set[int]]:
        """Return the keys whose text changed since it was embedded, and those that have a vector already.

        An update drops the vector of the old text, and may store one of the new text: the jobs stay the same.
        """
        keys = np.array(sorted(mine), dtype=np.int64)
        done = set(keys[self.has(tx, keys)].tolist())
        texts = dict(zip(keys.tolist(), map(full_text, tx.memories(keys.tolist())), strict=True))
        changed = {key for key, memory in memories.items() if key in texts and texts[key] != full_text(memory)}
        return changed - done, done

    def _store(self, tx: Writer, made: list[Draft], there: list[int], seen: int) -> None:
        """Write the vectors, then the edges of memories that were pending, then remove the jobs."""
        now, model = self.runtime.clock(), self.embedder.name
        keys = [draft.key for draft in made if draft.key is not None]
        if keys:
            tx.put_vectors(model, keys, np.stack([draft.vector for draft in made if draft.vector is not None]))
            waited = {memory.id for memory in tx.memories(keys) if memory.status == "pending_embed"}
            new = [draft for draft in made if draft.memory.id in waited and np.any(draft.vector)]
            if self.link is not None and new:
                state = Remembering(self.namespace, [], now, drafts=new, tx=tx)
                # The open transaction has already raised the revision by one.
                if tx.revision() - 1 != seen:
                    search_nearest(state, tx, model, self.link.minimum)
                self.link(state, self.runtime)
            tx.note("embed", "", f"{len(keys)} memories with {model}", now)
        tx.queue.finish(model, [*keys, *there])

    def _later(self, job: Job, memories: dict[int, Memory], error: str | None, tried: Tried) -> Job:
        """Return the job after a failure, due later or given up. Nothing is given up while the model is down."""
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


@dataclass(frozen=True)
class TokenWorker(Worker):
    """Makes the token vectors of one model. A memory that waits for its vector goes on waiting."""

    def embed(self, texts: Sequence[str]) -> Sequence[NDArray[Any]]:
        return cast(TokenEmbedder, self.embedder).embed_tokens(texts)

    def has(self, reader: Reader, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = reader.tokens(self.embedder.name, keys)
        return np.array([each is not None for each in found], dtype=np.bool_)

    def orphans(self) -> list[int]:
        return []

    def _store(self, tx: Writer, made: list[Draft], there: list[int], seen: int) -> None:  # noqa: ARG002 - of the base
        model = self.embedder.name
        keys = [draft.key for draft in made if draft.key is not None]
        if keys:
            tokens: list[Any] = [draft.vector for draft in made if draft.vector is not None]
            tx.put_tokens(model, keys, tokens)
            tx.note("embed", "", f"tokens of {len(keys)} memories with {model}", self.runtime.clock())
        tx.queue.finish(model, [*keys, *there], activates=False)
