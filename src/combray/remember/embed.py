"""Vectors for drafts, made before the transaction: a slow model server must not hold the write lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from combray.errors import ModelError
from combray.forms.remembering import Draft, Remembering, Reread
from combray.language.indexing import full_text
from combray.language.scopes import scope_set
from combray.records import dataclass
from combray.runtime import Filter, Reader, Runtime


@dataclass(frozen=True)
class QueueEmbedding:
    """Leaves vectors to a worker: drafts are stored as `pending_embed` and found by their words until then.

    Without an embedder there is nothing to wait for: they are active at once.
    """

    needs = ("drafts",)
    gives = ("vectors",)

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        if runtime.embedder is not None:
            put_off(state.drafts, QUEUED)
        else:
            _say_why(state.drafts, NO_EMBEDDER)
        return state


NO_EMBEDDER = "no embedder is configured"
QUEUED = "queued: a worker makes the vector"
NO_VECTOR = "the embedder has no vector for this text"
NOT_YET = "its vector is not made yet ('combray worker --once --reembed' makes it)"


def put_off(drafts: Iterable[Draft], why: str) -> None:
    """Let drafts wait for their vectors."""
    for draft in drafts:
        draft.memory = msgspec.structs.replace(draft.memory, status="pending_embed")
        draft.not_embedded = why


def _say_why(drafts: Iterable[Draft], why: str) -> None:
    for draft in drafts:
        draft.not_embedded = why


def say_embedded(drafts: Iterable[Draft], reader: Reader, model: str) -> None:
    """Fill `embedded` and `not_embedded` after the write: for a text that was skipped those of the live memory.

    `model` is "" without an embedder.
    """
    known = list(dict.fromkeys(draft.matched for draft in drafts if draft.skipped and draft.matched is not None))
    keys = np.array(known, dtype=np.int64)
    has = dict(zip(known, reader.vectors(model, keys)[1].tolist(), strict=True)) if known else {}
    status = dict(zip(known, (memory.status for memory in reader.memories(known)), strict=True))
    for draft in drafts:
        if draft.skipped and draft.matched is not None:
            waits = QUEUED if status[draft.matched] == "pending_embed" else NOT_YET
            draft.embedded, draft.not_embedded = has[draft.matched], waits if model else NO_EMBEDDER
        elif draft.skipped and draft.twin is not None:
            draft.embedded, draft.not_embedded = draft.twin.embedded, draft.twin.not_embedded
        else:
            draft.embedded = draft.vector is not None and draft.key is not None


@dataclass(frozen=True)
class Embed:
    """Embeds all drafts in one call.

    Without an embedder they are stored without vectors. If it fails they wait in the queue for a worker.
    """

    needs = ("drafts",)
    gives = ("vectors",)
    leaves_process = True

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        """Fill each draft's vector. The bare text is embedded: names and dates in front cost recall."""
        _embed_tokens(state, runtime)
        if runtime.embedder is None or not state.drafts:
            _say_why(state.drafts, NO_EMBEDDER)
            return state
        try:
            vectors = runtime.embedder.embed([full_text(draft.memory) for draft in state.drafts])
        except ModelError as error:
            put_off(state.drafts, f"the embedder failed, a worker makes the vector later: {error}")
            state.degraded.append(f"stored without vectors, which a worker makes later: {error}")
            return state
        for draft, vector in zip(state.drafts, vectors, strict=True):
            draft.vector, draft.not_embedded = (vector, "") if np.any(vector) else (None, NO_VECTOR)
        return state


def _embed_tokens(state: Remembering, runtime: Runtime) -> None:
    """Fill the token vectors of the drafts. If that fails, `Write` queues the memories for a worker."""
    if runtime.tokens is None or not state.drafts:
        return
    try:
        found = runtime.tokens.embed_tokens([full_text(draft.memory) for draft in state.drafts])
    except ModelError as error:
        state.degraded.append(f"stored without token vectors, which a worker makes later: {error}")
        return
    state.tokens.update((draft.memory.id, tokens) for draft, tokens in zip(state.drafts, found, strict=True))


@dataclass(frozen=True)
class FindNearest:
    """Finds the stored memories nearest to each draft, for the diff, semantic edges and candidates."""

    needs = ("vectors",)
    gives = ("nearest",)
    minimum: float = 0.40
    minimum_in_batch: float = 0.65
    few: int = 8
    """Items of a batch up to which `minimum` holds: those are asked what they may change (`SuggestRevisions`)."""
    limit: int = 8

    def __call__(self, state: Remembering, runtime: Runtime) -> Remembering:
        """Search once for the whole batch. A large one is only compared and linked, with what is very near.

        What is a little near grows with the store: at a million memories, from 0.35 on, it takes 60 ms a text.
        """
        if state.put_off:
            if runtime.embedder is not None:
                state.rereads.append(self._search(runtime.embedder.name, self.minimum))
            return state
        with runtime.store.view(state.namespace) as reader:
            state.seen_revision = reader.revision()
            if runtime.embedder is not None:
                is_small = state.suggest or len(state.drafts) <= self.few
                minimum = self.minimum if is_small else self.minimum_in_batch
                search = self._search(runtime.embedder.name, minimum)
                search(state, reader)
                state.rereads.append(search)
        return state

    def _search(self, model: str, minimum: float) -> Reread:
        return partial(search_nearest, model=model, minimum=minimum, limit=self.limit)


def search_nearest(state: Remembering, reader: Reader, model: str, minimum: float, limit: int = 8) -> None:
    """Fill `nearest` of every draft that has a vector."""
    embedded = [(draft, draft.vector) for draft in state.drafts if draft.vector is not None]
    if not embedded:
        return
    # Nothing is compared with a memory of another scope; most batches have one scope.
    by_scope: dict[tuple[str, ...], list[tuple[Draft, NDArray[np.float32]]]] = defaultdict(list)
    for draft, vector in embedded:
        by_scope[scope_set(draft.memory.tags)].append((draft, vector))
    for scope, inside in by_scope.items():
        stacked = np.stack([vector for _, vector in inside])
        found = reader.nearest(model, stacked, Filter(within=scope), limit, minimum)
        for (draft, _), nearest in zip(inside, found, strict=True):
            draft.nearest = nearest
