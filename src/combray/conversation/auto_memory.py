"""Auto-memory: store names, preferences and decisions from a user's turn as facts, with the turn as evidence."""

from __future__ import annotations

import logging

from combray.errors import CombrayError
from combray.language.savings import worth_saving
from combray.language.scopes import scopes_of
from combray.runtime import Rememberer
from combray.types import Memory, MemoryItem, Remembered

LOG = logging.getLogger(__name__)

SOURCE = "auto"
"""Source of the facts stored here; `recall(sources=["auto"])` finds them."""


def save_what_is_worth_it(memories: Rememberer, turn: Memory) -> tuple[Remembered, ...]:
    """Store the facts in a turn, in the turn's scopes, and return the results.

    Facts go through the diff, so duplicates are skipped and a new value supersedes. Only turns with the trust
    "owner" are read. Failures are logged, not raised: the turn is already stored, and the caller must not add it
    again.
    """
    if turn.trust != "owner":
        return ()
    role = str(turn.metadata.get("role") or turn.author or "")
    items: list[MemoryItem] = [
        {
            "content": saving.text,
            "category": saving.category,
            "importance": saving.importance,
            "source": SOURCE,
            "author": turn.author,
            "trust": "owner",
            "tags": scopes_of(turn.tags),
            "occurred_at": turn.occurred_from if turn.said_at is None else None,
            "evidence": [turn.id],
            "metadata": {"auto": saving.kind, "reason": saving.reason, "session": turn.session},
        }
        for saving in worth_saving(turn.content, role)
    ]
    try:
        results = memories.remember_many(items) if items else []
    except CombrayError:
        LOG.warning("auto-memory could not store the facts of turn %s", turn.id, exc_info=True)
        return ()
    for each in results:
        if each.action == "refused":
            LOG.warning(
                "auto-memory could not store a fact of turn %s: %s", turn.id, each.reason.partition(":")[0]
            )
    return tuple(each for each in results if each.action != "refused")
