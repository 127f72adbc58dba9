"""Settling a pair: the later memory supersedes, corrects or repeats the earlier one, or both hold; and its undo.

Source: docs/howto/keep-facts-current.md.
"""

from __future__ import annotations

from typing import Any

from combray.consolidate.runs import BOTH, between, carry_out, keep_both, reopen, undo_merge, unerased
from combray.consolidate.steps import Correct, Merge, Supersede, effect
from combray.errors import InvalidInputError
from combray.language.scopes import scope_set
from combray.runtime import Writer
from combray.runtime.waiting import move_waiting_back
from combray.types import LIVE_STATUSES, Memory, Verdict

CORRECTS = "corrects"
"""Subtype of an edge `supersedes`: the earlier memory was never true."""


def settle(tx: Writer, new: int, old: int, verdict: Verdict, reason: str, who: str, now: float) -> Verdict | None:
    """Apply a verdict on two memories, by keys. Return the earlier verdict on them that it took back, if any.

    A verdict that stands already changes nothing. `who` is the actor of the version rows. Raises
    InvalidInputError, before anything is written, if the two cannot be settled so.
    """
    stands = verdict_of(tx, new, old)
    later, earlier = tx.memories([new, old])
    if verdict == "open" and stands is None:
        if between(tx, new, old):
            reopen(tx, new, old, who, now)
            return None
        problem = f"nothing was settled between {later.id} and {earlier.id}."
        raise InvalidInputError("verdict", problem, "Name the two memories of a settled pair.")
    if verdict == stands and (verdict == BOTH or later.id in (earlier.superseded_by, earlier.merged_into)):
        return None
    if verdict != "open":
        _check(tx, new, old, verdict, stands)
    if stands == "same":
        undo_merge(tx, old, now)
    elif stands == BOTH:
        reopen(tx, new, old, who, now)
    elif stands is not None:
        _take_back(tx, new, old, who, now)
    if verdict == BOTH:
        keep_both(tx, new, old, reason, who, now)
    elif verdict != "open":
        memories = dict(zip((new, old), tx.memories([new, old]), strict=True))
        replacing = Supersede if verdict == "supersedes" else Correct
        step = Merge(new, (old,)) if verdict == "same" else replacing(old, new, reason)
        carry_out(tx, step, effect(step, memories, {}, now, ""), memories, who, now)
    tx.note("settle", later.id, f"{verdict} {earlier.id}", now)
    return stands


def verdict_of(tx: Writer, new: int, old: int) -> Verdict | None:
    """Return the verdict that stands between two memories, None if their pair is open."""
    later, earlier = tx.memories([new, old])
    edges = [each for each in tx.links([new], ("supersedes",)) if (each.source, each.target) == (new, old)]
    # What a plan will replace is still live.
    if earlier.status in ("superseded", *LIVE_STATUSES) and earlier.superseded_by == later.id:
        return "corrects" if any(each.subtype == CORRECTS for each in edges) else "supersedes"
    if earlier.status == "merged" and earlier.merged_into == later.id:
        return "same"
    if any(each.subtype == BOTH for each in between(tx, new, old)):
        return "both"
    # The earlier one was restored by hand: the later one still names it.
    return "supersedes" if edges and earlier.status in LIVE_STATUSES else None


# -- what cannot be settled ----------------------------------------------------------------------


def _check(tx: Writer, new: int, old: int, verdict: Verdict, stands: Verdict | None) -> None:
    """Raise InvalidInputError for a verdict that contradicts what is stored, and say what to do instead."""
    later, earlier = tx.memories([new, old])
    for name, memory in (("new", later), ("old", earlier)):
        if memory.trust == "quarantined":
            raise InvalidInputError(name, f"memory {memory.id} is quarantined.", "Release it first.")
        hidden = memory.status not in LIVE_STATUSES
        if hidden and not (name == "old" and stands in ("supersedes", "corrects", "same")):
            raise InvalidInputError(name, *_why_not_live(memory, name, later, earlier))
    if verdict == BOTH:
        return
    if scope_set(later.tags) != scope_set(earlier.tags):
        problem = f"memories {later.id} and {earlier.id} are in different scopes."
        raise InvalidInputError("new", problem, 'Settle "both", or update the tags of one of them first.')
    if later.trust == "untrusted" != earlier.trust:
        problem = f"memory {later.id} is untrusted and replaces no trusted memory."
        raise InvalidInputError("new", problem, 'Settle "both", or remember the fact in your own words.')
    if verdict_of(tx, old, new) in ("supersedes", "corrects", "same"):
        problem = f"memory {earlier.id} supersedes memory {later.id} already."
        raise InvalidInputError("new", problem, f'Settle {earlier.id} {later.id} "open" first.')


def _why_not_live(memory: Memory, name: str, later: Memory, earlier: Memory) -> tuple[str, str]:
    by = {"superseded": memory.superseded_by, "merged": memory.merged_into}.get(memory.status)
    other = earlier if name == "new" else later
    if by is None:
        return f"memory {memory.id} is {memory.status}.", "Restore it first."
    how = "merged into" if memory.status == "merged" else "superseded by"
    problem = f"memory {memory.id} is {how} {by}."
    if by == other.id:
        return problem, f'Settle {by} {memory.id} "open" first, then settle the two the other way round.'
    return problem, f'Settle with {by} instead, or settle {by} {memory.id} "open" first.'


# -- undo --------------------------------------------------------------------------------------


def _take_back(tx: Writer, new: int, old: int, who: str, now: float) -> None:
    """Restore what a replacement changed, from the version rows."""
    later, earlier = tx.memories([new, old])
    if earlier.superseded_by == later.id:
        past = _before(tx, old, "superseded_by")
        fields = {name: past.get(name) for name in ("superseded_by", "valid_to")}
        if earlier.status == "superseded":
            fields["status"] = past.get("status", "active")
            move_waiting_back(tx, earlier, later, who, now)
        tx.change(old, "reopen", who, now, **fields)
    if later.supersedes == earlier.id:
        tx.change(new, "reopen", who, now, supersedes=_before(tx, new, "supersedes").get("supersedes"))
    tx.unlink(new, old, "supersedes")


def _before(tx: Writer, key: int, field: str) -> dict[str, Any]:
    """Return the fields before the last change of one of them; empty if it never changed."""
    for version in reversed(tx.history(key)):
        if field in version.before:
            return {name: unerased(value) for name, value in version.before.items()}
    return {}
