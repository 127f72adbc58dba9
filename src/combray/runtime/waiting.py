"""Memories that a plan will replace on its day, when the plan itself is replaced before that day.

What a plan replaces stays live and ends on the plan's day (`valid_to`), so that recall needs no write then. If
the plan is put off, it ends on the new day; if the plan is dropped, it goes on.
"""

from __future__ import annotations

from datetime import datetime

from combray.language.validity import moves, names_a_day
from combray.runtime.retrieval import Order
from combray.runtime.store import Writer
from combray.types import LIVE_STATUSES, Memory
from combray.where import one_of_texts

_EVERY = 2**62


def is_ahead(memory: Memory, now: float) -> bool:
    """Return whether a memory is a plan whose day has not come."""
    return memory.valid_from is not None and memory.valid_from.timestamp() > now


def replaces_at_once(new: Memory, old: Memory, now: float) -> bool:
    """Return whether a memory replaces another one now, and not only on a day that it names.

    What puts off, calls off or corrects a plan, or an event of a day that lies ahead, does so: when the meeting
    is moved, the old day is wrong already.
    """
    if not is_ahead(new, now):
        return True
    return moves(new.content) and (is_ahead(old, now) or names_a_day(old.content, new.moment))


def move_waiting(tx: Writer, plan: Memory, new: Memory | None, who: str, now: float) -> None:
    """Let what a plan would have replaced hold until the day of `new`, which replaced the plan before its day.

    If `new` is not a plan, or None because the plan was forgotten, what waited for the plan stays valid.
    """
    if is_ahead(plan, now):
        _move(tx, plan, plan.valid_from, _day(new, now), who, now)


def move_waiting_back(tx: Writer, plan: Memory, new: Memory | None, who: str, now: float) -> None:
    """Undo `move_waiting`."""
    if is_ahead(plan, now):
        _move(tx, plan, _day(new, now), plan.valid_from, who, now)


def _day(new: Memory | None, now: float) -> datetime | None:
    return new.valid_from if new is not None and is_ahead(new, now) else None


def _move(tx: Writer, plan: Memory, was: datetime | None, until: datetime | None, who: str, now: float) -> None:
    replacing: tuple[str, ...] = (plan.id,)
    while replacing:
        keys = tx.page(one_of_texts("superseded_by", replacing), Order(descending=False), _EVERY)
        found = list(zip(keys, tx.memories(keys), strict=True))
        for key, memory in found:
            # An end of another day was said, or is older: it stays.
            if memory.status in LIVE_STATUSES and memory.valid_to == was:
                tx.change(key, "wait", who, now, valid_to=until)
        # The plan may itself have replaced one that never came due.
        replacing = tuple(each.id for _, each in found if each.status == "superseded" and _never_due(each))


def _never_due(plan: Memory) -> bool:
    return plan.valid_from is not None and plan.valid_to is not None and plan.valid_to < plan.valid_from
