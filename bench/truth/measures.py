"""What one answer is worth: shares in [0, 1], or nothing where a measure does not apply to a question.

A shown statement counts as marked when the answer says that it is outdated, or may be.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bench.truth.stories import HEDGED_KINDS, Question, Story


@dataclass(frozen=True, slots=True)
class Shown:
    """One hit: the statement's ref, and whether it is marked as outdated or as possibly outdated."""

    ref: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """One statement told: what it replaced by itself, what was suggested, and all candidates, best first."""

    ref: str
    replaced: str | None
    raised: tuple[str, ...]
    candidates: tuple[str, ...]


def measures(question: Question, shown: Sequence[Shown]) -> dict[str, float]:
    """Every measure that applies to the question.

    changed facts (questions with stale statements): `current top 1`, `current top 3`, `current first` (no stale
    statement stands before the first current one), `right behind` (before it, or directly behind it while the
    stale one is marked), `outdated unmarked`.
    plain questions (without): `plain top 1`, `plain top 3`, `plain first marked` (the first hit is marked as
    outdated, or perhaps outdated, though nothing changed it); `present holds`: top 1 of the kinds in which
    something past, planned or rumoured competes with the present. `due plans`: current first, once the date of
    the plan has passed.
    """
    places = {each.ref: place for place, each in reversed(list(enumerate(shown)))}
    current = min((places[ref] for ref in question.current if ref in places), default=None)
    stale = sorted(places[ref] for ref in question.stale if ref in places)
    if not question.stale:
        found = {
            "plain top 1": float(current == 0),
            "plain top 3": float(current is not None and current < 3),
            "plain first marked": float(bool(shown) and shown[0].marked),
        }
        return found | ({"present holds": float(current == 0)} if question.kind in HEDGED_KINDS else {})
    first = current is not None and (not stale or current < stale[0])
    behind = (
        current is not None
        and bool(stale)
        and shown[stale[0]].marked
        and all(shown[place].ref in question.stale for place in range(stale[0], current))
    )
    found = {
        "current top 1": float(current == 0),
        "current top 3": float(current is not None and current < 3),
        "current first": float(first),
        "right behind": float(first or behind),
        "outdated unmarked": float(any(not shown[place].marked for place in stale)),
    }
    return found | ({"due plans": float(first)} if question.kind == "future-plan" else {})


def of_writes(writes: Sequence[Write], story: Story, lost: Collection[str]) -> list[dict[str, float]]:
    """Every measure of the writes of a story.

    Of a write that changes something: `right among three` (one of what it changes is among its first three
    candidates) and `right suggested` (among what the caller is asked). Of one that changes nothing: `false
    suggestions`. Of every write: `false changes` (it superseded, without a caller's word, what it does not
    change). `harm`: a statement to keep is not live at the end.
    """
    found: list[dict[str, float]] = []
    for write in writes:
        right = story.revisions.get(write.ref, frozenset())
        changed = write.replaced is not None and write.replaced not in right
        row = {"false changes": float(changed)}
        if right:
            settled = write.replaced in right
            row["right among three"] = float(settled or not right.isdisjoint(write.candidates[:3]))
            row["right suggested"] = float(settled or not right.isdisjoint(write.raised))
        else:
            row["false suggestions"] = float(bool(write.raised))
        found.append(row)
    return found + ([{"harm": float(ref in lost)} for ref in sorted(story.keep)] if writes else [])
