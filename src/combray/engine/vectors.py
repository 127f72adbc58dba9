"""The engine's verbs about vectors made later: do the work, stand by, move to another embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from combray import wiring
from combray.audit.audited import audited
from combray.embedding.background import EmbeddingWorker
from combray.embedding.working import Worked, Worker
from combray.errors import InvalidInputError
from combray.remember.link import LinkSemantic
from combray.runtime import Embedder, Filter, Reader, Runtime
from combray.values import clean_text, whole

if TYPE_CHECKING:
    from combray.presets import Preset

BATCH = 64
"""Texts embedded at once."""
MOST_BATCH = 1024
_MOST = 2**53


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far a namespace has come to a model.

    `memories`: live ones; `lacking`: those of them without a vector of it; `queued`: jobs added by this call;
    `dropped`: vectors of another model destroyed by it.
    """

    model: str
    memories: int
    lacking: int
    queued: int = 0
    dropped: int = 0


class Embedding:
    """The verbs. `moving` is the embedder that `reembed(to=…)` moves to, beside the one that serves."""

    moving: Embedder | None = None
    _changing = False
    _standing: EmbeddingWorker | None = None

    if TYPE_CHECKING:
        runtime: Runtime
        namespace: str
        _preset: Preset

        @property
        def reader(self) -> Reader: ...  # noqa: D102

    @audited("embed", reads=False)
    def work(
        self,
        *,
        limit: int | None = None,
        batch: int = BATCH,
        everywhere: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Worked:
        """Make the vectors that are due now, `batch` texts at once, `limit` memories a namespace at most.

        `everywhere`: of every namespace of the store. `progress` is called with the count done after each
        batch of a namespace. Many threads and processes may do this at the same time: no text is embedded
        twice. A text that fails is tried again later, longer and longer; while the embedder does not answer
        at all the rest is left for then. Raises InvalidInputError and StoreError.
        """
        batch = whole("batch", batch, 1, MOST_BATCH)
        limit = None if limit is None else whole("limit", limit, 0, _MOST)
        own = self._own()
        worked = Worked()
        places = self.runtime.store.namespaces() if everywhere else [self.namespace]
        if self._changing:
            for namespace in places:
                self._queue_lacking(namespace, own.name)
            self._changing = False
        for namespace in places:
            link = next(filter(None, map(_linking, self._preset.remember)), None)
            worked += Worker(self.runtime, namespace, own, link).work(limit, batch, progress)
            if self.moving is not None:
                self._queue_lacking(namespace, self.moving.name)
                worked += Worker(self.runtime, namespace, self.moving, link).work(limit, batch, progress)
        return worked

    def catch_up(self, most: int) -> None:
        """Make vectors for what has none of the embedder, `most` of them now; the others wait for a worker.

        Such as facts that consolidation made while the embedder was down. Without an embedder nothing is done.
        """
        if self.runtime.embedder is not None:
            self.reembed()
            self.work(limit=most)

    def pending(self) -> int:
        """How many memories wait for a vector of this engine's embedder, those given up included."""
        mine = self.runtime.embedder.name if self.runtime.embedder else ""
        jobs = sum(each.waiting + each.failed for each in self.reader.queue.backlogs() if each.model == mine)
        return jobs + (len(self.reader.queue.orphans(mine)) if mine else 0)

    @audited("retry_failed", reads=False)
    def retry_failed(self) -> int:
        """Make every job that was given up due again, of any model; how many."""
        now = self.runtime.clock()
        models = [each.model for each in self.reader.queue.backlogs() if each.failed]
        if not models:
            return 0
        with self.runtime.store.transaction(self.namespace) as tx:
            again = sum(tx.queue.retry(model, now) for model in models)
            tx.note("retry_failed", "", f"{again} jobs", now)
            return again

    @audited("reembed", reads=False)
    def reembed(self, to: str | Embedder | None = None, *, drop: str | None = None) -> Reembedding:
        """Queue every live memory that has no vector of the embedder yet; `work`, or a worker, makes them.

        `to` names another embedder than the engine's own (a spec, or an object): its vectors are made beside
        the own ones, which serve until the setting is changed; what is remembered meanwhile is queued for it
        with every `work`. Can be called again at any time, and after a crash: only what is missing is queued.

        `drop` is the name of a model whose vectors and jobs are destroyed instead, once every live memory has
        a vector of the engine's own. Raises InvalidInputError, ModelError and StoreError.
        """
        if drop is not None:
            if to is not None:
                raise InvalidInputError("drop", "is given beside `to`.", "Drop the old model when all is done.")
            return self._drop(clean_text("drop", drop, 500))
        if to is not None:
            self.moving = wiring.open_embedder(to) if isinstance(to, str) else to
            if self.moving is None:
                raise InvalidInputError("to", f"{to!r} makes no vectors.", "Name another embedder.")
        model = (self.moving if to is not None and self.moving is not None else self._own()).name
        queued = self._queue_lacking(self.namespace, model)
        return self._progress(model, queued=queued)

    def _progress(self, model: str, *, queued: int = 0, dropped: int = 0) -> Reembedding:
        lacking = len(self.reader.queue.lacking(model))
        live = len(self.reader.scan(Filter(trusts=())))
        return Reembedding(model, live, lacking, queued, dropped)

    def _queue_lacking(self, namespace: str, model: str) -> int:
        queue = self.runtime.store.reader(namespace).queue
        if not set(queue.lacking(model)).difference(job.key for job in queue.jobs(model)):
            return 0
        with self.runtime.store.transaction(namespace) as tx:
            queued = tx.queue.put(model, tx.queue.lacking(model), self.runtime.clock())
            tx.note("reembed", "", f"{queued} queued for {model}", self.runtime.clock())
            return queued

    def _drop(self, model: str) -> Reembedding:
        own = self._own().name
        if model == own:
            raise InvalidInputError("drop", f"{model!r} is the embedder in use.", "Name the one that is not.")
        lacking = len(self.reader.queue.lacking(own))
        if lacking:
            raise InvalidInputError(
                "drop", f"{lacking} memories have no vector of {own} yet.", "Call reembed() and work() first."
            )
        with self.runtime.store.transaction(self.namespace) as tx:
            dropped = tx.drop_vectors(model)
            tx.queue.drop(model)
            tx.note("drop_vectors", "", f"{dropped} of {model}", self.runtime.clock())
        return self._progress(own, dropped=dropped)

    def _own(self) -> Embedder:
        if self.runtime.embedder is None:
            raise InvalidInputError("embedder", "none is set, so there are no vectors to make.", "Name one.")
        return self.runtime.embedder

    def changed_embedder(self) -> bool:
        """Whether memories of this namespace have vectors, but some of them none of this engine's embedder."""
        own = self.runtime.embedder
        return own is not None and self.reader.queue.left_behind(own.name)

    # -- standing by ---------------------------------------------------------------------------------

    def start_worker(self, *, batch: int = BATCH) -> None:
        """Make vectors in a background thread, for every namespace of the store, until the engine is closed.

        After the embedder was changed it makes those of all memories that have none of this one.
        """
        self._own()
        self._changing = self.changed_embedder()
        whole("batch", batch, 1, MOST_BATCH)
        if self._standing is None or not self._standing.running:
            self._standing = EmbeddingWorker(self, batch)

    def stop_worker(self) -> None:
        """Stop the thread after the batch under way; what is left stays in the queue."""
        if self._standing is not None:
            self._standing.stop()
            self._standing = None

    def _wake_worker(self) -> None:
        if self._standing is not None:
            self._standing.wake()


def _linking(stage: object) -> LinkSemantic | None:
    """The stage that makes semantic edges, wherever it stands in a pipeline."""
    if isinstance(stage, LinkSemantic):
        return stage
    return next(filter(None, map(_linking, getattr(stage, "stages", ()))), None)
