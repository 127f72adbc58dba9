"""Notes about time on a memory in a prompt: outdated, perhaps outdated, not yet or no longer valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from combray.types import LIVE_STATUSES, Hit, Memory
from combray.values import not_now


def marks(hits: Iterable[Hit], numbers: Mapping[str, int], now: float) -> dict[str, str]:
    """Return the note of each hit that needs one, by memory id; `numbers` are those in the prompt, by id."""
    noted = {hit.memory.id: note(hit, numbers, now) for hit in hits}
    return {memory_id: text for memory_id, text in noted.items() if text}


def note(hit: Hit, numbers: Mapping[str, int], now: float) -> str:
    """Return what a reader must know about the time of a hit; "" if it holds as far as anybody said."""

    def named(memory_id: str, otherwise: str = "a later memory") -> str:
        return f" [{numbers[memory_id]}]" if memory_id in numbers else f" {otherwise}"

    memory = hit.memory
    if hit.outdated_by:
        return f"outdated: replaced by{named(hit.outdated_by)}"
    if memory.status not in LIVE_STATUSES:
        return f"outdated: {memory.status}"
    if hit.may_be_outdated_by:
        return f"may be outdated: see{named(hit.may_be_outdated_by)}"
    if hit.may_replace:
        return f"later, may replace{named(hit.may_replace, 'an earlier memory')}"
    return not_now(memory.valid_from, memory.valid_to, now)


def outdated_by(memory: Memory, now: float) -> str | None:
    """Return the id of what superseded it; what a plan supersedes is outdated from the plan's day on."""
    ended = memory.valid_to is not None and memory.valid_to.timestamp() <= now
    return memory.superseded_by if memory.status == "superseded" or ended else None
