"""Values of a named slot: the newest by moment holds, older ones form a chain behind it.

A slot is a name that the caller gives ("ana.city"), so nothing is guessed: values of one slot in one namespace
and one scope are about the same thing. Source: docs/howto/keep-facts-current.md.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from datetime import datetime

from combray.errors import InvalidInputError
from combray.forms.remembering import TRUSTED, Draft, Remembering, SettledWith
from combray.language.indexing import same_text
from combray.language.scopes import scope_set
from combray.language.validity import moves
from combray.records import dataclass
from combray.runtime import Link, Order, Writer
from combray.runtime.waiting import is_ahead
from combray.types import LIVE_STATUSES, Memory
from combray.where import joined, one_of_texts

_EVERY = 2**62
_BESIDE = {
    "planned": "a plan without a date replaces nothing",
    "hypothetical": "what may be replaces nothing",
    "quoted": "what somebody else is said to have said replaces nothing",
    "asked": "a question replaces nothing",
}
"""Tenses of texts that are kept beside the value that holds, and why."""

Place = tuple[str, tuple[str, ...]]
"""A slot and the scopes it is in."""


@dataclass(slots=True)
class Value(SettledWith):
    """One value of a slot. It holds if it is live, and no draft of the batch replaces it."""

    holds: bool = True
    next: str | None = None
    """Id of the value that replaces it."""

    @property
    def begins(self) -> datetime:
        """From when it is valid."""
        return begins(self.memory)

    def replace_by(self, memory: Memory) -> None:
        """Note that a draft of the batch replaces it."""
        self.holds, self.next = False, memory.id


def begins(memory: Memory) -> datetime:
    """Return the time from which a memory is valid."""
    return memory.valid_from or memory.moment


def fill_slots(state: Remembering) -> None:
    """Decide, under the write lock, what each draft with a slot replaces and what it stands behind."""
    if all(draft.memory.slot is None for draft in state.drafts):
        return
    known: dict[Place, list[Value]] = {}
    gone: set[str] = set()
    for draft in state.drafts:
        place = place_of(draft.memory)
        if place is None or draft.quarantined:
            if draft.skipped and _repeated(draft, state.writer) in gone:
                # What it repeats is replaced by an earlier text of the batch.
                draft.suggestion, draft.reason, draft.matched, draft.twin = "ADD", "", None, None
            continue
        if place not in known:
            known[place] = values(state.writer, place)
        _decide(draft, known[place], state)
        gone |= {each.memory.id for each in known[place] if each.next == draft.memory.id}
        if not draft.skipped:
            made = Value(draft.memory, draft=draft, next=draft.behind.memory.id if draft.behind else None)
            made.holds = draft.behind is None or begins(draft.behind.memory).timestamp() > state.now
            insort(known[place], made, key=lambda each: each.begins)
    for draft in state.drafts:
        # What repeats a draft that is not stored repeats what that one repeats.
        while draft.skipped and draft.twin is not None and draft.twin.skipped:
            draft.matched, draft.twin = draft.twin.matched, draft.twin.twin


def _repeated(draft: Draft, tx: Writer) -> str:
    """Return the id of what a draft repeats."""
    if draft.twin is not None:
        return draft.twin.memory.id
    return tx.memories([draft.matched or 0])[0].id


def place_of(memory: Memory) -> Place | None:
    """Return the slot of a memory with its scopes, None if it has no slot."""
    if memory.slot is None:
        return None
    return memory.slot, scope_set(memory.tags)


def values(tx: Writer, place: Place) -> list[Value]:
    """Return the values that hold or held, earliest first."""
    held = joined(one_of_texts("slot", place[:1]), one_of_texts("status", (*LIVE_STATUSES, "superseded")))
    keys = tx.page(held, Order(descending=False), _EVERY)
    found = [
        Value(memory, key, holds=memory.status in LIVE_STATUSES, next=memory.superseded_by)
        for key, memory in zip(keys, tx.memories(keys), strict=True)
        if memory.trust != "quarantined" and place_of(memory) == place
    ]
    return sorted(found, key=lambda each: each.begins)


def _decide(draft: Draft, known: Sequence[Value], state: Remembering) -> None:
    asked = draft.suggestion == "UPDATE" and bool(draft.supersedes)
    if not asked:
        # The slot decides, not likeness: the same words in another slot are another memory.
        draft.suggestion, draft.reason, draft.matched, draft.twin = "ADD", "", None, None
    new = Value(draft.memory)
    dropped = _dropped(draft, known, state.now)
    earlier = [
        each
        for each in known
        if (each.begins <= new.begins or each in dropped) and _may_replace(draft.memory, each.memory)
    ]
    later = [
        each
        for each in known
        if each.begins > new.begins and each not in earlier and _may_replace(each.memory, draft.memory)
    ]
    if state.diff and not asked and (same := _said_already(draft, earlier, later)):
        draft.suggestion, draft.matched, draft.twin = "DUPLICATE", same.key, same.draft
        draft.reason = f"slot {draft.memory.slot} has this value already"
        return
    tense = draft.claim.tense
    ends = draft.memory.valid_to
    if tense in _BESIDE and draft.memory.valid_from is None:
        draft.reason = draft.reason or _BESIDE[tense]
        return
    if tense == "past" or (ends is not None and ends.timestamp() <= state.now):
        holding = [each for each in known if each.holds and _may_replace(each.memory, draft.memory)]
        started = [each for each in holding if each.begins.timestamp() <= state.now]
        if holding:
            _stand_behind(draft, (started or holding)[-1])
        return
    if later:
        _stand_behind(draft, later[0])
    replaced = [each for each in earlier if each.holds or (later and each.next == later[0].memory.id)]
    blocked = [each for each in known if each.holds and each.begins <= new.begins and each not in earlier]
    if blocked and not replaced and not later:
        draft.suggestion = "CONFLICT"
        draft.reason = "it is untrusted and replaces nothing; both are kept"
    for each in reversed(replaced):
        _replace(draft, each)


def _dropped(draft: Draft, known: Sequence[Value], now: float) -> list[Value]:
    """Return the plans that a draft calls off, corrects or puts to another day: they do not come due."""
    if not moves(draft.memory.content):
        return []
    return [each for each in known if is_ahead(each.memory, now) and each.memory.moment <= draft.memory.moment]


def _said_already(draft: Draft, earlier: Sequence[Value], later: Sequence[Value]) -> Value | None:
    """Return the value that holds at that moment, or the one after it, if it has the same words."""
    around = [*earlier[-1:], *later[:1]] if later else [each for each in earlier if each.holds]
    words = same_text(draft.memory.content)
    return next((each for each in around if same_text(each.memory.content) == words), None)


def _may_replace(new: Memory, old: Memory) -> bool:
    return new.trust in TRUSTED or old.trust not in TRUSTED


def _stand_behind(draft: Draft, later: Value) -> None:
    draft.behind = later
    draft.reason = draft.reason or f"a later value of slot {draft.memory.slot} is known"


def _replace(draft: Draft, value: Value) -> None:
    first = draft.suggestion != "UPDATE"
    named = (value.key == draft.matched and value.draft is draft.twin, value.memory.id in _ids(draft.also))
    if not first and any(named):
        return
    if not value.holds:
        # Superseded already, by the value that the draft stands behind.
        draft.spliced.append(value)
    elif first:
        draft.suggestion, draft.matched, draft.twin = "UPDATE", value.key, value.draft
        draft.contradicts = False
        draft.reason = f"a newer value of slot {draft.memory.slot}"
    else:
        draft.also.append(value)
    value.replace_by(draft.memory)


def _ids(targets: Sequence[SettledWith]) -> set[str]:
    return {each.memory.id for each in targets}


def chain_slots(state: Remembering) -> None:
    """Put the values that were stored late behind the later ones."""
    for draft in state.drafts:
        if draft.key is not None and draft.behind is not None:
            _chain(draft, draft.key, draft.behind, state)


def _chain(draft: Draft, key: int, behind: SettledWith, state: Remembering) -> None:
    tx, memory = state.writer, draft.memory
    (later,) = tx.memories([behind.stored])
    ends = max(begins(later), begins(memory))
    pointer = {"superseded_by": later.id, "valid_to": min(ends, memory.valid_to or ends)}
    # Behind a plan a value holds until the plan's day.
    over = later.valid_from is None or later.valid_from.timestamp() <= state.now
    status = {"status": "superseded"} if over else {}
    tx.change(key, "supersede", "remember", state.now, **pointer, **status)
    for each in draft.spliced:
        (old,) = tx.memories([each.stored])
        until = max(begins(memory), old.recorded_at)
        tx.change(each.stored, "supersede", "remember", state.now, superseded_by=memory.id, valid_to=until)
        tx.unlink(behind.stored, each.stored, "supersedes")
        tx.link([Link(key, each.stored, "supersedes", 1.0, reason=draft.reason)], state.now)
    if later.supersedes is None or later.supersedes in _ids(draft.spliced):
        tx.change(behind.stored, "replace", "remember", state.now, supersedes=memory.id)
    if draft.spliced and memory.supersedes is None:
        tx.change(key, "replace", "remember", state.now, supersedes=draft.spliced[0].memory.id)
    tx.link([Link(behind.stored, key, "supersedes", 1.0, reason=draft.reason)], state.now)


def check_free(tx: Writer, memory: Memory) -> None:
    """Raise InvalidInputError if another live memory holds the slot that an update gives to this one."""
    place = place_of(memory)
    if place is None or memory.status not in LIVE_STATUSES:
        return
    for each in values(tx, place):
        if each.holds and each.memory.id != memory.id:
            remedy = f'Settle the two with the verdict "supersedes", or clear the slot of {each.memory.id}.'
            raise InvalidInputError("slot", f"{memory.slot} is held by memory {each.memory.id}.", remedy)
