"""Suggested revisions of memories that were written in large batches: found during consolidation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from combray.engine.namespace import Namespace
from combray.facts.candidates import SuggestRevisions, level_of
from combray.facts.edges import KeepRevisions
from combray.facts.ranker import Level
from combray.facts.waiting import left, put_left
from combray.forms.remembering import Draft, Remembering
from combray.language.scopes import scope_set
from combray.language.tense import claim_of
from combray.pipeline import advise, walk
from combray.remember.embed import FindNearest
from combray.runtime import Filter, Writer
from combray.types import LIVE_STATUSES

MOST = 2_000
"""Memories of one run, so that a night after an import stays bounded."""
_PART = 50
"""Memories of one transaction: other writers wait some hundredths of a second."""


def suggest_left(at: Namespace, most: int = MOST) -> int:
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
