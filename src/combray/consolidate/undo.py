"""Undo of a run or of one merge. Runs delete nothing, so every change can be reversed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from combray.consolidate.belief import Belief, believing
from combray.consolidate.relation import Pair, pair
from combray.consolidate.runs import actor, by_key
from combray.errors import InvalidInputError
from combray.runtime import Doubt, Filter, Run, Writer
from combray.types import Memory, Version

_UNDO = "undo:"
"""Prefix of a run's id in the actor name of an undo."""
_ERASED = "erased"
"""The id of an erased memory in version rows."""
_MOST_PAIRED = 100
"""Largest merge whose facts are kept apart in pairs. In a larger one, each is kept apart from the winner only."""


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
    _remember(tx, run, kept, [group for group in together if group[0] not in kept], histories)
    if not refused:
        tx.put_run(replace(run, ended=run.ended or now, state="undone"))
    tx.note("undo", "", f"{run.id}: {len(restored)} restored, {len(refused)} refused", now)
    return Undone(run.id, tuple(memories[key].id for key in restored), tuple(refused))


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
        fields = {name: _without_erased(value) for name, value in fields.items()}
        fields = {name: value for name, value in fields.items() if getattr(memories[key], name) != value}
        if fields:
            tx.change(key, "undo", f"{_UNDO}{run.id}", now, **fields)
    if keys:
        whole = set(keys)
        for link in tx.links(keys, ("supersedes",)):
            if link.created_by == actor(run.id) and {link.source, link.target} <= whole:
                tx.unlink(link.source, link.target, link.type)


def _without_erased(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(each for each in value if each != _ERASED)
    return None if value == _ERASED else value


def _remember(
    tx: Writer,
    run: Run,
    refused: set[int],
    groups: Sequence[Sequence[int]],
    histories: Mapping[int, list[Version]],
) -> None:
    """Drop the run's decisions on pairs, except of refused memories, and keep undone pairs apart."""
    stay = [doubt for doubt in tx.doubts() if doubt.run == run.id and {doubt.first, doubt.second} & refused]
    tx.drop_doubts(run.id)
    tx.put_doubts(stay)
    for group in groups:
        done = {each.operation for key in group for each in histories[key] if each.actor == actor(run.id)}
        if done & {"merge", "supersede"}:
            keep_apart(tx, group, f"{_UNDO}{run.id}")


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
    fields = {name: _without_erased(value) for name, value in merge.before.items()}
    tx.change(key, "restore", "user", now, **{**fields, "status": "active"})
    winner_key = tx.keys_of([loser.merged_into or ""]).get(loser.merged_into or "")
    if winner_key is not None:
        _give_back(tx, winner_key, loser, merge, now)
        keep_apart(tx, sorted((winner_key, key)), "user")
    tx.note("restore", loser.id, "unmerged", now)
    return tx.memories([key])[0]


def _give_back(tx: Writer, winner_key: int, loser: Memory, merge: Version, now: float) -> None:
    """Remove the loser's own evidence from the winner."""
    winner = tx.memories([winner_key])[0]
    history = tx.history(winner_key)
    absorbed = next((v for v in history if v.operation == "absorb" and v.actor == merge.actor), None)
    if absorbed is None:
        return
    merged = tx.memories(tx.scan(Filter(statuses=("merged",), trusts=())).tolist())
    siblings = [each for each in merged if each.merged_into == winner.id and each.id != loser.id]
    if absorbed.number == history[-1].number and not siblings:
        before = {name: _without_erased(value) for name, value in absorbed.before.items()}
        tx.change(winner_key, "release", "user", now, **before)
        return
    others = set(absorbed.before.get("evidence", winner.evidence))
    others |= {each for memory in siblings for each in memory.evidence}
    evidence = tuple(each for each in winner.evidence if each in others or each not in loser.evidence)
    fields = believing(winner, Belief.of(winner), evidence, now)
    if fields:
        tx.change(winner_key, "release", "user", now, **fields)
