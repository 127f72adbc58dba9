"""Rows that are derived from memories and can be rebuilt from them: labels and names."""

from __future__ import annotations

from combray.language.indexing import IndexEntry, teaches
from combray.types import LIVE_STATUSES, Memory

Indexed = tuple[int, Memory, IndexEntry]
"""Key, memory, and its entry in the keyword index."""

OF_MEMORIES = ("vector", "label", "alias", "version", "chunk")
"""Tables whose rows belong to a memory, by its key."""
REMEDY = "'combray doctor --repair' rebuilds it"


def labels(number: int, one: Indexed) -> list[tuple[int, str, str, int, bool]]:
    """Return the rows of the label table for a memory, with duplicates for duplicate names."""
    key, memory, _ = one
    live = memory.status in LIVE_STATUSES and memory.trust != "quarantined"
    named = [(number, "entity", name.casefold(), key, live) for name in memory.entities]
    return named + [(number, "tag", tag.casefold(), key, live) for tag in memory.tags]


def aliases(number: int, one: Indexed) -> list[tuple[int, str, str, int, str, bool]]:
    """Return the rows of the alias table for a memory."""
    key, memory, entry = one
    live = teaches(memory)
    return [(number, name, canonical, key, origin, live) for name, canonical, origin in entry.names]
