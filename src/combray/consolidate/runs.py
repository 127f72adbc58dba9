"""Runs: a stored plan, applied in bounded transactions. The next run finishes a killed one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from combray.consolidate.steps import Step, Support, decode, effect, encode, renamed, touched
from combray.runtime import Arrival, Clock, Link, Reader, Run, Store, Writer
from combray.types import Memory

PART = 200
"""Steps per transaction, so that other writers wait a few hundredths of a second at most."""

Hold = Callable[[Writer], None]
"""Called first in every transaction of a run. Raises if the run has lost its lease."""


def actor(run: str) -> str:
    """Return the actor name of a run's changes."""
    return f"consolidate:{run}"


def record(
    store: Store,
    namespace: str,
    run: Run,
    steps: Sequence[Step],
    hold: Hold,
    fresh: Mapping[int, Arrival] | None = None,
) -> None:
    """Store a plan before it is applied, with its new facts (`fresh`), still hidden.

    So the plan contains keys and no text: a killed run can be finished, and erasing a fact leaves no copy.
    """
    made = fresh or {}
    with store.transaction(namespace) as tx:
        hold(tx)
        keys = dict(zip(made, tx.insert(list(made.values())), strict=True)) if made else {}
        stored = [renamed(step, keys) for step in steps]
        parts = [encode(stored[start : start + PART]) for start in range(0, len(stored), PART)]
        tx.put_run(run, parts)


def finish(
    store: Store,
    namespace: str,
    run: Run,
    hold: Hold,
    clock: Clock,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Apply the rest of a run's plan, as of the time it was made. Return the finished run.

    Each part of the plan is removed in the transaction that applies it, so no step is repeated or lost.
    """
    done = 0
    while True:
        with store.transaction(namespace) as tx:
            hold(tx)
            part = tx.take_part(run.id)
            if part is None:
                run = replace(run, ended=clock(), state="done")
                tx.put_run(run)
                tx.note("consolidate", "", f"{run.id}: {told(run.counts)}", clock())
                return run
            steps = decode(part)
            counts = Counter(run.counts) + _apply(tx, run, steps)
            run = replace(run, counts=dict(counts))
            tx.put_run(run)
        done += len(steps)
        if progress is not None:
            progress(done)


def _apply(tx: Writer, run: Run, steps: Sequence[Step]) -> Counter[str]:
    keys = sorted({key for step in steps for key in touched(step)})
    episodes = sorted({key for step in steps if isinstance(step, Support) for key in step.episodes})
    memories = by_key(tx, keys)
    ids = dict(zip(episodes, tx.ids(np.array(episodes, dtype=np.int64)), strict=True))
    counts: Counter[str] = Counter()
    for step in steps:
        found = effect(step, memories, ids, run.started, run.id)
        for change in found.changes:
            fields: dict[str, Any] = dict(change.fields)
            tx.change(change.key, change.operation, actor(run.id), run.started, **fields)
            memories[change.key] = msgspec.structs.replace(memories[change.key], **fields)
            counts[change.operation] += 1
        for new, old, reason in found.supersedes:
            _link(tx, run, new, old, reason)
        if found.doubt is not None:
            tx.put_doubts([found.doubt])
    return counts


def by_key(reader: Reader, keys: Sequence[int]) -> dict[int, Memory]:
    """Return memories by key. A memory that is erased between the two reads is omitted."""
    ids = reader.ids(np.array(keys, dtype=np.int64))
    found = {memory.id: memory for memory in reader.memories(keys)}
    return {key: found[each] for key, each in zip(keys, ids, strict=True) if each in found}


def _link(tx: Writer, run: Run, new: int, old: int, reason: str) -> None:
    """Add an edge unless it exists: undoing a run removes only the edges that it added."""
    there = any((link.source, link.target) == (new, old) for link in tx.links([new], ("supersedes",)))
    if not there:
        link = Link(new, old, "supersedes", 1.0, reason=reason, created_by=actor(run.id))
        tx.link([link], run.started)


def told(counts: Mapping[str, int]) -> str:
    """Return counts as text."""
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count) or "nothing to do"
