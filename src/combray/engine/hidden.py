"""Hidden memories: forget and restore, with the facts that Combray made of them alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from combray.audit.erasure import named_by
from combray.runtime import Filter, Reader, Writer
from combray.runtime.waiting import move_waiting, move_waiting_back
from combray.types import LIVE_STATUSES, Memory, Status
from combray.values import MADE_BY

WITH_EVIDENCE = "hide"
"""The operation of a fact that was hidden with its last live evidence. `forget` is what a caller named."""
_PAST: tuple[Status, ...] = ("superseded", "merged", "deprecated")


def hide(tx: Writer, keys: Sequence[int], now: float) -> list[int]:
    """Forget memories, and facts that rest on them alone. Return the keys of these facts."""
    for key in keys:
        memory = tx.memories([key])[0]
        # An explicit request counts more than evidence that may come back.
        if memory.status != "forgotten" or _last_hidden_by(tx, key) == WITH_EVIDENCE:
            if memory.status in LIVE_STATUSES:
                move_waiting(tx, memory, None, "user", now)
            tx.change(key, "forget", "user", now, status="forgotten")
            tx.note("forget", memory.id, "", now)
    found = resting_alone(tx, tx.memories(keys))
    facts = list(tx.keys_of([each.id for each in found]).values())
    for key in facts:
        tx.change(key, WITH_EVIDENCE, "combray", now, status="forgotten")
    return facts


def show(tx: Writer, keys: Sequence[int], now: float) -> list[int]:
    """Restore memories, and facts that were hidden with them. Return the keys of these facts."""
    for key in keys:
        _show(tx, key, now)
    facts = list(tx.keys_of([each.id for each in _made_of(tx, tx.memories(keys))]).values())
    back = [key for key in facts if _last_hidden_by(tx, key) == WITH_EVIDENCE]
    for key in back:
        if tx.memories([key])[0].status == "forgotten":
            tx.change(key, "restore", "combray", now, status=_status_before(tx, key))
    return back


def resting_alone(reader: Reader, memories: Sequence[Memory]) -> list[Memory]:
    """Return visible facts that Combray made of the memories and that no other live memory supports."""
    gone = {each.id for each in memories}
    facts = [each for each in _made_of(reader, memories) if each.status != "forgotten" and each.id not in gone]
    live = _live(reader, {each for fact in facts for each in named_by(fact)} - gone)
    return [fact for fact in facts if live.isdisjoint(named_by(fact))]


def without_evidence(reader: Reader, facts: Sequence[Memory]) -> set[str]:
    """Return the ids of facts that Combray made of turns of which none is live any more."""
    made = [each for each in facts if each.source in MADE_BY]
    live = _live(reader, {each for fact in made for each in named_by(fact)})
    return {fact.id for fact in made if live.isdisjoint(named_by(fact))}


def _made_of(reader: Reader, memories: Sequence[Memory]) -> list[Memory]:
    """Return the facts of consolidation and auto-memory that name one of the episodes as evidence."""
    episodes = {each.id for each in memories if each.kind == "episode"}
    if not episodes:
        return []
    every = reader.scan(Filter(statuses=(), sources=MADE_BY, trusts=()))
    return [each for each in reader.memories(every.tolist()) if not episodes.isdisjoint(named_by(each))]


def _live(reader: Reader, ids: Collection[str]) -> set[str]:
    found = reader.memories(reader.keys_of(sorted(ids)).values())
    return {each.id for each in found if each.status in LIVE_STATUSES and each.trust != "quarantined"}


def _show(tx: Writer, key: int, now: float) -> None:
    memory = tx.memories([key])[0]
    if memory.status == "merged":
        from combray.consolidate.runs import undo_merge

        undo_merge(tx, key, now)
        return
    if memory.status == "active":
        return
    changes: dict[str, Any] = {"status": _status_before(tx, key)}
    if changes["status"] == "active":
        changes |= {"superseded_by": None, "merged_into": None}
        if memory.status == "forgotten":
            move_waiting_back(tx, memory, None, "user", now)
        if memory.superseded_by is not None:
            # The end of validity that it had before it was superseded, if any.
            ends = [each.before.get("valid_to") for each in tx.history(key) if each.operation == "supersede"]
            changes["valid_to"] = ends[-1] if ends else None
    tx.change(key, "restore", "user", now, **changes)
    tx.note("restore", memory.id, "", now)


def _status_before(reader: Reader, key: int) -> Status:
    """Return the status to restore: the one before a memory was forgotten if it was not current then."""
    if reader.memories([key])[0].status != "forgotten":
        return "active"
    before = [each.before.get("status") for each in reader.history(key)]
    last = next((each for each in reversed(before) if each not in (None, "forgotten")), "active")
    return next((each for each in _PAST if each == last), "active")


def _last_hidden_by(reader: Reader, key: int) -> str:
    """Return the operation that changed the status last, "" if none did."""
    return next((each.operation for each in reversed(reader.history(key)) if "status" in each.before), "")
