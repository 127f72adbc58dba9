"""Runs: a stored plan, applied in bounded transactions, and its undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from combray.consolidate.belief import Belief, believing
from combray.consolidate.relation import Pair, pair
from combray.consolidate.steps import Correct, Effect, Step, Supersede, Support, decode, effect, encode, touched
from combray.errors import InvalidInputError
from combray.records import dataclass, replace
from combray.runtime import Clock, Doubt, Filter, Link, Reader, Run, Store, Writer
from combray.runtime.waiting import move_waiting
from combray.types import Memory, Version

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
) -> None:
    """Store a plan before it is applied, so that a killed run can be finished. It contains keys and no text."""
    with store.transaction(namespace) as tx:
        hold(tx)
        parts = [encode(list(steps[start : start + PART])) for start in range(0, len(steps), PART)]
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
                tx.note("consolidate", "", f"{run.id}: {summary(run.counts)}", clock())
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
        carry_out(tx, step, found, memories, actor(run.id), run.started)
        counts.update(change.operation for change in found.changes)
        if found.kept is not None:
            keep_both(tx, found.kept.new, found.kept.old, found.kept.reason, actor(run.id), run.started)
            counts["keep_both"] += 1
        if found.doubt is not None:
            tx.put_doubts([found.doubt])
    return counts


def carry_out(tx: Writer, step: Step, found: Effect, memories: dict[int, Memory], who: str, now: float) -> None:
    """Write the changes and edges of a step. `memories` has the memories afterwards."""
    for change in found.changes:
        fields: dict[str, Any] = dict(change.fields)
        tx.change(change.key, change.operation, who, now, **fields)
        if isinstance(step, Supersede | Correct) and fields.get("status") == "superseded":
            move_waiting(tx, memories[step.old], memories[step.new], who, now)
        memories[change.key] = msgspec.structs.replace(memories[change.key], **fields)
    for made in found.links:
        # An edge that exists stays: undoing a run removes only the edges that it added.
        known = tx.links([made.source], (made.type,))
        if all((link.source, link.target) != (made.source, made.target) for link in known):
            tx.link([msgspec.structs.replace(made, created_by=who)], now)


def by_key(reader: Reader, keys: Sequence[int]) -> dict[int, Memory]:
    """Return memories by key. A memory that is erased between the two reads is omitted."""
    ids = reader.ids(np.array(keys, dtype=np.int64))
    found = {memory.id: memory for memory in reader.memories(keys)}
    return {key: found[each] for key, each in zip(keys, ids, strict=True) if each in found}


def summary(counts: Mapping[str, int]) -> str:
    """Return counts as text."""
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count) or "nothing to do"


# -- edges `may_revise`: does a later memory change an earlier one? And the answer that both hold ----

BOTH = "both"
"""Subtype of an edge whose pair was settled: both hold."""
_KEPT = " | both hold: "
"""Stands in the reason of an edge between why it was asked and why both hold."""


def between(reader: Reader, one: int, other: int) -> list[Link]:
    """Return the questions between two memories, in either direction."""
    return [each for each in reader.links([one], ("may_revise",)) if {each.source, each.target} == {one, other}]


def keep_both(tx: Writer, new: int, old: int, reason: str, who: str, now: float) -> None:
    """Record that both memories hold. An edge is made if nobody has asked."""
    for each in between(tx, new, old) or [Link(new, old, "may_revise", 1.0)]:
        tx.unlink(each.source, each.target, "may_revise")
        why = f"{each.reason}{_KEPT}{reason}" if reason else each.reason
        tx.link([Link(each.source, each.target, "may_revise", each.weight, BOTH, why, who)], now)


def reopen(tx: Writer, new: int, old: int, who: str, now: float) -> None:
    """Leave the question open: nothing is settled, and an edge that `who` made says so ("user": a caller)."""
    for each in between(tx, new, old):
        tx.unlink(each.source, each.target, "may_revise")
        asked = each.reason.partition(_KEPT)[0]
        tx.link([Link(each.source, each.target, "may_revise", each.weight, reason=asked, created_by=who)], now)


# -- undo ------------------------------------------------------------------------------------------

_UNDO = "undo:"
"""Prefix of a run's id in the actor name of an undo."""
_ERASED = "erased"
"""The id of an erased memory in version rows."""
_MOST_PAIRED = 100
"""Largest merge whose undo marks every pair as distinct. In a larger one, only pairs with the winner."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A memory that was not restored, because it was changed after the run."""

    memory_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo: ids of restored memories, and refusals with the reason."""

    run_id: str
    restored: tuple[str, ...]
    refused: tuple[Refusal, ...]


def undo_run(tx: Writer, run: Run, now: float) -> Undone:
    """Restore every field of every memory that a run changed.

    Memories that one step changed together (a winner and its losers, two contradicting facts) are restored
    together or not at all: if one was changed since, all are refused. An undone decision on a pair is stored as
    KEEP_BOTH, so that the next run does not repeat it.
    """
    while tx.take_part(run.id) is not None:
        continue
    keys = tx.changed_by(actor(run.id))
    memories = by_key(tx, keys)
    histories = {key: tx.history(key) for key in keys}
    pairs = [(doubt.first, doubt.second) for doubt in tx.doubts() if doubt.run == run.id and doubt.halved]
    together = _together(memories, histories, actor(run.id), pairs)
    refused: list[Refusal] = []
    restored: list[int] = []
    for group in together:
        reasons = [_changed_since(histories[key], actor(run.id)) for key in group]
        if any(reasons):
            first = next(each for each in reasons if each)
            refused += [
                Refusal(memories[key].id, reason or f"belongs to one that {first}")
                for key, reason in zip(group, reasons, strict=True)
            ]
        else:
            restored += group
    _restore(tx, run, restored, memories, histories, now)
    kept = set(memories) - set(restored)
    # The run's decisions on pairs are removed, except for refused memories; undone pairs are marked distinct.
    stay = [doubt for doubt in tx.doubts() if doubt.run == run.id and {doubt.first, doubt.second} & kept]
    tx.drop_doubts(run.id)
    tx.put_doubts(stay)
    for group in together:
        done = {each.operation for key in group for each in histories[key] if each.actor == actor(run.id)}
        if group[0] not in kept and done & {"merge", "supersede"}:
            keep_apart(tx, group, f"{_UNDO}{run.id}")
    for key in restored:
        # A winner that gained nothing was not changed by the run, and is in no group.
        winner = tx.keys_of([memories[key].merged_into or ""]).get(memories[key].merged_into or "")
        if winner is not None:
            keep_apart(tx, sorted((winner, key)), f"{_UNDO}{run.id}")
    _reopen(tx, run, now)
    if not refused:
        tx.put_run(replace(run, ended=run.ended or now, state="undone"))
    tx.note("undo", "", f"{run.id}: {len(restored)} restored, {len(refused)} refused", now)
    return Undone(run.id, tuple(memories[key].id for key in restored), tuple(refused))


def _reopen(tx: Writer, run: Run, now: float) -> None:
    """Make questions again of the pairs of which a run said that both hold. The next run does not ask again."""
    for edge in tx.edges(("may_revise",)):
        if edge.created_by == actor(run.id):
            new, old = (tx.keys_of([each])[each] for each in (edge.source, edge.target))
            reopen(tx, new, old, "combray", now)
            keep_apart(tx, sorted((new, old)), f"{_UNDO}{run.id}")


def _together(
    memories: Mapping[int, Memory], histories: Mapping[int, list[Version]], who: str, pairs: Iterable[Pair]
) -> list[list[int]]:
    """Group the keys that the run changed by one step, or by steps with a common memory. Each is ascending."""
    keys_by_id = {memory.id: key for key, memory in memories.items()}
    group = {key: key for key in memories}

    def head(key: int) -> int:
        while group[key] != key:
            key = group[key]
        return key

    def join(one: int | None, other: int | None) -> None:
        if one in group and other in group and one is not None and other is not None:
            low, high = sorted((head(one), head(other)))
            group[high] = low

    for key, memory in memories.items():
        done = {version.operation for version in histories[key] if version.actor == who}
        if "merge" in done:
            join(key, keys_by_id.get(memory.merged_into or ""))
        if "supersede" in done:
            join(key, keys_by_id.get(memory.superseded_by or ""))
    for one, other in pairs:
        join(one, other)
    found: dict[int, list[int]] = {}
    for key in sorted(memories):
        found.setdefault(head(key), []).append(key)
    return list(found.values())


def _changed_since(history: Sequence[Version], who: str) -> str:
    """Return who changed a memory after the run, or ""."""
    last = max(version.number for version in history if version.actor == who)
    taken_back = {each.actor.removeprefix(_UNDO) for each in history if each.actor.startswith(_UNDO)}
    settled = {f"{_UNDO}{run}" for run in taken_back} | {actor(run) for run in taken_back}
    # A later run that was undone does not count.
    later = next((each for each in history if each.number > last and each.actor not in settled), None)
    if later is None:
        return ""
    return f"was changed since: {later.operation} by {later.actor}, {later.changed_at:%Y-%m-%d %H:%M}"


def _restore(
    tx: Writer,
    run: Run,
    keys: Sequence[int],
    memories: Mapping[int, Memory],
    histories: Mapping[int, list[Version]],
    now: float,
) -> None:
    for key in keys:
        fields: dict[str, Any] = {}
        for version in reversed([each for each in histories[key] if each.actor == actor(run.id)]):
            fields.update(version.before)
        fields = {name: unerased(value) for name, value in fields.items()}
        fields = {name: value for name, value in fields.items() if getattr(memories[key], name) != value}
        if fields:
            tx.change(key, "undo", f"{_UNDO}{run.id}", now, **fields)
    if keys:
        whole = set(keys)
        for link in tx.links(keys, ("supersedes", "restates")):
            # The winner of a merge that brought it no evidence was not changed.
            if link.created_by == actor(run.id) and not whole.isdisjoint((link.source, link.target)):
                tx.unlink(link.source, link.target, link.type)


def unerased(value: Any) -> Any:
    """Return a value of a version row without the word that an erasure put for an id."""
    if isinstance(value, tuple):
        return tuple(each for each in value if each != _ERASED)
    return None if value == _ERASED else value


def keep_apart(tx: Writer, keys: Sequence[int], who: str) -> None:
    """Record that the facts must not merge with or supersede one another."""
    paired = combinations(keys, 2) if len(keys) <= _MOST_PAIRED else ((keys[0], key) for key in keys[1:])
    tx.put_doubts([Doubt(*pair(one, other), "taken back by hand", "KEEP_BOTH", run=who) for one, other in paired])


def undo_merge(tx: Writer, key: int, now: float) -> Memory:
    """Restore a merged fact, and remove from the winner the evidence that came from it alone.

    Later changes of both are kept. Raises InvalidInputError for a memory that is not merged.
    """
    loser = tx.memories([key])[0]
    merge = next((each for each in reversed(tx.history(key)) if each.operation == "merge"), None)
    if loser.status != "merged" or merge is None:
        raise InvalidInputError("id", f"{loser.id} is not merged into another memory (status {loser.status}).")
    fields = {name: unerased(value) for name, value in merge.before.items()}
    tx.change(key, "restore", "user", now, **{**fields, "status": "active"})
    winner_key = tx.keys_of([loser.merged_into or ""]).get(loser.merged_into or "")
    if winner_key is not None:
        for link in tx.links([key], ("restates",)):
            if (link.source, link.target, link.created_by) == (key, winner_key, merge.actor):
                tx.unlink(key, winner_key, "restates")
        _give_back(tx, winner_key, loser, merge, now)
        keep_apart(tx, sorted((winner_key, key)), "user")
    tx.note("restore", loser.id, "unmerged", now)
    return tx.memories([key])[0]


def _give_back(tx: Writer, winner_key: int, loser: Memory, merge: Version, now: float) -> None:
    """Remove the loser's own evidence from the winner."""
    winner = tx.memories([winner_key])[0]
    history = tx.history(winner_key)
    # One actor may have merged several into it, at different times.
    made = [
        each
        for each in history
        if (each.operation, each.actor, each.changed_at) == ("absorb", merge.actor, merge.changed_at)
    ]
    if not made:
        return
    merged = tx.memories(tx.scan(Filter(statuses=("merged",), trusts=())).tolist())
    siblings = [each for each in merged if each.merged_into == winner.id and each.id != loser.id]
    absorbed = made[0] if siblings else made[-1]
    since = {name for each in history if each.number > absorbed.number for name in each.before}
    if not siblings and since.isdisjoint(absorbed.before):
        before = {name: unerased(value) for name, value in absorbed.before.items()}
        tx.change(winner_key, "release", "user", now, **before)
        return
    others = set(absorbed.before.get("evidence", winner.evidence))
    others |= {each for memory in siblings for each in memory.evidence}
    evidence = tuple(each for each in winner.evidence if each in others or each not in loser.evidence)
    fields = believing(winner, Belief.of(winner), evidence, now)
    if fields:
        tx.change(winner_key, "release", "user", now, **fields)
