"""Extraction of facts from turns by a language model: what is due, what was set aside, what it has cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from combray.audit.audited import audited
from combray.conversation.auto_memory import mode_of
from combray.conversation.extraction import Extracted, Extractor, mark, mark_all
from combray.conversation.turns import Conversation
from combray.embedding.background import EmbeddingWorker
from combray.embedding.working import Worked
from combray.engine.namespace import Namespace, Verbs
from combray.engine.store import budget_of, extraction_status
from combray.records import dataclass, replace
from combray.runtime.queue import EXTRACTION
from combray.sessions.messages import turns_of
from combray.types import Memory
from combray.values import new_id, whole

_A_ROUND = 40
"""Turns of one round of the worker, so that closing need not wait for the whole queue."""
_MOST = 2**53
_NO_MODEL = "no language model is configured; the turns wait"


@dataclass(frozen=True, slots=True)
class SetAside:
    """A turn that was given up after three failed attempts, and the last failure."""

    memory: Memory
    attempts: int
    error: str


class Extraction:
    """`engine.extraction`: the queue of turns that a language model reads for facts."""

    def __init__(self, at: Namespace) -> None:
        self._at = at
        self._rounds = _Rounds(at)
        self._worker: EmbeddingWorker | None = None

    @audited("extract", reads=False)
    def read(
        self, *, limit: int | None = None, everywhere: bool = False, progress: Callable[[int], None] | None = None
    ) -> Extracted:
        """Read the turns that are due now, at most `limit` in each namespace, those without a mark too.

        Facts are stored with their turns as evidence, and what they replace is superseded. A turn whose answer
        was not valid is retried later, and set aside after three attempts. `progress` is called with the count
        done after each call of the model. Raises InvalidInputError and StoreError, and nothing for a model.
        """
        limit = None if limit is None else whole("limit", limit, 0, _MOST)
        names = self._at.runtime.store.namespaces() if everywhere else [self._at.namespace]
        done = Extracted()
        for name in names:
            found = extractor(self._at, name)
            if found is None:
                return replace(done, stopped=_NO_MODEL)
            if mode_of(self._at.settings) == "model":
                mark_all(self._at.runtime, name)
            done += found.work(limit, progress)
        return done

    def set_aside(self, limit: int = 20) -> list[SetAside]:
        """Turns that were given up, with the last failure. `vectors.retry_failed` makes them due again."""
        reader = self._at.reader
        jobs = reader.queue.given_up(EXTRACTION, whole("limit", limit, 1, _MOST))
        memories = {each.id: each for each in reader.memories([job.key for job in jobs])}
        keys = reader.keys_of(list(memories))
        by_key = {keys[each]: memory for each, memory in memories.items()}
        return [SetAside(by_key[job.key], job.attempts, job.error) for job in jobs if job.key in by_key]

    def status(self) -> dict[str, Any]:
        """Turns read, waiting and set aside, what became of the answers, the cost, and why it stands still."""
        return extraction_status(self._at)

    def wake(self) -> None:
        """Start the thread that reads turns, if there is a model and the setting `worker` is not off."""
        if self._at.wake_extraction is not None:
            self._at.wake_extraction()
            return
        runtime, allowed = self._at.runtime, self._at.settings.get("worker") is not False
        if not allowed or runtime.language_model is None or not runtime.store.writable:
            return
        if self._worker is None or not self._worker.running:
            self._worker = EmbeddingWorker(self._rounds, _A_ROUND, "combray-extraction")
        else:
            self._worker.wake()

    def stop_worker(self) -> None:
        """Stop the thread after the current call. The rest stays queued."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


class _Rounds:
    """What the worker calls: turns of every namespace whose rest is over."""

    def __init__(self, at: Namespace) -> None:
        self._at = at

    @audited("extract", reads=False)
    def make(self, *, limit: int, batch: int, everywhere: bool) -> Worked:
        """Read what is due."""
        del batch, everywhere
        done = Extracted()
        for name in self._due():
            found = extractor(self._at, name)
            if found is not None:
                done += found.work(limit)
        return Worked(done.read, done.failed, done.left, done.error)

    def _due(self) -> Sequence[str]:
        store, now = self._at.runtime.store, self._at.runtime.clock()
        return [name for name in store.namespaces() if store.reader(name).queue.due(EXTRACTION, now)]


def extract(at: Namespace, messages: Iterable[str | Mapping[str, Any]], session: str | None) -> Extracted:
    """Store messages as turns of a session and read them now; see `Engine.extract`."""
    runtime, namespace = at.runtime, at.namespace
    turns = list(turns_of(messages))
    if not turns:
        return Extracted()
    name = session or new_id(runtime.local(runtime.clock()))
    stored = Conversation(Verbs(at), name, at.background).add_many(turns, extract="model")
    ids = tuple(each.id for each in stored)
    found = extractor(at, namespace)
    if found is None:
        return Extracted(turns=ids, left=len(ids), stopped=_NO_MODEL)
    with runtime.store.transaction(namespace) as tx:
        mark(tx, list(tx.keys_of(ids).values()), runtime.clock(), first=True)
    return replace(found.work(len(ids)), turns=ids)


def extractor(at: Namespace, namespace: str) -> Extractor | None:
    """Return what reads the turns of a namespace; None without a language model."""
    model = at.runtime.language_model
    if model is None:
        return None
    return Extractor(at.runtime, namespace, at.preset.remember, model, budget_of(at))
