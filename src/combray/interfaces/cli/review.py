"""The verbs `gc`, `review` and `release`: memories of low importance, and memories that need attention."""

from __future__ import annotations

from typing import Any

import click

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import answer, compact, console, for_people, pairs, short, show_rows

_ACTIONS = {"keep": "combray gc --keep ID", "forget": "combray forget ID", "erase": "combray erase ID"}
_FACTS = ("effective_importance", "days_since_access", "edge_count", "immune")


@command()
def gc(target: Target, threshold: float, limit: int, keep: str | None) -> None:
    """Print the candidates, or keep one."""
    with target.open() as engine:
        if keep is not None:
            memory = engine.retention.keep(keep)
            said = f"{memory.id} now counts as used {memory.access_count} times."
            answer(target, said, id=memory.id, status="kept", access_count=memory.access_count)
            return
        candidates = engine.retention.candidates(threshold=threshold, limit=limit)
    listed = [compact(each.memory) | {name: getattr(each, name) for name in _FACTS} for each in candidates]
    rows = []
    for each in candidates:
        matters, days = f"{each.effective_importance:.2f}", f"{each.days_since_access:.0f}"
        rows.append((matters, days, str(each.edge_count), "yes" if each.immune else "", each.memory))
    show_rows(
        target,
        {"threshold": threshold, "candidates": listed, "actions": _ACTIONS},
        ("matters", "days", "edges", "immune", "memory"),
        rows,
        none=f"No memory has an effective importance below {threshold:g}.",
        hint="Nothing was removed. " + " · ".join(_ACTIONS.values()),
    )


@command()
def review(target: Target, limit: int, quarantined: bool, set_aside: bool, doubtful: bool, changes: bool) -> None:
    """Print what needs attention."""
    if quarantined + set_aside + doubtful + changes > 1:
        raise click.UsageError(
            "--changes, --quarantined, --set-aside and --doubtful exclude each other. Give one of them."
        )
    if changes:
        from combray.interfaces.cli.settling import review_changes

        review_changes(target, limit)
        return
    if quarantined or set_aside or doubtful:
        (_quarantined if quarantined else _set_aside if set_aside else _doubtful)(target, limit)
        return
    with target.open() as engine:
        reviewed = engine.retention.review(limit=limit)
        waiting = for_people(target) and engine.unsettled(1)
        given_up = for_people(target) and engine.extraction.set_aside(1)
    plain = [compact(each.memory) | {"quality_warnings": each.warnings} for each in reviewed]
    rows = ((str(len(each.warnings)), "; ".join(each.warnings), each.memory) for each in reviewed)
    show_rows(target, plain, ("#", "warnings", "memory"), rows, none="No memory needs attention.")
    if waiting:
        console().print("Memories may be outdated: combray review --changes")
    if given_up:
        console().print("Turns were not read by the language model: combray review --set-aside")


def _quarantined(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.quarantine.list(limit=limit)
    listed = []
    for each in found:
        why: dict[str, Any] = {"reasons": each.reasons, "claimed": each.claimed}
        listed.append(compact(each.memory) | why | ({"place": each.place} if each.place else {}))
    show_rows(
        target,
        listed,
        ("why", "memory"),
        (("; ".join(filter(None, (each.place, *each.reasons))), each.memory) for each in found),
        none="The quarantine is empty.",
        hint="combray release ID [--trust owner] · combray forget ID · combray erase ID",
    )


def _set_aside(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.extraction.set_aside(limit=limit)
    show_rows(
        target,
        [compact(each.memory) | {"attempts": each.attempts, "error": each.error} for each in found],
        ("error", "turn"),
        ((each.error, each.memory) for each in found),
        none="No turn was set aside.",
        hint="combray worker --once --retry-failed",
    )


def _doubtful(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.consolidation.waiting()[:limit]
    rows = []
    for each in found:
        older, newer = (f"{short(memory.content, 60)}\n{memory.id}" for memory in (each.first, each.second))
        rows.append((older, newer, each.reason))
    show_rows(
        target,
        pairs(found),
        ("older", "newer", "why"),
        rows,
        none="No pair of facts is undecided.",
        hint="Resolve with combray forget ID or combray remember TEXT.",
    )


@command()
def release(target: Target, memory_id: str, trust: str) -> None:
    """Release, and print the trust from now on."""
    with target.open() as engine:
        memory = engine.quarantine.release(memory_id, trust)
    said = f"{memory.id} is released as {memory.trust} and can be recalled."
    answer(target, said, id=memory.id, status="released", trust=memory.trust)
