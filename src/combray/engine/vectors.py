"""Vectors made later: the queue, the background worker, the move to another embedder."""

from __future__ import annotations

from collections.abc import Callable

from combray import wiring
from combray.audit.audited import audited
from combray.embedding.background import EmbeddingWorker
from combray.embedding.working import TokenWorker, Worked, Worker
from combray.engine.namespace import Namespace
from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.remember.link import LinkSemantic
from combray.runtime import Embedder, Filter
from combray.values import clean_text, whole

BATCH = 64
"""Texts embedded at once."""
MOST_BATCH = 1024
_MOST = 2**53


@dataclass(frozen=True, slots=True)
class Reembedding:
    """Progress of a namespace towards a model.

    `memories`: live memories. `lacking`: those without a vector of the model. `queued`: jobs added by this call.
    `dropped`: vectors of another model deleted by it.
    """

    model: str
    memories: int
    lacking: int
    queued: int = 0
    dropped: int = 0


class Vectors:
    """`engine.vectors`: the queue of memories without a vector, the worker, and the move to another embedder.

    `moving` is the embedder that `reembed(to=…)` moves to, beside the one in use.
    """

    def __init__(self, at: Namespace) -> None:
        self._at = at
        self.moving: Embedder | None = None
        self._changing = False
        self._worker: EmbeddingWorker | None = None

    @audited("embed", reads=False)
    def make(
        self,
        *,
        limit: int | None = None,
        batch: int = BATCH,
        everywhere: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Worked:
        """Make the vectors that are due now, `batch` texts at once, `limit` memories per namespace at most.

        `everywhere` works on every namespace of the store. `progress` is called with the count done after each
        batch of a namespace. Threads and processes may do this at the same time: no text is embedded twice. A
        failed text is retried later, with growing pauses; while the embedder does not answer at all, the rest
        stays queued. Raises InvalidInputError and StoreError.
        """
        batch = whole("batch", batch, 1, MOST_BATCH)
        limit = None if limit is None else whole("limit", limit, 0, _MOST)
        own, tokens = self._own(), self._at.runtime.tokens
        worked = Worked()
        places = self._at.runtime.store.namespaces() if everywhere else [self._at.namespace]
        if self._changing:
            for namespace in places:
                self._queue_lacking(namespace, own.name)
                if tokens is not None:
                    self._queue_lacking(namespace, tokens.name)
            self._changing = False
        for namespace in places:
            link = next(filter(None, map(_linking, self._at.preset.remember)), None)
            worked += Worker(self._at.runtime, namespace, own, link).work(limit, batch, progress)
            if self.moving is not None:
                self._queue_lacking(namespace, self.moving.name)
                worked += Worker(self._at.runtime, namespace, self.moving, link).work(limit, batch, progress)
            if tokens is not None:
                worked += TokenWorker(self._at.runtime, namespace, tokens).work(limit, batch)
        if self._worker is not None:
            # What the engine's own thread has leased is made when this returns, too.
            self._worker.wait()
        return worked

    def catch_up(self, most: int) -> None:
        """Queue memories without a vector of the embedder and make `most` of them now; a worker makes the rest.

        Does nothing without an embedder.
        """
        if self._at.runtime.embedder is not None:
            self.reembed()
            self.make(limit=most)

    def pending(self) -> int:
        """Count the memories that wait for a vector of the engine's embedder, those given up included."""
        mine = self._at.runtime.embedder.name if self._at.runtime.embedder else ""
        jobs = sum(each.waiting + each.failed for each in self._at.reader.queue.backlogs() if each.model == mine)
        return jobs + (len(self._at.reader.queue.orphans(mine)) if mine else 0)

    @audited("retry_failed", reads=False)
    def retry_failed(self) -> int:
        """Make every job that was given up due again, of any model. Returns how many."""
        now = self._at.runtime.clock()
        models = [each.model for each in self._at.reader.queue.backlogs() if each.failed]
        if not models:
            return 0
        with self._at.runtime.store.transaction(self._at.namespace) as tx:
            again = sum(tx.queue.retry(model, now) for model in models)
            tx.note("retry_failed", "", f"{again} jobs", now)
            return again

    @audited("reembed", reads=False)
    def reembed(self, to: str | Embedder | None = None, *, drop: str | None = None) -> Reembedding:
        """Queue every live memory that has no vector of the embedder yet; `make`, or a worker, makes them.

        `to` is another embedder than the engine's own (a spec, or an object). Its vectors are made beside the
        present ones, which stay in use until the setting is changed; every `make` also queues what was
        remembered meanwhile. Safe to call again at any time: only missing vectors are queued.

        `drop` is the name of a model whose vectors and jobs are deleted instead, once every live memory has
        a vector of the engine's own embedder. Raises InvalidInputError, ModelError and StoreError.
        """
        if drop is not None:
            if to is not None:
                raise InvalidInputError("drop", "cannot be combined with `to`.", "Drop the model after the move.")
            return self._drop(clean_text("drop", drop, 500))
        if to is not None:
            self.moving = wiring.another_embedder(to, self._at.runtime.clock)
            if self.moving is None:
                raise InvalidInputError("to", f"{to!r} makes no vectors.", "Name another embedder.")
        model = (self.moving if to is not None and self.moving is not None else self._own()).name
        if self._at.runtime.tokens is not None:
            self._queue_lacking(self._at.namespace, self._at.runtime.tokens.name)
        queued = self._queue_lacking(self._at.namespace, model)
        return self._progress(model, queued=queued)

    def _progress(self, model: str, *, queued: int = 0, dropped: int = 0) -> Reembedding:
        lacking = len(self._at.reader.queue.lacking(model))
        live = len(self._at.reader.scan(Filter(trusts=())))
        return Reembedding(model, live, lacking, queued, dropped)

    def _queue_lacking(self, namespace: str, model: str) -> int:
        queue = self._at.runtime.store.reader(namespace).queue
        if not set(queue.lacking(model)).difference(job.key for job in queue.jobs(model)):
            return 0
        with self._at.runtime.store.transaction(namespace) as tx:
            queued = tx.queue.put(model, tx.queue.lacking(model), self._at.runtime.clock())
            tx.note("reembed", "", f"{queued} queued for {model}", self._at.runtime.clock())
            return queued

    def _drop(self, model: str) -> Reembedding:
        own = self._own().name
        if model == own:
            raise InvalidInputError("drop", f"{model!r} is the embedder in use.", "Name another model.")
        lacking = len(self._at.reader.queue.lacking(own))
        if lacking:
            raise InvalidInputError(
                "drop", f"{lacking} memories have no vector of {own} yet.", "Call reembed() and make() first."
            )
        with self._at.runtime.store.transaction(self._at.namespace) as tx:
            dropped = tx.drop_vectors(model)
            tx.queue.drop(model)
            tx.note("drop_vectors", "", f"{dropped} of {model}", self._at.runtime.clock())
        return self._progress(own, dropped=dropped)

    def _own(self) -> Embedder:
        if self._at.runtime.embedder is None:
            raise InvalidInputError("embedder", "is not set, so no vectors can be made.", "Set one.")
        return self._at.runtime.embedder

    def outdated(self) -> bool:
        """Whether memories lack a vector of the engine's embedder that others have, or token vectors."""
        own, tokens = self._at.runtime.embedder, self._at.runtime.tokens
        if tokens is not None and self._at.reader.queue.lacking(tokens.name):
            return True
        return own is not None and self._at.reader.queue.left_behind(own.name)

    def start_worker(self, *, batch: int = BATCH) -> None:
        """Make vectors in a background thread, for every namespace of the store, until the engine is closed.

        After a change of embedder, the thread makes vectors for all memories that have none of the new one.
        """
        self._own()
        self._changing = self.outdated()
        whole("batch", batch, 1, MOST_BATCH)
        if self._worker is None or not self._worker.running:
            self._worker = EmbeddingWorker(self, batch)
            self._at.after_write = self._worker.wake

    def stop_worker(self) -> None:
        """Stop the thread after the current batch. The rest stays queued."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = self._at.after_write = None


def _linking(stage: object) -> LinkSemantic | None:
    """Return the stage that makes semantic edges, wherever it is in a pipeline."""
    if isinstance(stage, LinkSemantic):
        return stage
    return next(filter(None, map(_linking, getattr(stage, "stages", ()))), None)
