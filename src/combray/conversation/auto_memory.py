"""Auto-memory: what a user says in passing and wants kept becomes a fact beside the turn it was said in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from combray.errors import CombrayError
from combray.language.savings import worth_saving
from combray.types import Memory, Remembered

if TYPE_CHECKING:
    from combray.engine import Engine

LOG = logging.getLogger(__name__)

SOURCE = "auto"
"""Source of the facts made here: `recall(sources=["auto"])` finds them."""


def save_what_is_worth_it(engine: Engine, turn: Memory) -> tuple[Remembered, ...]:
    """Keep what the turn says that is worth it, with the turn as evidence; what became of each.

    Compared with what is known (diff), so the same statement is not kept twice and a new value supersedes. A turn
    that came with `trust` below the owner's is never read. The turn is stored already: if keeping fails, that is
    logged and not raised, so that nobody adds the turn again.
    """
    if turn.trust != "owner":
        return ()
    role = str(turn.metadata.get("role") or turn.author or "")
    items = [
        {
            "content": saving.text,
            "category": saving.category,
            "importance": saving.importance,
            "source": SOURCE,
            "author": turn.author,
            "trust": "owner",
            "occurred_at": turn.occurred_from,
            "evidence": [turn.id],
            "metadata": {"auto": saving.kind, "reason": saving.reason, "session": turn.session},
        }
        for saving in worth_saving(turn.content, role)
    ]
    try:
        return tuple(engine.remember_many(items)) if items else ()
    except CombrayError:
        LOG.warning("auto-memory could not keep what turn %s says", turn.id, exc_info=True)
        return ()
